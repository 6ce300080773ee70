import { inSpan, SpanKind } from "@holdfast/telemetry";
import { recordSpans, type SpanRecording } from "@holdfast/telemetry/testing";
import { createTestDatabase, type TestDatabase } from "@holdfast/tests/support";
import type { Pool } from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createLogger } from "@holdfast/service-runtime";
import { createNaturalBatcher } from "@holdfast/service-runtime";
import { summarize } from "./observed-pool.ts";
import { createPool } from "./postgres.ts";

let database: TestDatabase;
let pool: Pool;
let recording: SpanRecording;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({
    url: database.urls.payments.app,
    connectionsMax: 1,
    applicationName: "test",
    log: createLogger("test", "error"),
  });
  recording = recordSpans();
});
afterEach(() => recording.forget());
afterAll(async () => {
  recording.stop();
  await pool.end();
  await database.drop();
});

const unit = <Result>(name: string, work: () => Promise<Result>) =>
  inSpan(name, { kind: SpanKind.SERVER }, work);
const named = (name: string, text = "select $1::text as value") => ({
  name,
  text,
  values: ["4111111111111111"],
});
const statements = () => recording.spans().filter(({ kind }) => kind === SpanKind.CLIENT);
const unitOf = (name: string) =>
  recording
    .spans()
    .find((span) => span.name === name)!
    .spanContext();

test("a statement of a unit of work is a span of it, named without its text and values", async () => {
  await unit("request", async () => {
    await pool.query(named("find-value"));
    await pool.query("select * from payment where order_id = $1", ["4111111111111111"]);
    await pool.query({ text: "select * from outbox where status = $1", values: ["4111111111111111"] });
  });
  const [first, second, third] = statements();
  expect(first).toMatchObject({ name: "find-value", parentSpanContext: unitOf("request") });
  expect(first!.attributes).toEqual({
    "db.system.name": "postgresql",
    "db.namespace": expect.any(String),
    "db.query.summary": "find-value",
  });
  expect(second).toMatchObject({ name: "SELECT payment", parentSpanContext: unitOf("request") });
  expect(third).toMatchObject({ name: "SELECT outbox", parentSpanContext: unitOf("request") });
});

test("a statement outside of a unit of work is no span", async () => {
  await pool.query(named("poll"));
  expect(recording.spans()).toEqual([]);
});

test("who waits for a connection goes on in its own trace, not in that of who gave it back", async () => {
  await Promise.all(["one", "two", "three"].map((name) => unit(name, () => pool.query(named(`of-${name}`)))));
  for (const name of ["one", "two", "three"]) {
    const statement = statements().find((span) => span.name === `of-${name}`)!;
    expect(statement.parentSpanContext).toEqual(unitOf(name));
  }
});

test("a statement for several units is a span in each of their traces, linked to the first's", async () => {
  const batcher = createNaturalBatcher<string, string>({
    name: "test",
    sizeMax: 10,
    flushesMax: 1,
    isolates: () => false,
    flush: async (items) => {
      await pool.query(named("write-batch"));
      return items;
    },
  });
  const names = ["one", "two", "three"];
  await Promise.all([...names.map((name) => unit(name, () => batcher.add(name))), batcher.add("untraced")]);

  const [first, ...copies] = statements();
  expect([first, ...copies].map((span) => span!.parentSpanContext)).toEqual(names.map(unitOf));
  expect([first, ...copies].map((span) => span!.attributes["db.operation.batch.size"])).toEqual([3, 3, 3]);
  expect(first!.links.map((link) => link.context)).toEqual(copies.map((span) => span.spanContext()));
  for (const copy of copies) expect(copy.links.map((link) => link.context)).toEqual([first!.spanContext()]);
});

test("a unit's span says how long it waited for the flush before its own", async () => {
  const release = Promise.withResolvers<void>();
  const batcher = createNaturalBatcher<string, string>({
    name: "test",
    sizeMax: 1,
    flushesMax: 1,
    isolates: () => false,
    flush: async (items) => {
      if (items[0] === "one") await release.promise;
      return items;
    },
  });
  const one = unit("one", () => batcher.add("one"));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  const two = unit("two", () => batcher.add("two"));
  const addedAt = performance.now();
  while (performance.now() - addedAt < 30) await new Promise(setImmediate);
  release.resolve();
  await Promise.all([one, two]);
  const waits = ["one", "two"].map(
    (name) => recording.spans().find((span) => span.name === name)!.attributes["holdfast.batch.wait"],
  );
  expect(waits[0]).toEqual(expect.any(Number));
  expect(waits[1]).toBeGreaterThanOrEqual(0.03);
});

test("what comes later to a busy batcher is not in the trace of who made it busy", async () => {
  const release = Promise.withResolvers<void>();
  const batcher = createNaturalBatcher<string, string>({
    name: "test",
    sizeMax: 10,
    flushesMax: 1,
    isolates: () => false,
    flush: async (items) => {
      if (items[0] === "one") await release.promise;
      await pool.query(named(`write-${items[0]}`));
      return items;
    },
  });
  const one = unit("one", () => batcher.add("one"));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  const two = unit("two", () => batcher.add("two"));
  release.resolve();
  await Promise.all([one, two]);
  expect(statements().map(({ name, parentSpanContext }) => [name, parentSpanContext])).toEqual([
    ["write-one", unitOf("one")],
    ["write-two", unitOf("two")],
  ]);
});

test("a statement that fails says its SQLSTATE and nothing of the row", async () => {
  await expect(unit("request", () => pool.query(named("fails", "select $1::text::uuid")))).rejects.toThrow(
    "invalid input syntax",
  );
  const [statement] = statements();
  expect(statement!.attributes["error.type"]).toBe("22P02");
  for (const { attributes, status, events } of recording.spans()) {
    expect(JSON.stringify([attributes, status, events])).not.toContain("41111111");
  }
});

test.each([
  ['select "a" from "payment" where "b" = $1', "SELECT payment"],
  ["\n  update payment set a = $1 from other", "UPDATE payment"],
  ["insert into outbox (a) values ($1)", "INSERT outbox"],
  ["with due as (select 1 from payment) update outbox set a = 1", "WITH payment"],
  ["commit", "COMMIT"],
  ["select 1", "SELECT"],
])("%s is called %s", (text, summary) => {
  expect(summarize(text)).toBe(summary);
});
