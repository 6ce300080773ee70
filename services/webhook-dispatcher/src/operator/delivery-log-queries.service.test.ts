import { randomUUID } from "node:crypto";
import { Kysely, PostgresDialect, type CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { startDeliveryTables } from "../../test/delivery-tables.ts";
import type { WebhooksDatabase } from "../database.ts";
import { findEvents } from "./delivery-log-queries.ts";

/** Events of one payment now and on days from now, each delivered at the first attempt. */
async function insertDelivered({ superuser }: Tables, paymentId: string, daysFromNow: readonly number[]) {
  await superuser.query(
    `with made as (
       insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
       select uuid_extract_timestamp(id), id, 'payments', 'payment.status_changed', $2, $1, 'SUCCESS', '{}'
       from unnest($3::int[]) as day, uuidv7(make_interval(days => day)) as id
       returning *
     ), ended as (
       insert into webhooks.outcome (endpoint_id, occurred_at, event_id, outcome)
       select merchant_id, occurred_at, event_id, 'delivered' from made
     )
     insert into webhooks.attempt (attempt_id, sent_at, event_id, endpoint_id, trigger, planned_at, request_time, succeeded, duration_ms,
       body_hash, secret_version)
     select gen_random_uuid(), occurred_at, event_id, merchant_id, 'schedule', occurred_at, 0, true, 1, '', 1 from made`,
    [paymentId, randomUUID(), daysFromNow],
  );
}

type Tables = Awaited<ReturnType<typeof startDeliveryTables>>;

async function planOf({ pool }: Tables, { sql, parameters }: CompiledQuery): Promise<string> {
  const { rows } = await pool.query<{ "QUERY PLAN": string }>(`explain ${sql}`, [...parameters]);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

/** The days whose partitions a plan has, by table. */
async function daysIn(tables: Tables, query: CompiledQuery) {
  const plan = await planOf(tables, query);
  const days = (table: string) =>
    [...new Set(plan.match(new RegExp(`\\bon ${table}_\\d{8}`, "g")))].map((found) => found.slice(-8));
  return { event: days("event"), outcome: days("outcome") };
}

/** The dispatcher's connection, with the statements that it runs. */
function connect({ pool }: Tables) {
  const ran: CompiledQuery[] = [];
  const db = new Kysely<WebhooksDatabase>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void ran.push(query),
  });
  return { db, ran };
}

test("what became of a payment's events is read on the days of these events alone", async () => {
  const tables = await startDeliveryTables();
  const { db, ran } = connect(tables);
  const paymentId = randomUUID();
  await insertDelivered(tables, paymentId, [0, 3]);
  await insertDelivered(tables, randomUUID(), [0, 1, 2, 3]);
  const events = await findEvents(db, { paymentId }, { limit: 10, before: undefined });
  expect(events).toEqual([
    expect.objectContaining({ payment_id: paymentId, outcome: "delivered", attempt_count: 1 }),
    expect.objectContaining({ payment_id: paymentId, outcome: "delivered", attempt_count: 1 }),
  ]);
  const ofEvents = events.map(({ occurred_at }) =>
    occurred_at.toISOString().slice(0, 10).replaceAll("-", ""),
  );
  const days = await daysIn(tables, ran.at(-1)!);
  expect(days.event.toSorted()).toEqual(ofEvents.toSorted());
  expect(days.outcome.toSorted()).toEqual(ofEvents.toSorted());
});

test("the last error is that of the latest attempt, and attempts are found by their event's index", async () => {
  const tables = await startDeliveryTables();
  const { db, ran } = connect(tables);
  const paymentId = randomUUID();
  await insertDelivered(tables, paymentId, [0]);
  await tables.superuser.query(
    `insert into webhooks.attempt (attempt_id, sent_at, event_id, endpoint_id, trigger, planned_at, request_time, succeeded,
       status_code, error, duration_ms, body_hash, secret_version)
     select gen_random_uuid(), occurred_at + late, event_id, merchant_id, 'schedule', occurred_at, 0, false, code, error, 1, '', 1
     from webhooks.event,
       (values (interval '1 minute', 503::smallint, 'status'), ('2 minutes', null, 'timeout')) as tried (late, code, error)
     where payment_id = $1`,
    [paymentId],
  );
  const [event] = await findEvents(db, { paymentId }, { limit: 10, before: undefined });
  expect(event).toMatchObject({ attempt_count: 3, last_error: "timeout", last_status_code: null });
  expect(event!.body.toString()).toBe("{}");
  const plan = await planOf(tables, ran.at(-1)!);
  expect(plan).toMatch(/\battempt_\d{8}_event_id_idx\b/);
  expect(plan).not.toMatch(/Seq Scan on attempt/);
});
