import { X509Certificate } from "node:crypto";
import { mkdtemp, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  findNatsServer,
  spawnLogged,
  startNatsServer,
  withParentDeathSignal,
} from "@holdfast/sandbox/infrastructure";
import {
  issueAuthority,
  issueForLocalhost,
  type CertificatePair,
} from "@holdfast/sandbox/infrastructure/issue-certificate";
import { readPeerCertificate } from "@holdfast/service-runtime";
import { expect, onTestFinished, test } from "vitest";
import { connectBus } from "./connect.ts";

const script = join(import.meta.dirname, "../../../deploy/nats/reload-certificates.sh");

test("nats-server serves a renewed certificate without a restart, and who is connected notices nothing", async () => {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-reload-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const authority = await issueAuthority();
  const [first, renewed] = [await issueForLocalhost(authority), await issueForLocalhost(authority)];
  await writeFile(join(dir, "ca.crt"), authority.certificate);
  await mount(dir, "v1", first);
  const files = ["tls.crt", "tls.key"].map((name) => join(dir, "..data", name));
  const pidFile = join(dir, "nats.pid");
  const configFile = join(dir, "nats.conf");
  await writeFile(
    configFile,
    `pid_file: "${pidFile}"\ntls { cert_file: "${files[0]}", key_file: "${files[1]}" }\n`,
  );
  const server = await startNatsServer({
    storeDir: join(dir, "store"),
    logFile: join(dir, "nats.log"),
    configFile,
  });
  onTestFinished(() => server.stop());
  const reloader = await spawnLogged({
    name: "certificate-reloader",
    command: withParentDeathSignal("KILL", ["sh", script, pidFile, "0.1", ...files]),
    // The script finds nats-server on the PATH, as in its container.
    env: { PATH: `${dirname(await findNatsServer())}:${process.env["PATH"]}` },
    logFile: join(dir, "reloader.log"),
  });
  onTestFinished(async () => void (await reloader.stop({ signals: ["SIGKILL"] })));
  const bus = await connectBus({ url: server.url, name: "test", caFile: join(dir, "ca.crt") });
  onTestFinished(() => bus.close(1_000));
  let disconnections = 0;
  bus.onDisconnection(() => disconnections++);

  const served = async () =>
    (await readPeerCertificate({ host: "127.0.0.1", port: server.port, preamble: "nats" })).serialNumber;
  expect(await served()).toBe(serialOf(first));
  await mount(dir, "v2", renewed);
  await expect.poll(served, { timeout: 20_000 }).toBe(serialOf(renewed));
  await bus.nats.flush();
  expect([disconnections, reloader.isRunning()]).toEqual([0, true]);
});

/** Replaces a link to a directory, as Kubernetes does. */
async function mount(dir: string, version: string, { certificate, key }: CertificatePair): Promise<void> {
  await mkdir(join(dir, version));
  await writeFile(join(dir, version, "tls.crt"), certificate);
  await writeFile(join(dir, version, "tls.key"), key);
  await symlink(version, join(dir, "..data_tmp"));
  await rename(join(dir, "..data_tmp"), join(dir, "..data"));
}

function serialOf({ certificate }: CertificatePair): string {
  return new X509Certificate(certificate).serialNumber;
}
