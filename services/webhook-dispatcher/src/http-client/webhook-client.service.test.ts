import { BlockList, createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import {
  eventually,
  makeTestCertificates,
  startLedgerReceiver,
  startRawServer,
  type LedgerReceiver,
  type TestCertificates,
} from "@holdfast/tests/support";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startDnsServer, type DnsServer } from "../../test/dns-server.ts";
import { openConnection } from "./open-connection.ts";
import { createLookup } from "./resolve-target.ts";
import { createWebhookClient, type WebhookClient, type WebhookClientOptions } from "./webhook-client.ts";
import { parseTarget } from "./webhook-target.ts";
import { createSecureContext, createServer as createTlsServer } from "node:tls";

let certificates: TestCertificates;
let dns: DnsServer;
let receiver: LedgerReceiver;
let client: WebhookClient;
const clients: WebhookClient[] = [];
const TIMEOUT_MS = 300;
/** A limit that even a busy machine keeps, and a call that hangs does not. */
const PATIENT_MS = 120_000;

beforeAll(async () => {
  certificates = await makeTestCertificates();
  dns = await startDnsServer();
});
afterAll(() => dns.close());
beforeEach(async () => {
  receiver = await startLedgerReceiver(certificates);
  client = newClient();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((each) => each.close()));
  await receiver.close();
});

function loopback(...ranges: [string, number][]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges)
    list.addSubnet(address, prefix, address.includes(":") ? "ipv6" : "ipv4");
  return list;
}

function newClient(change: Partial<WebhookClientOptions> & { allowed?: BlockList } = {}): WebhookClient {
  const { allowed = loopback(["127.0.0.0", 8], ["::1", 128]), ...options } = change;
  const made = createWebhookClient({
    rules: { allowedPorts: "any", allowedCidrs: allowed },
    lookup: createLookup({ servers: [dns.address], timeoutMs: PATIENT_MS }),
    attemptTimeoutMs: PATIENT_MS,
    connectTimeoutMs: PATIENT_MS,
    attemptBoundMs: 3 * PATIENT_MS,
    caFile: certificates.caFile,
    ...options,
  });
  clients.push(made);
  return made;
}

const body = Buffer.from('{"a":1}');
const makeRequest = () => ({
  headers: { "content-type": "application/json", "content-length": String(body.length) },
  body,
});
const post = (url = receiver.url, by = client) => by.post(url, makeRequest);

test("connections are kept warm: many deliveries, one handshake", async () => {
  for (let index = 0; index < 5; index++) expect(await post()).toMatchObject({ statusCode: 200 });
  expect(receiver.handshakes()).toBe(1);
  expect(receiver.ledger).toHaveLength(5);
  expect(receiver.ledger[0]!.body.equals(body)).toBe(true);
});

test("what is signed is made when there is a connection, not before", async () => {
  const made = vi.fn(makeRequest);
  const lookedUp = Promise.withResolvers<string[]>();
  const posting = newClient({ lookup: () => lookedUp.promise }).post(receiver.url, made);
  await new Promise(setImmediate);
  expect(receiver.connections()).toBe(0);
  expect(made).not.toHaveBeenCalled();
  lookedUp.resolve(["127.0.0.1"]);
  expect(await posting).toMatchObject({ statusCode: 200 });
  expect(made).toHaveBeenCalledOnce();
});

test("an attempt whose time is over before it is sent is not sent: another may have the delivery by then", async () => {
  const late = newClient({ attemptBoundMs: 0 });
  expect(await post(receiver.url, late)).toMatchObject({ error: "timeout" });
  await post();
  expect(receiver.ledger).toHaveLength(1);
});

test("a warm connection that the receiver has closed costs nothing: the request goes out on a new one", async () => {
  await post();
  receiver.behave((_entry, index) => (index === 1 ? { kind: "reset" } : { kind: "status", status: 200 }));
  expect(await post()).toMatchObject({ statusCode: 200 });
  expect(receiver.handshakes()).toBe(2);
});

test.each([200, 201, 204, 299])("%i is a success", async (status) => {
  receiver.behave({ kind: "status", status });
  const result = await post();
  expect(result).toMatchObject({ statusCode: status, remoteAddress: "127.0.0.1" });
  expect(result).not.toHaveProperty("error");
  expect(result).not.toHaveProperty("snippet");
});

test.each([300, 304, 400, 401, 410, 429, 500, 503])("%i is a failure", async (status) => {
  receiver.behave({ kind: "status", status, ...(status !== 304 && { body: "because" }) });
  expect(await post()).toMatchObject({ statusCode: status, error: "status" });
});

test.each([301, 302, 303, 307, 308])("a redirect (%i) is a failure and is not followed", async (status) => {
  const elsewhere = await startLedgerReceiver(certificates);
  receiver.behave({ kind: "status", status, headers: { location: elsewhere.url } });
  expect(await post()).toMatchObject({ statusCode: status, error: "status" });
  expect(elsewhere.ledger).toEqual([]);
  await elsewhere.close();
});

test("a receiver that hangs is cut off, and so is one whose headers never end", async () => {
  const hasty = newClient({ attemptTimeoutMs: TIMEOUT_MS });
  for (const behaviour of [{ kind: "hang" }, { kind: "drip", part: "headers", everyMs: 50 }] as const) {
    receiver.behave(behaviour);
    const result = await post(receiver.url, hasty);
    expect(result).toMatchObject({ error: "timeout" });
    expect(result.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
  }
  await eventually(() => expect(receiver.connections()).toBe(0));
});

test("2xx at the headers decides, however slow or long the body is; then the connection is dropped", async () => {
  const behaviours = [
    { kind: "drip", part: "body", everyMs: 20 },
    { kind: "huge", status: 200, bytes: 50_000_000 },
  ] as const;
  for (const behaviour of behaviours) {
    receiver.behave(behaviour);
    expect(await post()).toMatchObject({ statusCode: 200 });
    await eventually(() => expect(receiver.connections()).toBe(0));
  }
});

test("of a failure's body a KiB is read", async () => {
  receiver.behave({ kind: "huge", status: 500, bytes: 50_000_000 });
  const { snippet, error } = await post();
  expect(error).toBe("status");
  expect(snippet).toHaveLength(1_024);
});

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const OK_BYTES = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

test.each([
  ["100 before it", [CONTINUE + OK_BYTES]],
  [
    "several of 100, 102 and 103 before it",
    [CONTINUE + CONTINUE, "HTTP/1.1 102 P\r\n\r\n", `HTTP/1.1 103 E\r\n\r\n${OK_BYTES}`],
  ],
  [
    "20 KiB of cookies",
    [OK_BYTES.replace("\r\n\r\n", `\r\n${`Set-Cookie: ${"a".repeat(1_000)}\r\n`.repeat(20)}\r\n`)],
  ],
])("an answer with %s is a delivery, on a new and on a warm connection", async (_case, answer) => {
  const raw = await startRawServer(() => answer, certificates);
  onTestFinished(() => raw.close());
  expect(await post(raw.url)).toMatchObject({ statusCode: 200 });
  expect(await post(raw.url)).toMatchObject({ statusCode: 200 });
  expect([raw.connections(), raw.requests.length]).toEqual([1, 2]);
});

test.each([
  [
    "80 KiB of cookies",
    OK_BYTES.replace("\r\n\r\n", `\r\n${`Set-Cookie: ${"a".repeat(1_000)}\r\n`.repeat(80)}\r\n`),
  ],
  ["LF alone as the end of a line", OK_BYTES.replaceAll("\r\n", "\n")],
  ["a folded header", OK_BYTES.replace("\r\n\r\n", "\r\nA: b\r\n c\r\n\r\n")],
  ["two ways to end", OK_BYTES.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n")],
  ["another protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
])("an answer with %s says so, and is asked for once, on a warm connection too", async (_case, broken) => {
  const raw = await startRawServer((number) => (number === 1 ? broken : OK_BYTES), certificates);
  onTestFinished(() => raw.close());
  await post(raw.url);
  const result = await post(raw.url);
  expect(result).toMatchObject({ error: "malformed" });
  expect(result).not.toHaveProperty("statusCode");
  expect(raw.requests).toHaveLength(2);
  expect(await post(raw.url)).toMatchObject({ statusCode: 200 });
});

test("a connection that breaks within an answer is no reason to post again", async () => {
  const raw = await startRawServer((number) => (number === 1 ? CONTINUE : OK_BYTES), certificates);
  onTestFinished(() => raw.close());
  await post(raw.url);
  const posting = post(raw.url);
  await eventually(() => expect(raw.requests).toHaveLength(2));
  await new Promise(setImmediate);
  raw.endAll();
  expect(await posting).toMatchObject({ error: "reset" });
  expect(raw.requests).toHaveLength(2);
});

test("what a receiver sends unasked is no answer to the next request", async () => {
  const raw = await startRawServer(() => OK_BYTES, certificates);
  onTestFinished(() => raw.close());
  await post(raw.url);
  raw.write(OK_BYTES.replace("200", "500"));
  await eventually(() => expect(raw.open()).toBe(0));
  expect(await post(raw.url)).toMatchObject({ statusCode: 200 });
  expect(raw.connections()).toBe(2);
});

test("a reset is told from a refusal", async () => {
  receiver.behave({ kind: "reset" });
  expect(await post()).toMatchObject({ error: "reset" });
  const { url } = receiver;
  await receiver.close();
  expect(await newClient().post(url, makeRequest)).toMatchObject({ error: "refused" });
});

test("a certificate of another authority, for another name, or out of its time is refused before anything is sent", async () => {
  const foreign = await startLedgerReceiver(await makeTestCertificates());
  expect(await post(foreign.url)).toMatchObject({ error: "tls_chain" });

  dns.answer("shop.test", ["127.0.0.1"]);
  expect(await post(receiver.url.replace("localhost", "shop.test"))).toMatchObject({ error: "tls_name" });

  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 500 * 86_400_000 });
  const past = await makeTestCertificates();
  vi.useRealTimers();
  const expired = await startLedgerReceiver(past);
  expect(await newClient({ caFile: past.caFile }).post(expired.url, makeRequest)).toMatchObject({
    error: "tls_expired",
  });

  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * 86_400_000 });
  const future = await makeTestCertificates();
  vi.useRealTimers();
  const early = await startLedgerReceiver(future);
  expect(await newClient({ caFile: future.caFile }).post(early.url, makeRequest)).toMatchObject({
    error: "tls_not_yet_valid",
  });

  const receivers = [foreign, receiver, expired, early];
  expect(receivers.flatMap(({ ledger }) => ledger)).toEqual([]);
  await Promise.all([foreign, expired, early].map((each) => each.close()));
});

test("without the CA in its file nobody trusts it, whatever the environment says", async () => {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "1");
  expect(await newClient({ caFile: undefined }).post(receiver.url, makeRequest)).toMatchObject({
    error: "tls_chain",
  });
  vi.unstubAllEnvs();
});

test("a host that takes the connection and never speaks TLS is given up on", async () => {
  const silent = await tcpServer(() => {});
  const hasty = newClient({ connectTimeoutMs: TIMEOUT_MS });
  expect(await post(`https://127.0.0.1:${portOf(silent)}/`, hasty)).toMatchObject({ error: "timeout" });
  silent.close();
});

test("a proxy in the environment is not asked", async () => {
  let asked = 0;
  const proxy = await tcpServer(() => asked++);
  for (const name of ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"])
    vi.stubEnv(name, `http://127.0.0.1:${portOf(proxy)}`);
  expect(await post()).toMatchObject({ statusCode: 200 });
  expect(asked).toBe(0);
  vi.unstubAllEnvs();
  proxy.close();
});

test("a name whose address was public and now is this machine is not connected to", async () => {
  const strict = newClient({ allowed: new BlockList() });
  dns.answer("rebind.test", ["93.184.215.14"], ["127.0.0.1"]);
  const lookup = createLookup({ servers: [dns.address], timeoutMs: PATIENT_MS });
  expect(await lookup("rebind.test")).toEqual(["93.184.215.14"]);
  expect(await strict.post(receiver.url.replace("localhost", "rebind.test"), makeRequest)).toMatchObject({
    error: "blocked",
  });
  expect(receiver.connections()).toBe(0);
});

test("one address that may not be called is enough to refuse a name", async () => {
  const strict = newClient({ allowed: new BlockList() });
  for (const [name, addresses] of Object.entries({
    "mixed.test": ["93.184.215.14", "10.0.0.1"],
    "metadata.test": ["169.254.169.254"],
    "loopback.test": ["127.0.0.1"],
  })) {
    dns.answer(name, addresses);
    expect(await strict.post(`https://${name}/`, makeRequest)).toMatchObject({ error: "blocked" });
  }
  expect(await strict.post("https://localhost/", makeRequest)).toMatchObject({ error: "blocked" });
  expect(await strict.post("https://2130706433/", makeRequest)).toMatchObject({ error: "blocked" });
});

test("a name is looked up once for a connection, and the address that was checked is the one connected to", async () => {
  // A second query would be answered with the receiver's own address.
  dns.answer("once.test", ["127.0.0.2"], ["127.0.0.1"]);
  const picky = newClient({ allowed: loopback(["127.0.0.2", 32]) });
  const before = dns.asked.length;
  expect(await picky.post(receiver.url.replace("localhost", "once.test"), makeRequest)).toMatchObject({
    error: "refused",
  });
  expect(dns.asked.slice(before)).toEqual(["once.test"]);
  expect(receiver.connections()).toBe(0);
});

test("what the socket is connected to is checked once more, before TLS", async () => {
  const rules = { allowedPorts: "any", allowedCidrs: new BlockList() } as const;
  const target = parseTarget("https://shop.test/", rules);
  if (typeof target === "string") throw new Error(target);
  const handshake = vi.fn<() => void>();
  const connection = await openConnection({
    target: { ...target, port: receiver.port },
    addresses: ["127.0.0.1"],
    rules,
    secureContext: createSecureContext(),
    session: undefined,
    timeoutMs: PATIENT_MS,
    onHandshake: handshake,
  });
  expect(connection).toBe("blocked");
  expect(handshake).not.toHaveBeenCalled();
});

test("a name that does not exist, or whose server does not answer, is a matter of DNS", async () => {
  dns.ignore("silent.test");
  expect(await post("https://nowhere.test/")).toMatchObject({ error: "dns" });
  const hasty = newClient({ lookup: createLookup({ servers: [dns.address], timeoutMs: TIMEOUT_MS }) });
  expect(await post("https://silent.test/", hasty)).toMatchObject({ error: "dns" });
});

test.each([4, 6] as const)(
  "where a server answers one family alone, the other (%i) is waited for a moment",
  async (family) => {
    const name = `half${family}.test`;
    dns.answer(name, ["127.0.0.1", "::1"]);
    dns.ignoreFamily(name, family);
    const lookup = createLookup({ servers: [dns.address], timeoutMs: PATIENT_MS });
    expect(await lookup(name)).toEqual([family === 4 ? "::1" : "127.0.0.1"]);
  },
);

test("what has arrived is used when the time is over", async () => {
  dns.answer("empty.test", []);
  dns.ignoreFamily("empty.test", 6);
  const lookup = createLookup({ servers: [dns.address], timeoutMs: TIMEOUT_MS });
  expect(await lookup("empty.test")).toEqual([]);
});

test("a query that is lost is sent again", async () => {
  const lookup = createLookup({ servers: [dns.address], timeoutMs: 4 * TIMEOUT_MS });
  dns.ignore("lost.test");
  const before = lookup("lost.test");
  await eventually(() => expect(dns.ignoredQueries("lost.test")).toBeGreaterThan(2));
  await before;
});

test("families alternate, and many dead addresses are cut off by time alone", async () => {
  const dead = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"];
  dns.answer("four-dead.test", [...dead, "::1"]);
  const lookup = createLookup({ servers: [dns.address], timeoutMs: PATIENT_MS });
  expect(await lookup("four-dead.test")).toEqual([dead[0], "::1", ...dead.slice(1)]);
  dns.answer("dead.test", [...dead, "127.0.0.1"]);
  // The connection gets as far as the certificate, which is for another name.
  expect(await post(receiver.url.replace("localhost", "dead.test"))).toMatchObject({ error: "tls_name" });
});

test("localhost is this machine in both families", async () => {
  const v6 = await startRawServer(() => OK_BYTES, { ...certificates, host: "::1" });
  onTestFinished(() => v6.close());
  expect(await post(v6.url)).toMatchObject({ statusCode: 200, remoteAddress: "::1" });
  const v4Only = newClient({ allowed: loopback(["127.0.0.0", 8]) });
  expect(await post(receiver.url, v4Only)).toMatchObject({ statusCode: 200 });
});

test("the server is named without the dot of the root", async () => {
  const names: unknown[] = [];
  const server = createTlsServer({
    ...certificates,
    SNICallback: (name, done) => (names.push(name), done(null)),
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  dns.answer("dotted.test", ["127.0.0.1"]);
  dns.answer("dotted.test.", ["127.0.0.1"]);
  expect(await post(`https://dotted.test.:${portOf(server)}/`)).toMatchObject({ error: "tls_name" });
  expect(names).toEqual(["dotted.test"]);
});

test("an address that came while this process stood still did not come too late", async () => {
  dns.answer("still.test", ["127.0.0.1"]);
  const lookup = createLookup({ servers: [dns.address], timeoutMs: TIMEOUT_MS });
  const looking = lookup("still.test");
  await eventually(() => expect(dns.asked).toContain("still.test"));
  const until = performance.now() + 2 * TIMEOUT_MS;
  while (performance.now() < until);
  expect(await looking).toEqual(["127.0.0.1"]);
});

test("names whose servers do not answer hold up nobody else", async () => {
  dns.ignore("silent.test");
  const ended = vi.fn<() => void>();
  const waiting = Array.from({ length: 20 }, () => post("https://silent.test/").finally(ended));
  dns.answer("quick.test", ["127.0.0.1"]);
  // The connection gets as far as the certificate, which is for another name.
  expect(await post(receiver.url.replace("localhost", "quick.test"))).toMatchObject({ error: "tls_name" });
  expect(ended).not.toHaveBeenCalled();
  dns.answerIgnored("silent.test");
  await Promise.all(waiting);
});

async function tcpServer(onConnection: () => void): Promise<Server> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    onConnection();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
