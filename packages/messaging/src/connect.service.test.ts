import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { connect as connectTo, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localCertificates } from "@holdfast/sandbox/infrastructure";
import { issueClient } from "@holdfast/sandbox/infrastructure/issue-certificate";
import { eventually, startTestNats } from "@holdfast/tests/support";
import { connect as natsConnect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { busOptions, BusRefusedError, connectBus, type BusSettings } from "./connect.ts";

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-connect-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

async function natsWith(config: string) {
  const configFile = join(dir, `${crypto.randomUUID()}.conf`);
  const write = (text: string) => writeFileSync(configFile, text);
  write(config);
  const nats = await startTestNats({ configFile });
  onTestFinished(() => nats.stop());
  return { ...nats, write };
}

async function connect(settings: BusSettings) {
  const bus = await connectBus({ ...busOptions(settings), name: "test" });
  onTestFinished(() => bus.close(500));
  return bus;
}

const users = (password: string) => `authorization { users: [{ user: "ada", password: "${password}" }] }`;

describe("signing in", () => {
  test("too slowly is no refusal: it is tried again", async () => {
    const nats = await natsWith(users("secret"));
    const there = new URL(nats.url);
    let refused = 0;
    // A stand-in for a nats-server that twice waits too long for the client's credentials.
    const late = createServer((socket) => {
      socket.on("error", () => {});
      if (refused < 2) {
        refused++;
        socket.end(
          `INFO {"version":"2.12.0","auth_required":true,"max_payload":1}\r\n-ERR 'Authentication Timeout'\r\n`,
        );
        return;
      }
      const server = connectTo(Number(there.port), there.hostname).on("error", () => socket.destroy());
      socket.pipe(server).pipe(socket);
    });
    onTestFinished(() => void late.close());
    await once(late.listen(0, "127.0.0.1"), "listening");
    const { port } = late.address() as AddressInfo;
    const settings = { NATS_URL: `nats://127.0.0.1:${port}`, NATS_USER: "ada", NATS_PASSWORD: "secret" };
    await expect(connect(settings)).resolves.toMatchObject({ connected: true });
    expect(refused).toBe(2);
  });

  test("with user and password, by name or in the URL; answers come to an inbox of the user's own", async () => {
    const nats = await natsWith(users("p/ss"));
    const byName = await connect({ NATS_URL: nats.url, NATS_USER: "ada", NATS_PASSWORD: "p/ss" });
    await connect({ NATS_URL: nats.url.replace("//", "//ada:p%2Fss@") });
    let reply: string | undefined;
    byName.nats.subscribe("ask", {
      callback: (_error, message) => {
        ({ reply } = message);
        message.respond();
      },
    });
    await byName.nats.request("ask");
    expect(reply).toMatch(/^_INBOX_ada\./);
  });

  test("with a wrong password ends with an error, and not in endless tries", async () => {
    const nats = await natsWith(users("right"));
    const settings = { NATS_URL: nats.url, NATS_USER: "ada", NATS_PASSWORD: "wrong" };
    await expect(connect(settings)).rejects.toThrow(BusRefusedError);
  });

  test("goes on through a time in which the server has another password", async () => {
    const nats = await natsWith(users("right"));
    const bus = await connect({ NATS_URL: nats.url, NATS_USER: "ada", NATS_PASSWORD: "right" });
    const refused = Promise.withResolvers<void>();
    let refusals = 0;
    void (async () => {
      for await (const { type } of bus.nats.status()) {
        // By default the client gives up at the second refusal.
        if (type === "error" && ++refusals === 3) refused.resolve();
      }
    })();
    await nats.kill();
    nats.write(users("other"));
    await nats.restart();
    await refused.promise;
    await nats.kill();
    nats.write(users("right"));
    await nats.restart();
    await eventually(() => expect(bus.connected).toBe(true));
  });
});

test("who listens for the connection to break is told once, at once while it is broken, and not after all", async () => {
  const nats = await natsWith("");
  const bus = await connect({ NATS_URL: nats.url });
  const heard: string[] = [];
  bus.onDisconnection(() => heard.push("stayed"));
  bus.onDisconnection(() => heard.push("went away"))();
  await nats.kill();
  await eventually(() => expect(bus.connected).toBe(false));
  expect(heard).toEqual(["stayed"]);
  bus.onDisconnection(() => heard.push("late"));
  expect(heard).toEqual(["stayed", "late"]);
  await nats.restart();
  await bus.connection();
  await nats.kill();
  await eventually(() => expect(bus.connected).toBe(false));
  expect(heard).toEqual(["stayed", "late"]);
});

describe("TLS", () => {
  const tls = ({ certFile, keyFile, caFile }: Record<string, string>, more = "") =>
    `tls { cert_file: "${certFile}", key_file: "${keyFile}", ca_file: "${caFile}" ${more} }`;

  test("a server whose authority is trusted is connected to, encrypted; any other one is refused", async () => {
    const ours = await localCertificates(join(dir, "ours"));
    const theirs = await localCertificates(join(dir, "theirs"));
    const { url } = await natsWith(tls(ours));
    const bus = await connect({ NATS_URL: url, NATS_CA_FILE: ours.caFile });
    expect(bus.nats.info?.tls_required).toBe(true);
    await expect(connect({ NATS_URL: url, NATS_CA_FILE: theirs.caFile })).rejects.toThrow(BusRefusedError);
    // Without a setting the system's authorities are trusted.
    await expect(connect({ NATS_URL: url })).rejects.toThrow(BusRefusedError);
  });

  test("a server without it is refused where it is asked for", async () => {
    const { caFile } = await localCertificates(join(dir, "ours"));
    const { url } = await natsWith("");
    await expect(connect({ NATS_URL: url, NATS_CA_FILE: caFile })).rejects.toThrow(BusRefusedError);
    await expect(connect({ NATS_URL: url.replace("nats:", "tls:") })).rejects.toThrow(BusRefusedError);
  });

  test("a server that verifies its clients takes one with a certificate, and no other", async () => {
    const ours = await localCertificates(join(dir, "ours"));
    const [certFile, keyFile] = [join(dir, "client.pem"), join(dir, "client-key.pem")];
    const client = await issueClient(await localAuthority(join(dir, "ours")), "payments");
    writeFileSync(certFile, client.certificate);
    writeFileSync(keyFile, client.key);
    const { url } = await natsWith(tls(ours, ", verify: true"));
    const settings = { NATS_URL: url, NATS_CA_FILE: ours.caFile };
    await connect({ ...settings, NATS_CERT_FILE: certFile, NATS_KEY_FILE: keyFile });
    // With TLS 1.3 the client's handshake succeeds; it then waits in vain for the server's first line.
    const without = natsConnect({ servers: url, tls: { caFile: ours.caFile }, timeout: 1_000 });
    await expect(without).rejects.toThrow();
  });

  test("a file that is not there is named", async () => {
    const settings = { NATS_URL: "nats://127.0.0.1:1", NATS_CA_FILE: join(dir, "none.pem") };
    await expect(connect(settings)).rejects.toThrow(/none\.pem/);
  });
});

async function localAuthority(directory: string) {
  return {
    certificate: await readFile(join(directory, "ca.pem"), "utf8"),
    key: await readFile(join(directory, "ca-key.pem"), "utf8"),
  };
}

test("what was to leave at the end of the turn leaves before the connection is closed", async () => {
  const nats = await startTestNats();
  onTestFinished(() => nats.stop());
  const bus = await connectBus({ url: nats.url, name: "sender" });
  const sent = bus.byTurn(() => bus.nats.publish("anything"));
  await bus.close(60_000);
  await expect(sent).resolves.toBeUndefined();
});
