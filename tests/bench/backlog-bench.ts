import { randomUUIDv7 } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { withClient } from "@holdfast/sandbox/infrastructure";
import type { Client } from "pg";
import { insertBacklog } from "./backlog-tables.ts";
import { print, printGoal, witness, type Bench } from "./bench.ts";
import { benchClaims } from "./claim-bench.ts";
import { newEndpoints, type Endpoint } from "./events.ts";
import { median, sharedClockUs } from "./figures.ts";

/**
 * 200 000 deliveries wait for a merchant who is dead; then others get their first event, one after the other: half by
 * the stream, half by a row that only a claim can find. Last what a claim costs when a million wait.
 */
export async function benchBacklog(bench: Bench): Promise<void> {
  const { receiver, sandbox, events } = bench;
  const [deadPort, ...ports] = receiver.ports.slice(-(FIRST_EVENTS * 2 + 1));
  const [dead] = await newEndpoints(events, [receiver.url("/dead", deadPort)]);
  const others = await newEndpoints(
    events,
    ports.map((port) => receiver.url(PATH, port)),
  );
  await receiver.behave([deadPort!], "deaf");
  await withClient(sandbox.databaseUrl, async (client) => {
    await insertBacklog(client, dead!.merchantId, BACKLOG);
    await untilAttempted(client, dead!.merchantId);
    const byStream: (number | undefined)[] = [];
    const byClaim: (number | undefined)[] = [];
    for (const [index, endpoint] of others.entries()) {
      const isClaimed = index % 2 === 1;
      const send = isClaimed ? () => insertDue(client, endpoint) : () => events.publish(endpoint);
      (isClaimed ? byClaim : byStream).push(await timeToArrival(bench, send));
    }
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from webhooks.delivery where endpoint_id = $1",
      [dead!.merchantId],
    );
    report(byStream, byClaim, rows[0]!.count);
    await benchClaims(bench, client, dead!, others);
  });
}

const PATH = "/first";
const BACKLOG = 200_000;
/** Of each kind. */
const FIRST_EVENTS = 5;

async function untilAttempted(client: Client, merchantId: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const { rows } = await client.query(
      "select from webhooks.delivery where endpoint_id = $1 and lease_token is not null limit 1",
      [merchantId],
    );
    if (rows.length > 0) return;
    if (performance.now() > deadline) throw new Error("the dead merchant's deliveries are not attempted");
    await delay(50);
  }
}

/** A delivery that is due, as one that waited for its retry is. */
async function insertDue(client: Client, { merchantId }: Endpoint): Promise<string> {
  const eventId = randomUUIDv7();
  await client.query(
    `with event as (
       insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
       values (uuid_extract_timestamp($1::uuid), $1::uuid, 'payments', 'payment.status_changed', $2::uuid,
         gen_random_uuid(), 'SUCCESS', '{}')
       returning *
     )
     insert into webhooks.delivery (event_id, occurred_at, endpoint_id, due_at, deadline_at)
     select event_id, occurred_at, merchant_id, now(), occurred_at + interval '48 hours' from event`,
    [eventId, merchantId],
  );
  return eventId;
}

/** From before the event is handed over to its arrival. */
async function timeToArrival({ receiver }: Bench, send: () => Promise<string>): Promise<number | undefined> {
  const startedAtUs = sharedClockUs();
  const eventId = await send();
  const deadline = performance.now() + 10_000;
  for (;;) {
    const arrivedAtUs = (await receiver.arrivals()).get(eventId);
    if (arrivedAtUs !== undefined) return (arrivedAtUs - startedAtUs) / 1_000;
    if (performance.now() > deadline) return undefined;
    await delay(20);
  }
}

function report(byStream: (number | undefined)[], byClaim: (number | undefined)[], left: number): void {
  print(
    `backlog: ${BACKLOG} deliveries are pending for a dead merchant; then other merchants get their first event`,
  );
  const all = [...byStream, ...byClaim].map((ms) => ms ?? Infinity);
  for (const [name, times] of Object.entries({ "by the stream": byStream, "by a claim": byClaim })) {
    const arrived = times.map((ms) => ms ?? Infinity);
    print(
      `${name.padEnd(14)} median ${median(arrived).toFixed(0)} ms, longest ${Math.max(...arrived).toFixed(0)} ms`,
    );
  }
  const longest = Math.max(...all);
  printGoal(
    "longest time from a first event to its arrival",
    `${longest.toFixed(0)} ms`,
    "<= 1000 ms",
    longest <= 1_000,
  );
  witness(
    left > BACKLOG * 0.99 && Number.isFinite(longest),
    `${all.filter(Number.isFinite).length} of ${all.length} first events arrived at the receiver while ${left} deliveries were pending`,
  );
}
