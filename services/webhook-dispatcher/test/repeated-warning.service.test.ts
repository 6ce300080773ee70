import { eventually, type LedgerReceiver } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createClock } from "../src/clock.ts";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { addEndpoint } from "./endpoints.ts";
import { newEvent } from "./events.ts";

// The clock that outages go by jumps instead of waiting; a webhook is tried for 48 hours. Each test has its own merchants.
const M = 60_000;
const H = 60 * M;

let harness: DispatcherHarness;
let books: LedgerReceiver;
let shiftMs = 0;
beforeAll(async () => {
  harness = await startDispatcherHarness(
    { WEBHOOK_RETRY_SCHEDULE: "10m", WEBHOOK_ATTEMPT_TIMEOUT: "60s", WEBHOOK_LEASE: "5m" },
    {
      overrides: { clock: createClock(() => shiftMs), connectMaxMs: 60_000 },
      now: () => Date.now() + shiftMs,
    },
  );
  books = await harness.startReceiver();
});
afterAll(() => harness.close());
beforeEach(() => {
  shiftMs = 0;
});

/** A merchant whose default endpoint has failed for so long, and whose other one asks for warnings. */
async function failingFor(ms: number): Promise<string> {
  const { merchantId } = await harness.enable();
  await addEndpoint(harness, merchantId, { url: books.url, events: ["webhook.disabled_warning"] });
  await failFor(merchantId, ms);
  return merchantId;
}

const failFor = (endpointId: string, ms: number) =>
  harness.query(
    `insert into webhooks.endpoint_health (endpoint_id, failing_since, breaker_open, reported_at)
     values ($1, now() + $2 * interval '1 millisecond', true, now())
     on conflict (endpoint_id) do update set failing_since = excluded.failing_since`,
    [endpointId, shiftMs - ms],
  );

const warnings = async (merchantId: string) =>
  (
    await harness.query<{ body: Buffer }>(
      `select body from webhooks.event where merchant_id = $1 and event_type = 'webhook.disabled_warning'
       order by event_id`,
      [merchantId],
    )
  ).map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
const isWarned = (merchantId: string, times: number) =>
  eventually(async () => expect(await warnings(merchantId)).toHaveLength(times));

/** True when all due warnings have been published: the endpoint with the shortest outage is the last. */
const hasLooked = async () => await isWarned(await failingFor(H + M), 1);

const arrived = (merchantId: string) =>
  new Set(
    books.ledger.flatMap(({ headers, body }) =>
      body.includes(merchantId) ? [String(headers["x-event-id"])] : [],
    ),
  ).size;

test("an endpoint that goes on failing is told of after an hour, and at a third and two thirds of a webhook's time", async () => {
  const merchantId = await failingFor(0);
  for (const [minutes, times] of [
    [50, 0],
    [70, 1],
    [950, 1],
    [970, 2],
    [1_910, 2],
    [1_930, 3],
    [2_820, 3],
  ] as const) {
    shiftMs = minutes * M;
    await hasLooked();
    expect(await warnings(merchantId), `${minutes} minutes`).toHaveLength(times);
  }
  const [first, ...others] = await warnings(merchantId);
  expect(first).toEqual({
    endpointId: merchantId,
    default: true,
    reason: "FAILING",
    failingSince: expect.any(String),
  });
  expect(others).toEqual([first, first]);
  await eventually(() => expect(arrived(merchantId)).toBe(3));
});

test("a dispatcher that was away over several of these times tells the last one alone", async () => {
  const merchantId = await failingFor(0);
  await harness.stopAll();
  shiftMs = 33 * H;
  await harness.start();
  await hasLooked();
  expect(await warnings(merchantId)).toHaveLength(1);
});

test("a success ends an outage: the next one is told of from its first hour on", async () => {
  const merchantId = await failingFor(17 * H);
  await isWarned(merchantId, 1);
  await harness.publish(newEvent({ merchantId }));
  await eventually(async () =>
    expect(
      await harness.query(
        "select warnings from webhooks.endpoint_health where endpoint_id = $1 and failing_since is null",
        [merchantId],
      ),
    ).toEqual([{ warnings: 0 }]),
  );
  await failFor(merchantId, H + M);
  await isWarned(merchantId, 2);
  await failFor(merchantId, 17 * H);
  await isWarned(merchantId, 3);
});
