import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { connect } from "node:net";
import { once } from "node:events";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { BUS_USERS } from "@holdfast/contracts";
import { freePort, localCertificates, startNatsServer } from "@holdfast/local-infrastructure";
import { issueClient } from "@holdfast/local-infrastructure/issue-certificate";
import { expect, onTestFinished, test } from "vitest";
import { BusRefusedError, connectBus } from "./connect.ts";
import { deployedUsersConfig, passwordVariable } from "./nats-users-config.ts";

const deployed = join(import.meta.dirname, "..", "..", "..", "deploy", "nats");

test("deploy/nats/users.conf is what the contracts say; `npm run generate` writes it anew", () => {
  expect(deployedUsersConfig()).toBe(readFileSync(join(deployed, "users.conf"), "utf8"));
});

test("nats-server runs with the files as they are deployed: each user signs in, over TLS, and nobody else", async () => {
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
  mkdirSync(join(dir, "nats"));
  writeFileSync(join(dir, "nats", "users.conf"), readFileSync(join(deployed, "users.conf")));
  const configFile = join(dir, "nats", "nats-server.conf");
  writeFileSync(
    configFile,
    readFileSync(join(deployed, "nats-server.conf"), "utf8")
      .replace("/etc/nats/tls/tls.crt", certificate.certFile)
      .replace("/etc/nats/tls/tls.key", certificate.keyFile)
      .replace("/etc/nats/tls/ca.crt", caFile)
      // Given on the command line here.
      .replace('store_dir: "/data"', "")
      .replace(":8222", `:${monitoringPort}`),
  );
  const passwords = new Map(BUS_USERS.map((user) => [user, `p${crypto.randomUUID()}`]));
  const server = await startNatsServer({
    storeDir: join(dir, "store"),
    logFile: join(dir, "log"),
    configFile,
    environment: Object.fromEntries(
      [...passwords].map(([user, password]) => [passwordVariable(user).slice(1), password]),
    ),
  });
  onTestFinished(() => server.stop());

  const options = { url: server.url, name: "test", caFile, ...client };
  for (const [user, password] of passwords) {
    await (await connectBus({ ...options, user, password })).close(500);
  }
  await expect(connectBus(options)).rejects.toThrow(BusRefusedError);
  const observer = { ...options, user: "observer", password: "observer" };
  await expect(connectBus(observer)).rejects.toThrow(BusRefusedError);
  expect(await isOpen("127.0.0.1", monitoringPort)).toBe(true);
  for (const address of addressesOfThisMachine()) expect(await isOpen(address, monitoringPort)).toBe(false);
});

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
