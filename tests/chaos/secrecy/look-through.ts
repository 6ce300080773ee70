import { readFile } from "node:fs/promises";
import { connectBus } from "@holdfast/messaging";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { onTestFinished } from "vitest";
import { eventually, filesUnder, startOtlpReceiver } from "../../support/index.ts";
import type { ForeignBankName } from "../system/foreign-banks.ts";
import { startSystem, type System } from "../system/system.ts";
import { fastTimers } from "../system/timers.ts";
import { findCode, findNumbers, valuesOfLog } from "./find-card-data.ts";
import { CODE, payEverywhere } from "./pay-everywhere.ts";
import { readStoredValues, valuesIn } from "./stored-values.ts";

/**
 * Runs a system of that repository, pays in every way, and looks for the cards in all that it leaves.
 * @param banks at most one for each of the system's two merchants.
 */
export async function lookThrough(root: string, banks: readonly ForeignBankName[]) {
  const collector = await startOtlpReceiver();
  onTestFinished(() => collector.close());
  const system = await startSystem({
    root,
    timers: patientTimers,
    banks: banks.map((name) => ({ name })),
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_TRACES_SAMPLER: "always_on",
      OTEL_BSP_SCHEDULE_DELAY: "100",
    },
  });
  onTestFinished(() => system.stop());
  const bus = await captureBus(system);
  const { pans, answers } = await payEverywhere(system);
  await eventually(() => collector.spans.some(({ name }) => name.startsWith("acquirer ")));
  const messages = await bus.stop();
  await withClient(system.superuserUrl, (client) => client.query("checkpoint"));

  const stored = await readStoredValues(system.superuserUrl);
  const files = await filesUnder(system.dir);
  const leaks = [...findCode(stored, CODE)];
  for (const { column, value } of stored) leaks.push(...findNumbers(column, Buffer.from(value), pans));
  for (const file of files) {
    const content = await readIfThere(file);
    leaks.push(...findNumbers(file, content, pans));
    if (file.endsWith(".log")) leaks.push(...findCode(valuesOfLog(file, content.toString()), CODE));
  }
  for (const { subject, data } of messages)
    leaks.push(...findNumbers(subject, data, pans), ...findCode(valuesOfLog(subject, data.toString()), CODE));
  for (const [index, body] of collector.bodies.entries())
    leaks.push(...findNumbers(`export ${index}`, body, pans));
  leaks.push(...findCode(valuesIn("spans", collector.spans), CODE));
  for (const answer of answers)
    leaks.push(
      ...findNumbers("an answer", Buffer.from(answer), pans),
      ...findCode(valuesOfLog("an answer", answer), CODE),
    );
  return {
    leaks: [...new Set(leaks)],
    seen: {
      columns: new Set(stored.map(({ column }) => column)),
      files,
      spans: collector.spans.length,
      messages: messages.length,
      enrolled: answers.filter((answer) => answer.includes("redirectUrl")).length,
    },
  };
}

/** No bank here is slow. An answer that a busy machine is late with is waited for, to be looked through. */
const patientTimers = {
  ...fastTimers,
  ACQUIRER_TIMEOUT: "6s",
  HANDLER_TIMEOUT: "8s",
  REQUEST_TIMEOUT: "10s",
  LEASE_DURATION: "18s",
  REVERSE_UNSEEN_AFTER: "6s",
  THREE_DS_SESSION_DURATION: "20s",
};

async function captureBus({ nats }: System) {
  const bus = await connectBus({ url: `nats://127.0.0.1:${nats.port}`, name: "secrecy" });
  const messages: { subject: string; data: Buffer }[] = [];
  bus.nats.subscribe(">", {
    callback: (_error, { subject, data }) => void messages.push({ subject, data: Buffer.from(data) }),
  });
  await bus.nats.flush();
  return {
    async stop() {
      await bus.nats.drain();
      return messages;
    },
  };
}

/** PostgreSQL and nats-server go on working, and remove files that they no longer need. */
async function readIfThere(file: string): Promise<Buffer> {
  return await readFile(file).catch(() => Buffer.alloc(0));
}
