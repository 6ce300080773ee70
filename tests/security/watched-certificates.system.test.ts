// A renewed Secret says nothing about a process that has not read it. The alert on the end of a certificate is as good
// as each process' own measure, which its wiring decides.
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { installEventStream } from "@holdfast/installation";
import { connectBus } from "@holdfast/messaging";
import { freePort } from "@holdfast/sandbox/infrastructure";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { eventually, makeTestCertificates, startTestNats, startTestSystem } from "../support/index.ts";

let certificates: Awaited<ReturnType<typeof makeTestCertificates>>;
beforeAll(async () => void (certificates = await makeTestCertificates()));

/** A bus over TLS with the event stream that services look for. */
async function startEncryptedBus(): Promise<{ NATS_URL: string; NATS_CA_FILE: string }> {
  const { caFile, certFile, keyFile } = certificates;
  const configFile = join(dirname(caFile), "nats-server.conf");
  await writeFile(configFile, `tls { cert_file: "${certFile}", key_file: "${keyFile}" }\n`);
  const nats = await startTestNats({ configFile });
  onTestFinished(() => nats.stop());
  const bus = await connectBus({ url: nats.url, name: "test", caFile });
  await installEventStream(bus, { replicas: 1, bytesMax: 10_000_000, ackWaitMs: 30_000 });
  await bus.close(1_000);
  return { NATS_URL: nats.url, NATS_CA_FILE: caFile };
}

test("every process measures when the bus' certificate ends, and a listener its own, too", async () => {
  const watched = {
    payments: ["nats"],
    refunds: ["nats"],
    "webhook-dispatcher": ["nats"],
    settlement: ["nats"],
    "gateway-operator": ["nats", "operator"],
  } as const;
  const services = Object.keys(watched) as (keyof typeof watched)[];
  const system = await startTestSystem({ services, running: [] });
  onTestFinished(() => system.close());
  const encrypted = await startEncryptedBus();
  const { certFile, keyFile } = certificates;
  for (const service of services) {
    const port = await freePort();
    await system.spawn(service, {
      ...encrypted,
      ...(service === "gateway-operator" && { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }),
      HEALTH_PORT: `${port}`,
    });
    await eventually(async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const lines = text.matchAll(/^holdfast_tls_certificate_expires_in_seconds\w*\{(.*)\} (\S+)$/gm);
      const measured = [...lines].map(([, labels = "", seconds]) => {
        expect(Number(seconds)).toBeGreaterThan(0);
        return /\bserver="(\w+)"/.exec(labels)?.[1];
      });
      expect(measured.toSorted(), service).toEqual(watched[service]);
    });
  }
});
