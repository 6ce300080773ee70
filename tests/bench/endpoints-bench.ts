import { withClient } from "@holdfast/sandbox/infrastructure";
import type { Client } from "pg";
import { print, printGoal, witness, type Bench } from "./bench.ts";
import { measureClaims, type MeasuredClaims } from "./claim-bench.ts";
import { whileStopped } from "./while-stopped.ts";

/**
 * What a claim costs beside a hundred thousand endpoints of which 20 000 fail, with five deliveries each: when those wait
 * for their retry, when 500 others have a delivery that is due beside them, and when those of the failing ones are due, too,
 * without room, because their breaker is open. The dispatcher stands still meanwhile.
 */
export async function benchEndpoints({ sandbox }: Bench): Promise<void> {
  const dispatcher = sandbox.processes["webhook-dispatcher"]!;
  await whileStopped([dispatcher], () =>
    withClient(sandbox.databaseUrl, async (client) => {
      await client.query("set session_replication_role = replica; set synchronous_commit = off");
      await client.query(INSERT_ENDPOINTS, [ENDPOINTS]);
      const [failing, healthy] = [
        await every(client, ENDPOINTS / FAILING, 0),
        await every(client, ENDPOINTS / HEALTHY, 1),
      ];
      const nothing = await measureAfter(client, sandbox.databaseUrl, [
        INSERT_DELIVERIES,
        [failing, EACH, "1 hour"],
      ]);
      const due = await measureAfter(client, sandbox.databaseUrl, [
        INSERT_DELIVERIES,
        [healthy, 1, "-1 second"],
      ]);
      const noRoom = await measureAfter(
        client,
        sandbox.databaseUrl,
        [
          "update webhooks.delivery set due_at = now() - interval '1 minute' where endpoint_id = any($1)",
          [failing],
        ],
        failing.map((endpointId) => ({ endpointId, room: 0 })),
      );
      report({
        "wait for their retry": nothing,
        "wait for their retry, and 500 others have one due": due,
        "are due without room, and 500 others have one due": noRoom,
      });
      witness(
        failing.length === FAILING &&
          nothing.claimed === 0 &&
          due.claimed === HEALTHY &&
          noRoom.claimed === HEALTHY,
        `${failing.length} endpoints fail; claims of ${nothing.claimed}, ${due.claimed} and ${noRoom.claimed}`,
      );
      // The dispatcher goes on, and must not call them.
      await client.query("truncate webhooks.delivery");
      await client.query("delete from webhooks.endpoint where secret_request_id = 'bench'");
    }),
  );
}

const ENDPOINTS = 100_000;
const FAILING = 20_000;
/** As many as one claim takes. */
const HEALTHY = 500;
const EACH = 5;

const INSERT_ENDPOINTS = `
  insert into webhooks.endpoint (merchant_id, endpoint_id, url, secret, secret_request_id)
  select id, id, 'https://localhost:1/', decode(repeat('00', 64), 'hex'), 'bench'
  from (select uuidv7() as id from generate_series(1, $1::int)) as drawn`;

/** One of so many endpoints, in the order in which a claim comes by them. */
async function every(client: Client, step: number, offset: number): Promise<string[]> {
  const { rows } = await client.query<{ endpoint_id: string }>(
    `select endpoint_id from (
       select endpoint_id, row_number() over (order by endpoint_id) as position
       from webhooks.endpoint where secret_request_id = 'bench'
     ) as numbered
     where position % $1::int = $2::int`,
    [step, offset],
  );
  return rows.map(({ endpoint_id }) => endpoint_id);
}

const INSERT_DELIVERIES = `
  with drawn as (
    select uuidv7() as event_id, merchant_id from unnest($1::uuid[]) as merchant_id, generate_series(1, $2::int)
  ), events as (
    insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
    select uuid_extract_timestamp(event_id), event_id, 'payments', 'payment.status_changed', merchant_id,
      gen_random_uuid(), 'SUCCESS', '{}'
    from drawn
    returning event_id, occurred_at, merchant_id
  )
  insert into webhooks.delivery (event_id, occurred_at, endpoint_id, attempt, due_at, deadline_at)
  select event_id, occurred_at, merchant_id, 3, now() + $3::interval, occurred_at + interval '48 hours'
  from events`;

async function measureAfter(
  client: Client,
  url: string,
  [statement, values]: [string, unknown[]],
  rooms?: { endpointId: string; room: number }[],
): Promise<MeasuredClaims> {
  await client.query(statement, values);
  await client.query(ANALYZE);
  return await measureClaims(url, rooms);
}

const ANALYZE = "vacuum (analyze) webhooks.endpoint, webhooks.event, webhooks.delivery";

function report(measured: Record<string, MeasuredClaims>): void {
  for (const [name, { claims, claimed, medianMs, cpuMs }] of Object.entries(measured)) {
    print(
      `${ENDPOINTS.toLocaleString("en")} endpoints, ${FAILING.toLocaleString("en")} fail and ${name}: ${claims} ` +
        `${claims === 1 ? "claim" : "claims, one after the other,"} of ${claimed} deliveries in total, median ${medianMs.toFixed(1)} ms, CPU of the database ${cpuMs.toFixed(1)} ms`,
    );
    printGoal("CPU of the database for this", `${cpuMs.toFixed(1)} ms`, "< 50 ms", cpuMs < 50);
  }
}
