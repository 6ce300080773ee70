import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { connect } from "node:net";
import { once } from "node:events";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { BUS_USERS, busLoginsOf } from "@holdfast/contracts";
import { freePort, localCertificates, startNatsServer } from "@holdfast/sandbox/infrastructure";
import { issueClient } from "@holdfast/sandbox/infrastructure/issue-certificate";
import { expect, onTestFinished, test } from "vitest";
import { BusRefusedError, connectBus } from "./connect.ts";
import { deployedUsersConfig, passwordVariable } from "./nats-users-config.ts";

const deployed = join(import.meta.dirname, "..", "..", "..", "deploy", "nats");

test("deploy/nats/users.conf is what the contracts say; `npm run generate` writes it anew", () => {
  expect(deployedUsersConfig()).toBe(readFileSync(join(deployed, "users.conf"), "utf8"));
});

test("nats-server runs with the files as they are deployed: each login of each user signs in, over TLS, and nobody else", async () => {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-deployed-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const { caFile, ...certificate } = await localCertificates(join(dir, "tls"));
  const client = { certFile: join(dir, "client.pem"), keyFile: join(dir, "client-key.pem") };
  const issued = await issueClient(
    { certificate: readFileSync(caFile, "utf8"), key: readFileSync(join(dir, "tls", "ca-key.pem"), "utf8") },
    "service",
  );
  writeFileSync(client.certFile, issued.certificate);
  writeFileSync(client.keyFile, issued.key);
  const monitoringPort = await freePort();
  const { url, passwords } = await startAsDeployed(dir, join(deployed, "nats-server.conf"), {
    "/etc/nats/tls/tls.crt": certificate.certFile,
    "/etc/nats/tls/tls.key": certificate.keyFile,
    "/etc/nats/tls/ca.crt": caFile,
    ":8222": `:${monitoringPort}`,
  });

  const options = { url, name: "test", caFile, ...client };
  for (const [user, password] of passwords) {
    await (await connectBus({ ...options, user, password })).close(500);
  }
  await expect(connectBus(options)).rejects.toThrow(BusRefusedError);
  const observer = { ...options, user: "observer", password: "observer" };
  await expect(connectBus(observer)).rejects.toThrow(BusRefusedError);
  expect(await isOpen("127.0.0.1", monitoringPort)).toBe(true);
  for (const address of addressesOfThisMachine()) expect(await isOpen(address, monitoringPort)).toBe(false);
});

test("compose's nats-server takes each user over TLS, and lets nobody in without it", async () => {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-compose-bus-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const { caFile, certFile, keyFile } = await localCertificates(join(dir, "tls"));
  const config = join(deployed, "..", "compose", "nats-server.conf");
  const { url, passwords } = await startAsDeployed(dir, config, {
    "/etc/nats/tls/nats.pem": certFile,
    "/etc/nats/tls/nats-key.pem": keyFile,
  });
  for (const [user, password] of passwords) {
    await (await connectBus({ url, name: "test", caFile, user, password })).close(500);
    expect(await answersInTheClear(url, user, password)).toEqual({ greets: true, letsIn: false });
  }
  await expect(connectBus({ url, name: "test", caFile })).rejects.toThrow(BusRefusedError);
});

/**
 * nats-server with a configuration of deploy/, but for the paths and ports in `replaced`, and with passwords generated
 * here.
 */
async function startAsDeployed(dir: string, config: string, replaced: Record<string, string>) {
  mkdirSync(join(dir, "nats"));
  writeFileSync(join(dir, "nats", "users.conf"), readFileSync(join(deployed, "users.conf")));
  const configFile = join(dir, "nats", "nats-server.conf");
  let text = readFileSync(config, "utf8")
    // The test gives it on the command line.
    .replace('store_dir: "/data"', "");
  for (const [from, to] of Object.entries(replaced)) {
    // The closing quote belongs to the match, since one path may begin like another.
    expect(text).toContain(`${from}"`);
    text = text.replace(`${from}"`, `${to}"`);
  }
  writeFileSync(configFile, text);
  const passwords = new Map(
    BUS_USERS.flatMap(busLoginsOf).map((login) => [login, `p${crypto.randomUUID()}`]),
  );
  const server = await startNatsServer({
    storeDir: join(dir, "store"),
    logFile: join(dir, "log"),
    configFile,
    environment: Object.fromEntries(
      [...passwords].map(([login, password]) => [passwordVariable(login).slice(1), password]),
    ),
  });
  onTestFinished(() => server.stop());
  return { url: server.url, passwords };
}

/** Resolves to the answers to a right password without TLS, until the server closes the connection or accepts it. */
async function answersInTheClear(url: string, user: string, password: string) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  // A connection that is closed with our line unread is reset.
  socket.on("error", () => undefined);
  let heard = "";
  socket.setEncoding("latin1").on("data", (part: string) => {
    if (heard === "") socket.write(`CONNECT ${JSON.stringify({ user, pass: password })}\r\nPING\r\n`);
    heard += part;
    if (heard.includes("PONG")) socket.destroy();
  });
  await once(socket, "close");
  return { greets: /^INFO .*"tls_required":true/.test(heard), letsIn: heard.includes("PONG") };
}

function addressesOfThisMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, family }) => !internal && family === "IPv4").map(({ address }) => address),
  );
}

async function isOpen(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
