import { randomUUID } from "node:crypto";
import {
  GATEWAY_LISTENERS,
  logLevelChanged,
  LOGGING_SERVICES,
  type ServiceLogLevel,
} from "@holdfast/contracts";
import { createDatabase } from "@holdfast/postgres";
import { createLogger, type Logger } from "@holdfast/service-runtime";
import { captureLog, eventually, startTestSystem, type TestSystem } from "@holdfast/tests/support";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { http } from "../../test/http-client.ts";
import type { GatewayDatabase } from "../database.ts";
import type { ApiGateway } from "../service.ts";
import { applyLogLevel } from "./log-levels.ts";

const PATH = "/operator/log-level";

/** Every service that is on the bus, each as its own user, with a log at `info`; of payments there are two replicas. */
let system: TestSystem;
let gateway: ApiGateway;
const logs: { service: string; log: Logger }[] = [];
beforeAll(async () => {
  system = await startTestSystem({
    services: LOGGING_SERVICES,
    running: LOGGING_SERVICES.filter((service) => service !== "gateway-operator"),
    withBusUsers: true,
    log: (service) => {
      const log = createLogger(service, "info", { write: () => {} });
      logs.push({ service, log });
      return log;
    },
  });
  gateway = await system.start("gateway-operator");
  await system.start("payments");
});
afterAll(() => system.close());

async function ask(method: string, body?: unknown, { sub = "olga", path = PATH } = {}) {
  const authorization = `Bearer ${await system.identity.token({ claims: { sub } })}`;
  const headers = { authorization, ...(body !== undefined && { "content-type": "application/json" }) };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return await http(gateway.port, { method, path, headers, ...(body !== undefined && { body: text }) });
}

const levelsOf = (service: string) =>
  logs.filter((each) => each.service === service).map(({ log }) => log.level);

test("a change reaches every replica of the service alone, is in force for its time, and is audited", async () => {
  const put = await ask("PUT", { service: "payments", level: "debug", seconds: 600 });
  expect(put.status).toBe(200);
  expect(put.body).toMatchObject({
    service: "payments",
    change: { level: "debug", until: expect.any(String), changedBy: "olga", changedAt: expect.any(String) },
  });
  const change = (put.body as ServiceLogLevel).change!;
  expect(Date.parse(change.until) - Date.parse(change.changedAt)).toBe(600_000);
  await eventually(() => expect(levelsOf("payments")).toEqual(["debug", "debug"]));
  expect(logs.filter(({ log }) => log.level !== "info").map(({ service }) => service)).toEqual([
    "payments",
    "payments",
  ]);
  const audited = await ask("GET", undefined, {
    path: "/operator/audit-log?service=api-gateway&subject=payments",
  });
  expect((audited.body["items"] as unknown[])[0]).toMatchObject({
    actor: "olga",
    action: "log_level.changed",
    detail: { requestId: expect.any(String), level: "debug", seconds: 600 },
  });
});

test("the list shows every service, what is in force, and each replica that answers", async () => {
  await ask("PUT", { service: "refunds", level: "debug" });
  await eventually(async () => {
    const { status, body } = await ask("GET");
    expect(status).toBe(200);
    const items = body["items"] as ServiceLogLevel[];
    expect(items.map(({ service }) => service)).toEqual([...LOGGING_SERVICES]);
    const counts = items.map(({ service, replicas }) => [service, replicas.length]);
    expect(Object.fromEntries(counts)).toEqual({
      ...Object.fromEntries(LOGGING_SERVICES.map((service) => [service, 1])),
      payments: 2,
    });
    const refunds = items.find(({ service }) => service === "refunds")!;
    expect(refunds.change).toMatchObject({ level: "debug", changedBy: "olga" });
    expect(refunds.replicas).toEqual([
      { instance: expect.any(String), level: "debug", until: expect.any(String) },
    ]);
    const pages = items.find(({ service }) => service === "gateway-public")!;
    expect(pages).toEqual({
      service: "gateway-public",
      replicas: [{ instance: expect.any(String), level: "info" }],
    });
  });
});

test("a replica that starts while a change is in force follows it, and so does one whose operator API died", async () => {
  await ask("PUT", { service: "settlement", level: "debug" });
  const another = await system.start("settlement");
  // An operator API publishes the present levels at its start.
  const otherListener = await system.start("gateway-operator");
  await eventually(() => expect(levelsOf("settlement")).toEqual(["debug", "debug"]));
  await Promise.all([another.stop(), otherListener.stop()]);
});

test("null ends a change before its time, on every replica", async () => {
  for (const listener of GATEWAY_LISTENERS) {
    await ask("PUT", { service: listener, level: "debug" });
    await eventually(() => expect(levelsOf(listener)).toContain("debug"));
    const ended = await ask("PUT", { service: listener, level: null });
    expect(ended.status).toBe(200);
    expect(ended.body).not.toHaveProperty("change");
    await eventually(() => expect(new Set(levelsOf(listener))).toEqual(new Set(["info"])));
  }
});

test("null ends a change also where another replica of the operator API publishes it once more", async () => {
  await ask("PUT", { service: "refunds", level: "debug" });
  const notices: (string | null)[] = [];
  const stale = JSON.stringify({ service: "refunds", level: "debug", endsInMs: 600_000 });
  const subscription = system.bus.nats.subscribe(logLevelChanged.subject, {
    callback: (_, message) => {
      const { service, level } = message.json<{ service: string; level: string | null }>();
      if (service !== "refunds" || (level !== null && !notices.includes(null))) return;
      if (!notices.includes(null)) system.bus.nats.publish(logLevelChanged.subject, stale);
      notices.push(level);
    },
  });
  await system.bus.nats.flush();
  await ask("PUT", { service: "refunds", level: null });
  await eventually(() => expect(notices).toEqual([null, "debug", null]));
  await eventually(() => expect(levelsOf("refunds")).toEqual(["info"]));
  subscription.unsubscribe();
});

test("one whose time is over is not in the list", async () => {
  await ask("PUT", { service: "webhook-dispatcher", level: "debug", seconds: 1 });
  await eventually(async () => {
    const items = (await ask("GET")).body["items"] as ServiceLogLevel[];
    const found = items.find(({ service }) => service === "webhook-dispatcher");
    expect(found).toMatchObject({ replicas: [{ level: "info" }] });
    expect(found).not.toHaveProperty("change");
  });
});

test.each([
  ["for more than an hour", { service: "refunds", level: "debug", seconds: 3_601 }, "seconds"],
  ["for no time", { service: "refunds", level: "debug", seconds: 0 }, "seconds"],
  ["for a time that is no whole number", '{"service":"refunds","level":"debug","seconds":1.5}', "seconds"],
  ["that silences", { service: "refunds", level: "error" }, "level"],
  ["to what is no level", { service: "refunds", level: "loud" }, "level"],
  ["to nothing", { service: "refunds" }, "level"],
  ["of the console, which is not on the bus", { service: "console", level: "debug" }, "service"],
  ["of all services at once", { level: "debug" }, "service"],
])("a change %s is refused and changes nothing", async (_case, body, field) => {
  const before = await system.query("select * from gateway.log_level order by service");
  const answer = await ask("PUT", body);
  expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed", errors: [{ field }] } });
  expect(answer.body["errors"]).toHaveLength(1);
  expect(await system.query("select * from gateway.log_level order by service")).toEqual(before);
});

test("a repetition under its Idempotency-Key gets the first answer and is one line of the audit log", async () => {
  const authorization = `Bearer ${await system.identity.token({ claims: { sub: "kim" } })}`;
  const headers = { authorization, "content-type": "application/json", "idempotency-key": "level-1" };
  const body = JSON.stringify({ service: "gateway-merchant", level: "debug" });
  const [first, again] = [
    await http(gateway.port, { method: "PUT", path: PATH, headers, body }),
    await http(gateway.port, { method: "PUT", path: PATH, headers, body }),
  ];
  expect(again.body).toEqual(first.body);
  const entries = await system.query(
    "select 1 from gateway.audit_entry where actor = 'kim' and action = 'log_level.changed'",
  );
  expect(entries).toHaveLength(1);
});

test("a change that is committed is answered and published, also where the database is gone right after", async () => {
  const pool = new Pool({ connectionString: system.database.urls.gateway.operator });
  onTestFinished(() => pool.end());
  const published: (string | null)[] = [];
  const { log, lines } = captureLog("api-gateway");
  const replicas = {
    publish: ({ level }: { level: string | null }) => void published.push(level),
    async ask() {
      await system.query("revoke select on gateway.log_level from gateway_operator");
      return [];
    },
  };
  onTestFinished(async () => {
    await system.query("grant select on gateway.log_level to gateway_operator");
  });
  const wanted = { service: "refunds", level: "debug", seconds: 60 } as const;
  const deps = { db: createDatabase<GatewayDatabase>(pool), replicas, log };
  const answer = await applyLogLevel(deps, wanted, {
    subject: "olga",
    person: "olga",
    requestId: randomUUID(),
  });
  expect(answer.change).toMatchObject({ level: "debug", changedBy: "olga" });
  expect(published).toEqual(["debug", "debug"]);
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: "what is in force could not be read again", level: "warn" }),
  );
});
