import { operations, recordChargebackLines } from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

/**
 * A bank that does not bind an unseen reference: it may still carry out later a call that it does not know
 * now.
 */
let payments: PaymentsHarness;
/** Payments that the bank had not seen at their horizon, for a test each: they waited for it together. */
let pastHorizon: string[];

const CALL = 2_000;
const LATE = 3_000;

beforeAll(async () => {
  payments = await startPaymentsHarness({
    ACQUIRER_TIMEOUT: `${CALL}ms`,
    ACQUIRER_LATE_ARRIVAL: `${LATE}ms`,
    RECOVERY_SCHEDULE: "50ms,200ms,500ms,1s",
    RECOVERY_INTERVAL: "30ms",
    REVERSE_UNSEEN_AFTER: "300ms",
    WATCH_INTERVAL: "50ms",
  });
  const modes = { method: "PUT", headers: { "content-type": "application/json" } };
  const set = await fetch(`${payments.acquirer.url}/modes`, { ...modes, body: '{"bindsUnseen":false}' });
  expect(set.status).toBe(200);
  pastHorizon = await Promise.all(
    [1, 2, 3, 4, 5].map(async () => {
      const paymentId = await lostSale();
      await failed(paymentId);
      return paymentId;
    }),
  );
});
beforeEach(() => payments.acquirerWillBehave());
afterAll(() => payments.close());

/** A sale that the bank has never seen. */
async function lostSale(): Promise<string> {
  const command = payments.command({ amountMinor: "10000", cardData: { pan: "4000000000000127" } });
  expect(await payments.call(operations.pay.command, command)).toMatchObject({ outcome: "pending" });
  return command.paymentId;
}

type Row = { state: string; cause: string; seconds: number };

/** The payment, with the cause of its state and the seconds after its claim. */
async function read(paymentId: string): Promise<Row> {
  const [row] = await payments.query<Row>(
    `select state, history.cause, extract(epoch from history.at - payment.created_at)::float8 as seconds
     from payments.payment join payments.payment_history as history using (payment_id, version)
     where payment_id = $1`,
    [paymentId],
  );
  return row!;
}

const failed = (paymentId: string) =>
  eventually(async () => {
    const row = await read(paymentId);
    return row.state === "FAILED" && row;
  });

/** Brings to the bank the call that was under way all the time. */
async function arrive(paymentId: string): Promise<void> {
  const body = {
    reference: paymentId,
    amountMinor: 10_000,
    card: { pan: "4111111111111111", expiryMonth: "12", expiryYear: "30", cvv: "000" },
    cardHolderName: "Ada Lovelace",
    installmentCount: 1,
    expiresAt: new Date(Date.now() + 60_000),
  };
  expect(await payments.acquirerGets("sale", body)).toMatchObject({ outcome: "approved" });
}

const ledger = async (paymentId: string) =>
  (await payments.ledger(paymentId)).map(({ operation, outcome }) => `${operation} ${outcome}`);

const watch = async (paymentId: string) =>
  (
    await payments.query<{ sighted: boolean; ended: boolean; last_inquiry: string; hours: number }>(
      `select sighted_at is not null as sighted, ended_at is not null as ended, last_inquiry,
         extract(epoch from due_at - now())::float8 / 3600 as hours
       from payments.payment_watch where payment_id = $1`,
      [paymentId],
    )
  )[0];

const lookNow = (paymentId: string) =>
  payments.query("update payments.payment_watch set due_at = now() where payment_id = $1", [paymentId]);

const events = (paymentId: string) =>
  payments.query("select status from payments.outbox where payment_id = $1", [paymentId]);

test("what it has not seen is FAILED at the horizon, not before, and is looked at again after its day", async () => {
  const paymentId = pastHorizon.pop()!;
  const { cause, seconds } = await read(paymentId);
  expect(cause).toBe("not_seen_until_horizon");
  expect(seconds).toBeGreaterThanOrEqual((CALL + LATE) / 1_000);
  expect(await payments.read(paymentId)).toMatchObject({
    result: { status: "FAILED", resultCode: "reversed", resultMessage: expect.stringContaining("no record") },
  });
  expect(await watch(paymentId)).toMatchObject({ sighted: false, ended: false });
  expect((await watch(paymentId))!.hours).toBeLessThanOrEqual(24);
  expect((await watch(paymentId))!.hours).toBeGreaterThan(0);

  await lookNow(paymentId);
  await eventually(async () => (await watch(paymentId))!.ended);
  expect(await watch(paymentId)).toMatchObject({ sighted: false, last_inquiry: "not_found" });
  expect(await ledger(paymentId)).toEqual([]);
  expect(await events(paymentId)).toEqual([{ status: "FAILED" }]);
});

test("what arrives before the horizon is reversed, and only then the payment is FAILED", async () => {
  const paymentId = await lostSale();
  await eventually(async () => (await read(paymentId)).state === "REVERSING");
  await arrive(paymentId);
  expect(await failed(paymentId)).toMatchObject({ cause: "reversed" });
  expect(await ledger(paymentId)).toEqual(["sale approved", "reverse approved"]);
  expect(await watch(paymentId)).toBeUndefined();
});

test("what arrives after the horizon is given back at the next look, and the payment stays FAILED", async () => {
  const paymentId = pastHorizon.pop()!;
  await arrive(paymentId);
  await payments.acquirerWill("reverse", "refuse");
  await lookNow(paymentId);
  await eventually(async () => (await watch(paymentId))!.ended);
  expect(await watch(paymentId)).toMatchObject({ sighted: true, last_inquiry: "undone_by_reversal" });
  expect((await ledger(paymentId)).filter((line) => line.endsWith("approved"))).toEqual([
    "sale approved",
    "reverse approved",
  ]);
  expect((await read(paymentId)).state).toBe("FAILED");
  expect(await events(paymentId)).toEqual([{ status: "FAILED" }]);
});

test("what arrives after the horizon and is settled is refunded, once", async () => {
  const paymentId = pastHorizon.pop()!;
  await arrive(paymentId);
  await fetch(`${payments.acquirer.url}/business-day/close`, { method: "POST" });
  await payments.acquirerWill("refund", "hang");
  await lookNow(paymentId);
  await eventually(async () => (await watch(paymentId))!.ended);
  expect(await watch(paymentId)).toMatchObject({ sighted: true, last_inquiry: "undone_by_refund" });
  expect(await ledger(paymentId)).toEqual(["sale approved", "refund approved"]);
  expect((await read(paymentId)).state).toBe("FAILED");
});

test("what arrives after the horizon and is charged back is refunded to nobody, and not looked at again", async () => {
  const paymentId = pastHorizon.pop()!;
  await arrive(paymentId);
  await fetch(`${payments.acquirer.url}/business-day/close`, { method: "POST" });
  const line = { lineId: "c".repeat(64), kind: "CHARGEBACK" as const, paymentId, currency: "TRY" };
  await payments.askAsGateway(recordChargebackLines, { lines: [{ ...line, amountMinor: "10000" }] });
  await lookNow(paymentId);
  await eventually(async () => (await watch(paymentId))!.ended);
  expect(await watch(paymentId)).toMatchObject({ sighted: true, last_inquiry: "charged_back" });
  expect(await ledger(paymentId)).toEqual(["sale approved"]);
  expect((await read(paymentId)).state).toBe("FAILED");
});

test("what arrives after the horizon beside a refund of another amount is for people, and not looked at again", async () => {
  const paymentId = pastHorizon.pop()!;
  await arrive(paymentId);
  await fetch(`${payments.acquirer.url}/business-day/close`, { method: "POST" });
  const panel = { reference: `${paymentId}:reversal`, parentReference: paymentId, amountMinor: 4_000 };
  await payments.acquirerGets("refund", panel);
  await lookNow(paymentId);
  await eventually(async () => (await watch(paymentId))!.ended);
  expect(await watch(paymentId)).toMatchObject({ sighted: true, last_inquiry: "refund_mismatch" });
  expect(await ledger(paymentId)).toEqual(["sale approved", "refund approved"]);
});

test("a payment that ended otherwise meanwhile is left alone, whatever the bank shows", async () => {
  const command = payments.command({ amountMinor: "10000" });
  expect(await payments.call(operations.pay.command, command)).toMatchObject({
    result: { status: "SUCCESS" },
  });
  await payments.query("insert into payments.payment_watch (payment_id, due_at) values ($1, now())", [
    command.paymentId,
  ]);
  await eventually(async () => (await watch(command.paymentId))!.ended);
  expect(await watch(command.paymentId)).toMatchObject({ sighted: false, last_inquiry: "not_asked" });
  expect(await ledger(command.paymentId)).toEqual(["sale approved"]);
});

test("a payment whose end is not recorded yet is looked at later", async () => {
  const paymentId = await lostSale();
  await payments.query("insert into payments.payment_watch (payment_id, due_at) values ($1, now())", [
    paymentId,
  ]);
  await eventually(async () => (await watch(paymentId))?.last_inquiry === "not_asked");
  expect(await watch(paymentId)).toMatchObject({ ended: false });
  await failed(paymentId);
  await lookNow(paymentId);
  await eventually(async () => (await watch(paymentId))!.ended);
  expect(await watch(paymentId)).toMatchObject({ last_inquiry: "not_found" });
});

test("while the bank does not answer, neither the horizon nor a look decides anything", async () => {
  const paymentId = await lostSale();
  await payments.acquirerWill("reverse", "http_500", 1_000);
  await payments.acquirerWill("inquire", "http_500", 1_000);
  await payments.query(
    "update payments.payment set created_at = created_at - interval '1 day', recover_at = now() where payment_id = $1",
    [paymentId],
  );
  const attempts = async () => {
    const [row] = await payments.query<{ attempts: number }>(
      "select recovery_attempts as attempts from payments.payment where payment_id = $1",
      [paymentId],
    );
    return row!.attempts;
  };
  const before = await attempts();
  await payments.query("update payments.payment set recover_at = now() where payment_id = $1", [paymentId]);
  await eventually(async () => (await attempts()) > before);
  expect((await read(paymentId)).state).not.toBe("FAILED");
  expect(await watch(paymentId)).toBeUndefined();
});
