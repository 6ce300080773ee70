import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "../support/index.ts";
import { expect, test } from "vitest";
import { collectTelemetry, preAuthorization, runSandbox, type RunningSandbox } from "./running-sandbox.ts";

const QUEUE_MAX = 32;

test("a collector that hangs, answers 500 or is gone costs no payment, no memory and no orderly end", async () => {
  const collector = await collectTelemetry({
    OTEL_TRACES_SAMPLER: "always_on",
    OTEL_BSP_SCHEDULE_DELAY: "10",
    OTEL_BSP_MAX_QUEUE_SIZE: String(QUEUE_MAX),
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "8",
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
    // Far longer than the payments take: a wait for an export would show.
    OTEL_EXPORTER_OTLP_TIMEOUT: "60000",
  });
  collector.behave("hangs");
  const sandbox = await runSandbox();

  await payAll(sandbox);
  await eventually(async () => {
    const queue = await metric(sandbox, "payments", "otel_sdk_processor_span_queue_size");
    const dropped = await metric(sandbox, "payments", "otel_sdk_processor_span_processed_total{.*queue_full");
    expect(queue).toBeLessThanOrEqual(QUEUE_MAX);
    expect(dropped).toBeGreaterThan(0);
  });
  expect(collector.requests()).toBeGreaterThan(0);

  collector.behave("fails");
  await payAll(sandbox);
  await collector.close();
  await payAll(sandbox);

  const logs = sandbox.file.logs;
  await sandbox.stop();
  for (const service of Object.keys(sandbox.file.healthUrls)) {
    const log = await readFile(join(logs, `${service}.log`), "utf8");
    expect(log, service).toContain('"msg":"stopped"');
    expect(log).not.toContain('"level":"fatal"');
  }
});

async function payAll(sandbox: RunningSandbox): Promise<void> {
  const merchant = sandbox.merchant();
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => merchant("POST", "/api/pre-authorization", preAuthorization())),
  );
  for (const answer of answers) expect(answer).toMatchObject({ status: 201, body: { status: "SUCCESS" } });
}

/** Value of the first line that begins so. */
async function metric({ file }: RunningSandbox, service: string, start: string): Promise<number> {
  const text = await (await fetch(`${file.healthUrls[service]}/metrics`)).text();
  const line = new RegExp(`^${start}.* ([\\d.]+)$`, "m").exec(text);
  return Number(line?.[1] ?? Number.NaN);
}
