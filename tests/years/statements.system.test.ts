import { ALL_COMMANDS, findMissingEvents, readMovements } from "@holdfast/contracts";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { afterAll, beforeAll, expect, test } from "vitest";
import { retentionPolicy as ofPayments } from "../../services/payments/src/retention/retention-policy.ts";
import { retentionPolicy as ofRefunds } from "../../services/refunds/src/retention-policy.ts";
import { retentionPolicy as ofSettlement } from "../../services/settlement/src/retention-policy.ts";
import { retentionPolicy as ofWebhooks } from "../../services/webhook-dispatcher/src/retention-policy.ts";
import { eventually } from "../support/index.ts";
import { live } from "./live.ts";
import type { RanStatement } from "./logged-plans.ts";
import { openPages } from "./open-pages.ts";
import { operatorsAtWork } from "./operators-at-work.ts";
import { readEverything } from "./read-everything.ts";
import { writeReport } from "./statement-report.ts";
import { EXCUSED, excuseOf, NOT_SENT, readsTooMuch } from "./statement-rules.ts";
import { startYearsSystem, type YearsSystem } from "./years-system.ts";

/**
 * So many payments that no plan scans a table because it is small. With ten million the filling takes 24 GB.
 */
const PAYMENTS = Number(process.env["YEARS_PAYMENTS"] ?? 40_000);
const LARGE_FILL_MS = 4 * 3_600_000;

let system: YearsSystem;
let ran: RanStatement[];
const sent = new Set<string>();
beforeAll(async () => {
  system = await startYearsSystem({ payments: PAYMENTS });
  const messages = system.bus.nats.subscribe(">", {
    callback: (_error, { subject }) => void sent.add(subject),
  });
  const lived = await live(system);
  await readEverything(system, lived);
  await openPages(system, lived);
  await operatorsAtWork(system, lived);
  // Each periodic task has had its turn since, the rarest included, which run when their service starts.
  await eventually(() => {
    ran = system.ranStatements();
    for (const statement of PERIODIC)
      expect(
        ran.some(({ text }) => statement.test(text)),
        String(statement),
      ).toBe(true);
    for (const { subject } of [findMissingEvents, ...Object.values(readMovements)])
      expect(sent).toContain(subject);
  });
  messages.unsubscribe();
  writeReport(ran);
}, LARGE_FILL_MS);
afterAll(() => system.close());

const PERIODIC = [
  /from purge_outbox\(/,
  /purge_sessions\(/,
  /purge_checkouts\(/,
  /drop_partitions\(/,
  /purge_hours\(/,
  /^delete from "idempotency_key"/,
  /as unconfirmed, .* from outbox/,
  /^select event_id from outbox where event_id > /,
];

const outlined = (statements: RanStatement[]) =>
  statements.map(
    ({ role, text, read, pages, returned, outline }) =>
      `${role}: read ${read} rows and ${pages} pages for ${returned}\n${text.slice(0, 500)}\n${outline.slice(0, 1_500)}`,
  );

test("no statement of a service reads more than 50 rows or pages for each row that it returns or changes", () => {
  expect(new Set(ran.map(({ text }) => text)).size).toBeGreaterThan(250);
  const tooMuch = ran.filter((statement) => readsTooMuch(statement) && !excuseOf(statement));
  const worstOfEach = [...Map.groupBy(tooMuch, ({ text }) => text).values()].map(
    (same) => same.toSorted((a, b) => b.read + b.pages - a.read - a.pages)[0]!,
  );
  expect(outlined(worstOfEach).join("\n\n")).toBe("");
});

test("the console's own statements are among them", () => {
  expect(ran.some(({ role }) => role === "console_app")).toBe(true);
});

test("every excuse is about a statement that runs", () => {
  const unused = EXCUSED.filter(({ statement }) => !ran.some(({ text }) => statement.test(text)));
  expect(unused.map(({ statement }) => String(statement))).toEqual([]);
});

test("every command was sent, but those that are named with a reason", () => {
  // The commands of merchants' staff run the same statements as the operators' and merchants' commands.
  const own = ALL_COMMANDS.map(({ subject }) => subject).filter((subject) => !subject.includes(".staff-"));
  const unsent = own.filter((subject) => !sent.has(subject));
  expect(unsent.toSorted()).toEqual(Object.keys(NOT_SENT).toSorted());
});

test("a statement that reads a table whole is found", async () => {
  await withClient(system.database.urls.payments.app, (client) =>
    client.query("select count(*) from payment where card_holder_name = 'planted'"),
  );
  // The server may still be writing its plan.
  const planted = await eventually(() => {
    const found = system.ranStatements().filter(({ text }) => text.includes("'planted'"));
    return found.length > 0 && found;
  });
  expect(planted).toEqual([expect.objectContaining({ role: "payments_app" })]);
  expect(planted.every((statement) => readsTooMuch(statement) && !excuseOf(statement))).toBe(true);
});

test("every table that grows with payments was full", async () => {
  const schemas = {
    payments: ofPayments,
    refunds: ofRefunds,
    settlement: ofSettlement,
    webhooks: ofWebhooks,
  };
  const growing = Object.entries(schemas).flatMap(([schema, lines]) =>
    lines.filter(({ kept }) => kept !== "in use").map(({ table }) => `${schema}.${table}`),
  );
  const few: string[] = [];
  for (const table of new Set(growing)) {
    const [row] = await system.query<{ count: number }>(
      `select count(*)::int as count from (select from ${table} limit 300) as a_few`,
    );
    if (row!.count < 300) few.push(table);
  }
  expect(few.toSorted()).toEqual([
    // A row for each line that could not be read.
    "settlement.line_fault",
    // Files that an operator is sending.
    "settlement.upload",
    "settlement.upload_part",
    "webhooks.attempt_default",
    "webhooks.endpoint_health",
    "webhooks.event_default",
    "webhooks.outcome_default",
  ]);
});
