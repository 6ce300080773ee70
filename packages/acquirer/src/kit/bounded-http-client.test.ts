import { once } from "node:events";
import { Agent, createServer, type RequestListener, type Server } from "node:http";
import net, { type AddressInfo } from "node:net";

import { afterEach, describe, expect, test, vi } from "vitest";

import { noting } from "../unreached.ts";
import { BoundedHttpClient, type BoundedHttpClientOptions } from "./bounded-http-client.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closers.splice(0).toReversed()) await close();
});

describe("a call that was certainly not sent", () => {
  test("is tried once more", async () => {
    const connect = vi.spyOn(Agent.prototype, "createConnection");
    const client = open({ url: await refusingUrl() });
    expect(await client.exchange(call, within(60_000))).toEqual({ kind: "not_sent" });
    expect(connect).toHaveBeenCalledTimes(2);
  });

  test("succeeds the second time where the listener is back", async () => {
    const { url } = await serve((_request, response) => response.end("{}"));
    const refused = new net.Socket();
    vi.spyOn(Agent.prototype, "createConnection").mockImplementationOnce(() =>
      failing(refused, "ECONNREFUSED"),
    );
    const client = open({ url });
    const exchanged = await noting(async () => await client.exchange(call, within(60_000)));
    expect(exchanged).toEqual({ outcome: ANSWERED, unreached: undefined });
  });

  test("is not tried again where no time is left", async () => {
    const connect = vi.spyOn(Agent.prototype, "createConnection");
    const client = open({ url: await refusingUrl() });
    vi.useFakeTimers({ toFake: ["Date"] });
    expect(await client.exchange(call, within(80))).toEqual({ kind: "not_sent" });
    vi.useRealTimers();
    expect(connect).toHaveBeenCalledTimes(1);
  });

  test("is one whose host name is not found", async () => {
    vi.spyOn(Agent.prototype, "createConnection").mockImplementation(() =>
      failing(new net.Socket(), "ENOTFOUND"),
    );
    const client = open({ url: "http://acquirer.invalid" });
    expect(await client.exchange(call, within(60_000))).toEqual({ kind: "not_sent" });
  });

  test("is one whose connection is never established", async () => {
    const connect = vi.spyOn(Agent.prototype, "createConnection").mockImplementation(() => new net.Socket());
    const client = open({ url: "http://127.0.0.1:9", connectTimeoutMs: 50 });
    expect(await client.exchange(call, within(120_000))).toEqual({ kind: "not_sent" });
    expect(connect).toHaveBeenCalledTimes(2);
  });

  test("is one whose deadline comes before the connection", async () => {
    const connecting = new net.Socket();
    vi.spyOn(Agent.prototype, "createConnection").mockImplementation(() => connecting);
    const client = open({ url: "http://127.0.0.1:9", connectTimeoutMs: 1_000 });
    expect(await client.exchange(call, within(100))).toEqual({ kind: "not_sent" });
    failing(connecting, "ECONNREFUSED");
  });

  test.each([
    ["ENOTFOUND", "dns"],
    ["EAI_AGAIN", "dns"],
    ["ECONNREFUSED", "refused"],
    ["EHOSTUNREACH", "no_route"],
    ["ECONNRESET", "reset"],
    ["CERT_HAS_EXPIRED", "tls"],
    ["EMFILE", "other"],
  ])("notes %s as %s", async (code, cause) => {
    vi.spyOn(Agent.prototype, "createConnection").mockImplementation(() => failing(new net.Socket(), code));
    const client = open({ url: "http://acquirer.invalid" });
    const { outcome, unreached } = await noting(async () => await client.exchange(call, within(60_000)));
    expect({ outcome, unreached }).toEqual({
      outcome: { kind: "not_sent" },
      unreached: { cause, detail: expect.stringContaining(code) },
    });
  });

  test("notes the phase in which its time was over", async () => {
    vi.spyOn(Agent.prototype, "createConnection").mockImplementation(() => new net.Socket());
    const client = open({ url: "http://127.0.0.1:9", connectTimeoutMs: 50, connectionsMax: 1 });
    const [first, second] = await Promise.all(
      [120_000, 40].map(async (ms) => await noting(async () => await client.exchange(call, within(ms)))),
    );
    expect([first!.unreached?.cause, second!.unreached?.cause]).toEqual([
      "dns_or_connect_timeout",
      "no_free_connection",
    ]);
  });

  test("is none because the machine's time is set ahead while it waits for its turn", async () => {
    const { url } = await serve((_request, response) => response.end("{}"));
    const machineNow = Date.now;
    const awaitBudget = () => {
      vi.spyOn(Date, "now").mockImplementation(() => machineNow() + 3_600_000);
      return Promise.resolve(undefined);
    };
    expect(await open({ url, awaitBudget }).exchange(call, within(60_000))).toEqual(ANSWERED);
  });

  test("is one that is past its expiry", async () => {
    const connect = vi.spyOn(Agent.prototype, "createConnection");
    const { url } = await serve((_request, response) => response.end("{}"));
    expect(await open({ url }).exchange(call, within(-1))).toEqual({ kind: "not_sent" });
    expect(connect).not.toHaveBeenCalled();
  });

  test("is one that waited in line too long, and it is not sent later either", async () => {
    const paths: (string | undefined)[] = [];
    const { url } = await serve((request, response) => {
      paths.push(request.url);
      if (request.url !== "/hangs") response.end("{}");
    });
    const client = open({ url, connectionsMax: 1 });
    const hanging = client.exchange({ ...call, path: "/hangs" }, within(3_000));
    expect(await client.exchange({ ...call, path: "/waits" }, within(300))).toEqual({ kind: "not_sent" });
    expect(await hanging).toEqual({ kind: "unknown", reason: "timeout" });
    expect(await client.exchange({ ...call, path: "/next" }, within(60_000))).toMatchObject({
      kind: "answered",
    });
    expect(paths).toEqual(["/hangs", "/next"]);
  });
});

describe("a call whose process stands still until its deadline is past", () => {
  test.each([
    ["before it is connected", 0],
    ["before it has its turn on a warm connection", 1],
  ])("is not sent: %s", async (_, callsBefore) => {
    const paths: (string | undefined)[] = [];
    const { url } = await serve((request, response) => {
      paths.push(request.url);
      response.end("{}");
    });
    const client = open({ url });
    for (let count = 0; count < callsBefore; count++) await client.exchange(call, within(60_000));
    const late = client.exchange({ ...call, path: "/late" }, within(60_000));
    const monotonicNow = performance.now.bind(performance);
    // Its timers have not run yet.
    vi.spyOn(performance, "now").mockImplementation(() => monotonicNow() + 3_600_000);
    expect(await late).toEqual({ kind: "not_sent" });
    expect(paths).not.toContain("/late");
  });
});

describe("what may have been sent", () => {
  test("is never sent twice", async () => {
    let requests = 0;
    const { url } = await serve((request) => {
      requests += 1;
      request.socket.resetAndDestroy();
    });
    expect(await open({ url }).exchange(call, within(60_000))).toEqual({
      kind: "unknown",
      reason: "connection_lost",
    });
    expect(requests).toBe(1);
  });

  test("is unknown at the deadline even while the answer drips", async () => {
    const { url } = await serve((_request, response) => {
      const timer = setInterval(() => response.write(" "), 20);
      response.once("close", () => clearInterval(timer));
    });
    expect(await open({ url }).exchange(call, within(2_000))).toEqual({ kind: "unknown", reason: "timeout" });
  });

  test("is cut off at its deadline, so that the connection is free again", async () => {
    const { url } = await serve((request, response) => {
      if (request.url !== "/hangs") response.end("{}");
    });
    const client = open({ url, connectionsMax: 1 });
    expect((await client.exchange({ ...call, path: "/hangs" }, within(1_000))).kind).toBe("unknown");
    expect((await client.exchange(call, within(60_000))).kind).toBe("answered");
  });

  test("waits no longer than a bound of its own when the expiry is mistaken", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    const { url } = await serve((_request, response) => response.end("{}"));
    const inAYear = new Date(Date.now() + 365 * 86_400_000);
    expect((await open({ url }).exchange(call, inAYear)).kind).toBe("answered");
    const waitsMs = timers.mock.calls.map(([, delayMs]) => delayMs ?? 0);
    expect(Math.max(...waitsMs)).toBeLessThanOrEqual(120_000);
  });
});

test("calls share warm connections, no more than allowed", async () => {
  const { url, server } = await serve((_request, response) => response.end("{}"));
  let connections = 0;
  server.on("connection", () => (connections += 1));
  const client = open({ url, connectionsMax: 4 });
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 20 }, () => client.exchange(call, within(60_000))));
  }
  expect(connections).toBe(4);
});

test("an answered call leaves no timer behind", async () => {
  const { url } = await serve((_request, response) => response.end("{}"));
  const client = open({ url });
  await client.exchange(call, within(60_000));
  const before = timers();
  for (let count = 0; count < 20; count += 1) await client.exchange(call, within(60_000));
  expect(timers() - before).toBeLessThan(10);
});

const call = { method: "POST", path: "/", body: "{}" } as const;
const ANSWERED = { kind: "answered", status: 200, bytes: Buffer.from("{}"), contentType: undefined };

function open(options: Partial<BoundedHttpClientOptions> & { url: string }): BoundedHttpClient {
  const client = new BoundedHttpClient({ connectTimeoutMs: 60_000, connectionsMax: 8, ...options });
  closers.push(() => client.close());
  return client;
}

async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** A port that was free a moment ago. */
async function refusingUrl(): Promise<string> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

/** A socket that fails as if its connection could not be made. */
function failing(socket: net.Socket, code: string): net.Socket {
  setImmediate(() => socket.destroy(Object.assign(new Error(`connect ${code}`), { code })));
  return socket;
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
}

function within(milliseconds: number): Date {
  return new Date(Date.now() + milliseconds);
}
