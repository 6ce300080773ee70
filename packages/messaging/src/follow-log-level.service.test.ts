import { randomUUID } from "node:crypto";
import { logLevelAsked, logLevelChanged, logLevelReported, type LoggingService } from "@holdfast/contracts";
import { createLogger } from "@holdfast/service-runtime";
import { eventually, startTestNats } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { connectBus } from "./connect.ts";
import { followLogLevel } from "./follow-log-level.ts";
import { onNotice, publishNotice } from "./notices.ts";

const HOUR_MS = 3_600_000;

/** An operator API, and replicas of services with the level that their setting has. */
async function setUp(...settings: [service: LoggingService, level: string][]) {
  const nats = await startTestNats();
  onTestFinished(() => nats.stop());
  const connect = async (name: string) => {
    const bus = await connectBus({ url: nats.url, name });
    onTestFinished(() => bus.close(1_000));
    return bus;
  };
  const operators = await connect("gateway-operator");
  const replicas = await Promise.all(
    settings.map(async ([service, level]) => {
      const lines: string[] = [];
      const log = createLogger(service, level, { write: (line) => void lines.push(line) });
      const bus = await connect(service);
      followLogLevel(bus, service, log);
      await bus.nats.flush();
      return { log, lines };
    }),
  );
  const change = (service: LoggingService, level: "debug" | "info" | null, endsInMs = HOUR_MS) =>
    publishNotice(operators, logLevelChanged, { service, level, endsInMs });
  return { operators, replicas, levels: () => replicas.map(({ log }) => log.level), change };
}

test("every replica of the service follows, and no other service", async () => {
  const { levels, change } = await setUp(["payments", "info"], ["payments", "info"], ["refunds", "info"]);
  change("payments", "debug");
  await eventually(() => expect(levels()).toEqual(["debug", "debug", "info"]));
});

test("it goes back by itself, and says both in the log", async () => {
  const { levels, change, replicas } = await setUp(["payments", "info"]);
  change("payments", "debug", 1_000);
  await eventually(() => expect(levels()).toEqual(["debug"]));
  await eventually(() => expect(levels()).toEqual(["info"]));
  const said = replicas[0]!.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(said.map(({ msg, logLevel }) => [msg, logLevel])).toEqual([
    ["log level changed", "debug"],
    ["log level changed", "info"],
  ]);
});

test("the next change replaces the first with its time, and null ends it", async () => {
  const { levels, change, replicas } = await setUp(["payments", "warn"], ["refunds", "info"]);
  change("payments", "debug", 500);
  change("payments", "info");
  // The end of this change shows that the first one's time is over: it came to the bus after it.
  change("refunds", "debug", 600);
  await eventually(() => expect(levels()).toEqual(["info", "debug"]));
  await eventually(() => expect(replicas[1]!.log.level).toBe("info"));
  expect(levels()).toEqual(["info", "info"]);
  change("payments", null, 1);
  await eventually(() => expect(levels()).toEqual(["warn", "info"]));
});

test("a replica never logs less than its setting says", async () => {
  const { levels, change, operators } = await setUp(["payments", "debug"], ["refunds", "warn"]);
  change("payments", "info");
  for (const level of ["error", "silent", "fatal"])
    operators.nats.publish(
      logLevelChanged.subject,
      JSON.stringify({ service: "refunds", level, endsInMs: HOUR_MS }),
    );
  change("refunds", "info");
  await eventually(() => expect(levels()).toEqual(["debug", "info"]));
});

test("no message makes a change last for more than an hour", async () => {
  const { levels, change, operators } = await setUp(["payments", "info"], ["refunds", "info"]);
  for (const endsInMs of [HOUR_MS + 1, 0, -1, 1.5, null])
    operators.nats.publish(
      logLevelChanged.subject,
      JSON.stringify({ service: "payments", level: "debug", endsInMs }),
    );
  change("refunds", "debug");
  await eventually(() => expect(levels()).toEqual(["info", "debug"]));
});

test("every replica answers what it logs, and for how long", async () => {
  const { operators, levels, change } = await setUp(["payments", "info"], ["settlement", "warn"]);
  const reports: unknown[] = [];
  onNotice(operators, logLevelReported, (report) => void reports.push(report));
  change("payments", "debug");
  await eventually(() => expect(levels()).toEqual(["debug", "warn"]));
  const questionId = randomUUID();
  publishNotice(operators, logLevelAsked, { questionId });
  await eventually(() => expect(reports).toHaveLength(2));
  const instance = expect.stringMatching(`^.+:${process.pid}$`);
  expect(reports).toEqual(
    expect.arrayContaining([
      { questionId, service: "payments", instance, level: "debug", endsInMs: expect.any(Number) },
      { questionId, service: "settlement", instance, level: "warn" },
    ]),
  );
});
