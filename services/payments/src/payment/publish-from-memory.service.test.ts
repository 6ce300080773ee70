import { eventSubject } from "@holdfast/contracts";
import { armFailpoints } from "@holdfast/service-runtime";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../test/payments-harness.ts";

// Final states whose process publishes them after its commit, and the other processes' work if it does not.
let payments: PaymentsHarness;
let published: { msgId: string; traceparent: string; message: unknown }[];
beforeAll(async () => {
  payments = await startPaymentsHarness({ OUTBOX_POLL_INTERVAL: "100ms", OUTBOX_REPUBLISH_AFTER: "1h" });
  payments.bus.nats.subscribe(eventSubject("payments"), {
    callback: (_error, message) => {
      published.push({
        msgId: message.headers!.get("Nats-Msg-Id"),
        traceparent: message.headers!.get("traceparent"),
        message: message.json(),
      });
    },
  });
  await payments.bus.nats.flush();
});
afterAll(() => payments.close());

/** Ends the time for which the event is left to its process. */
const claimEnds = (paymentId: string) =>
  payments.query("update payments.outbox set publish_at = now() where payment_id = $1", [paymentId]);

const ruled = { largestAmounts: [{ currency: "TRY", amount: "12.50" }] };

test.each([
  ["approved", "SUCCESS", {}, undefined],
  ["declined", "FAILED", { cardData: { pan: "4000000000000002" } }, undefined],
  ["refused by a rule", "REJECTED", { amountMinor: "1251" }, ruled],
])("a payment that is %s is published as the outbox would: %s", async (_outcome, status, change, rules) => {
  published = [];
  const command = payments.command(change);
  const merchant = { merchantId: payments.merchantId, ...(rules && { rules }) };
  await payments.send(
    command,
    payments.context({ merchant, idempotency: { key: command.paymentId, scope: "POST" } }),
  );
  const [first] = await eventually(() => {
    expect(published).toHaveLength(1);
    return published;
  });
  const rowIs = async () =>
    await payments.query<{ event_id: string; publish_attempts: number; left_ms: number }>(
      `select event_id, publish_attempts,
           (extract(epoch from publish_at - occurred_at) * 1000)::float8 as left_ms
         from payments.outbox where payment_id = $1`,
      [command.paymentId],
    );
  const [row] = await rowIs();
  expect(first!.msgId).toBe(`${row!.event_id}:1`);
  expect(row!.publish_attempts).toBe(1);
  // A claim of the relay would have left it to the relay for an hour.
  expect(row!.left_ms).toBeLessThan(60_000);

  await claimEnds(command.paymentId);
  const [, again] = await eventually(() => {
    expect(published).toHaveLength(2);
    return published;
  });
  expect(again).toEqual({ ...first, msgId: `${row!.event_id}:2` });
  expect(again!.message).toMatchObject({ status });
});

test("a process that stands still between commit and publishing loses nothing", async () => {
  published = [];
  const hits = armFailpoints("payments.before_publish:hang");
  onTestFinished(() => void armFailpoints(undefined));
  const command = payments.command();
  const sent = payments.send(command);
  sent.catch(() => {});
  await eventually(() => expect(hits("payments.before_publish")).toBe(1));
  const [row] = await payments.query<{ event_id: string; publish_attempts: number }>(
    "select event_id, publish_attempts from payments.outbox where payment_id = $1",
    [command.paymentId],
  );
  expect(row!.publish_attempts).toBe(1);
  expect(published).toEqual([]);
  await claimEnds(command.paymentId);
  await eventually(() => expect(published.map(({ msgId }) => msgId)).toEqual([`${row!.event_id}:2`]));
});
