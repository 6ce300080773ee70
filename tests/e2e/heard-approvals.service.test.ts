import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import { dayEndFarAway, eventually } from "../support/index.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { playBank, type PlayedBank } from "../conformance/played-banks.ts";
import { accountOperators } from "../../services/payments/test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../services/payments/test/payments-harness.ts";

/** A bank of the Nestpay kind: its answers have no amount, and its history shows movements late, or another amount. */
let payments: PaymentsHarness;
let bank: PlayedBank;
let dir: string;
let merchantId: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-heard-"));
  bank = await playBank("nestpay", dir);
  payments = await startPaymentsHarness({
    ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
    RECOVERY_SCHEDULE: "20ms,40ms,60ms,80ms",
    RECOVERY_INTERVAL: "20ms",
    WATCH_INTERVAL: "50ms",
    REVERSE_UNSEEN_AFTER: "50ms",
  });
  const operators = accountOperators(payments, () => "");
  const accountId = await operators.account({
    ...bank.account,
    businessDay: dayEndFarAway(),
    lateArrivalSeconds: 0,
  });
  merchantId = await operators.merchantRoutedTo({ accountId });
});
afterEach(() => bank.mode({ historyLagSeconds: 0 }));
afterAll(async () => {
  await payments.close();
  await bank.close();
  await rm(dir, { recursive: true });
});

const of = () => ({ merchant: { merchantId } });

function command() {
  const cardData = { pan: "4355084355084358", cvv: "000" };
  return payments.command({ ofMerchant: merchantId, amountMinor: "10000", cardData });
}

/** A sale that the bank has approved, and that its history does not show. */
async function hiddenSale(): Promise<string> {
  await bank.mode({ historyLagSeconds: 86_400 });
  const sale = command();
  expect(await payments.call(operations.pay.command, sale, of())).toMatchObject({ outcome: "pending" });
  return sale.paymentId;
}

/** The payment's calls were sent before every horizon. */
const wasSentLongAgo = (paymentId: string) =>
  payments.query("update payments.bank_call set sent_at = now() - interval '2 days' where payment_id = $1", [
    paymentId,
  ]);

type Row = { state: string; cause: string; last_inquiry: string; recovery_attempts: number };

async function read(paymentId: string): Promise<Row> {
  const [row] = await payments.query<Row>(
    `select state, history.cause, last_inquiry, recovery_attempts
     from payments.payment join payments.payment_history as history using (payment_id, version)
     where payment_id = $1`,
    [paymentId],
  );
  return row!;
}

/** The record of the payment's calls of a kind. */
const calls = (paymentId: string, kind: string) =>
  payments.query(
    `select outcome, external_transaction_id is not null as named, auth_code is not null as coded,
       heard_at is not null as heard, approved_minor::int
     from payments.bank_call where payment_id = $1 and kind = $2 order by number`,
    [paymentId, kind],
  );
const HEARD = { outcome: "unknown", named: true, coded: true, heard: true, approved_minor: null };

const askNow = (paymentId: string, changes = "") =>
  payments.query(
    `update payments.payment set recover_at = now(), recovery_attempts = 0${changes} where payment_id = $1`,
    [paymentId],
  );

/** The bank has been asked more often than it takes to reverse or to fail what it has not seen. */
const isAskedInVain = (paymentId: string) =>
  eventually(async () => {
    const row = await read(paymentId);
    if (row.recovery_attempts < 5)
      await payments.query(
        "update payments.payment set recover_at = now() where payment_id = $1 and lease_token is null",
        [paymentId],
      );
    return row.recovery_attempts >= 5 && row;
  });

const hasEnded = (paymentId: string, state: string) =>
  eventually(async () => {
    const row = await read(paymentId);
    return row.state === state && row;
  });

test("an approval that the history does not show is kept, waited for, and adopted when it is shown", async () => {
  const paymentId = await hiddenSale();
  expect(await isAskedInVain(paymentId)).toMatchObject({ state: "AUTHORIZING", last_inquiry: "pending" });
  expect(await calls(paymentId, "sale")).toEqual([HEARD]);
  await bank.mode({ historyLagSeconds: 0 });
  await askNow(paymentId);
  expect(await hasEnded(paymentId, "SUCCESS")).toMatchObject({ cause: "inquiry_approved" });
  expect(await bank.ledger(paymentId)).toEqual(["sale approved 10000"]);
});

test("an old one is voided by its name, and is never FAILED because there is no record", async () => {
  const paymentId = await hiddenSale();
  await askNow(paymentId, ", created_at = now() - interval '1 hour'");
  expect(await hasEnded(paymentId, "FAILED")).toMatchObject({ cause: "reversed" });
  expect(await bank.ledger(paymentId)).toEqual(["sale approved 10000", "void approved 10000"]);
});

test("a second success that was hidden beside it is given back at the next look", async () => {
  await bank.will("sale", "twice");
  const paymentId = await hiddenSale();
  await askNow(paymentId, ", created_at = now() - interval '1 hour'");
  await hasEnded(paymentId, "FAILED");
  const sales = ["sale approved 10000", "sale approved 10000"];
  expect(await bank.ledger(paymentId)).toEqual([...sales, "void approved 10000"]);
  await bank.mode({ historyLagSeconds: 0 });
  await payments.query("update payments.payment_watch set due_at = now() where payment_id = $1", [paymentId]);
  await eventually(async () => {
    const [watch] = await payments.query<{ last_inquiry: string }>(
      "select last_inquiry from payments.payment_watch where payment_id = $1 and ended_at is not null",
      [paymentId],
    );
    return watch?.last_inquiry === "undone_by_reversal";
  });
  expect(await bank.ledger(paymentId)).toEqual([...sales, "void approved 10000", "void approved 10000"]);
  expect((await read(paymentId)).state).toBe("FAILED");
});

test("one that the bank cannot void either is left to people, beyond every horizon", async () => {
  const paymentId = await hiddenSale();
  // The bank finds neither the order nor the name.
  await payments.query(
    "update payments.bank_call set external_transaction_id = 'another' where payment_id = $1",
    [paymentId],
  );
  await wasSentLongAgo(paymentId);
  await askNow(paymentId, ", created_at = now() - interval '2 days'");
  await hasEnded(paymentId, "REVERSING");
  expect(await isAskedInVain(paymentId)).toMatchObject({ state: "REVERSING", last_inquiry: "nothing_found" });
  const statement = { paymentId, outcome: "FAILED", evidence: "the bank's letter of today" } as const;
  await eventually(
    async () => "result" in (await payments.operate(operations.resolvePayment.command, statement, "alice")),
  );
  await eventually(
    async () => "result" in (await payments.operate(operations.resolvePayment.command, statement, "bora")),
  );
  expect(await read(paymentId)).toMatchObject({ state: "FAILED", cause: "resolved_by_operators" });
});

async function authorized(): Promise<string> {
  const authorization = command();
  expect(await payments.call(operations.preAuthorize.command, authorization, of())).toMatchObject({
    outcome: "done",
  });
  return authorization.paymentId;
}
const capture = (paymentId: string) =>
  payments.call(operations.capture.command, { paymentId, operationId: randomUUID() }, of());
const shown = (paymentId: string) => payments.call(operations.getPayment.command, { paymentId }, of());
const PENDING_CAPTURE = {
  result: { status: "SUCCESS", lastOperation: { type: "CAPTURE", status: "PENDING" } },
};

test("a capture of which the bank carried out a part is not CAPTURED, and the part is noted", async () => {
  const paymentId = await authorized();
  await bank.will("capture", "partial");
  expect(await capture(paymentId)).toMatchObject({ outcome: "pending", ...PENDING_CAPTURE });
  expect(await calls(paymentId, "capture")).toMatchObject([{ named: true, approved_minor: 5_000 }]);
  expect(await isAskedInVain(paymentId)).toMatchObject({ state: "SUCCESS" });
  expect(await shown(paymentId)).toMatchObject(PENDING_CAPTURE);
  expect(await bank.ledger(paymentId)).toEqual(["authorize approved 10000", "capture approved 5000"]);
});

test("people book an approval under the name that the bank gave, and cannot call a heard capture FAILED", async () => {
  const paymentId = await hiddenSale();
  const sayBoth = async (said: { paymentId: string; outcome: "SUCCESS" | "FAILED" }) => {
    await wasSentLongAgo(said.paymentId);
    const statement = { ...said, evidence: "the bank's letter of today" };
    const isProposed = async () =>
      "result" in (await payments.operate(operations.resolvePayment.command, statement, "alice"));
    await eventually(isProposed);
    return await eventually(async () => {
      const reply = await payments.operate(operations.resolvePayment.command, statement, "bora");
      const isBusy = reply.outcome === "problem" && reply.code === "operation_in_progress";
      return !isBusy && reply;
    });
  };
  expect(await sayBoth({ paymentId, outcome: "SUCCESS" })).toMatchObject({ outcome: "done" });
  const names = await payments.query(
    `select payment.external_transaction_id = bank_call.external_transaction_id as same_name,
       payment.auth_code = bank_call.auth_code as same_code
     from payments.payment join payments.bank_call using (payment_id) where payment_id = $1`,
    [paymentId],
  );
  expect(names).toEqual([{ same_name: true, same_code: true }]);

  await bank.mode({ historyLagSeconds: 0 });
  const held = await authorized();
  await bank.mode({ historyLagSeconds: 86_400 });
  expect(await capture(held)).toMatchObject({ outcome: "pending", ...PENDING_CAPTURE });
  expect(await sayBoth({ paymentId: held, outcome: "FAILED" })).toMatchObject({ code: "bank_says_settled" });
  expect(await shown(held)).toMatchObject(PENDING_CAPTURE);
  expect(await sayBoth({ paymentId: held, outcome: "SUCCESS" })).toMatchObject({ outcome: "done" });
  expect(await bank.ledger(held)).toEqual(["authorize approved 10000", "capture approved 10000"]);
});

test("a capture that the history does not show is kept, and not sent again beyond the horizon", async () => {
  const paymentId = await authorized();
  await bank.mode({ historyLagSeconds: 86_400 });
  expect(await capture(paymentId)).toMatchObject({ outcome: "pending", ...PENDING_CAPTURE });
  await wasSentLongAgo(paymentId);
  await isAskedInVain(paymentId);
  expect(await calls(paymentId, "capture")).toEqual([HEARD]);
  await bank.mode({ historyLagSeconds: 0 });
  await askNow(paymentId);
  await hasEnded(paymentId, "CAPTURED");
  expect(await bank.ledger(paymentId)).toEqual(["authorize approved 10000", "capture approved 10000"]);
});

test("a second success of an order is a mismatch, whichever of the two was answered", async () => {
  await bank.will("sale", "twice");
  const sale = command();
  expect(await payments.call(operations.pay.command, sale, of())).toMatchObject({ outcome: "pending" });
  expect(await hasEnded(sale.paymentId, "REVERSING")).toMatchObject({ cause: "mismatch" });
  expect(await calls(sale.paymentId, "sale")).toMatchObject([{ named: true, heard: true }]);
});

test("one that the bank has settled, and that the history still does not show, is refunded once", async () => {
  const paymentId = await hiddenSale();
  await bank.closeDay();
  await askNow(paymentId, ", created_at = now() - interval '2 days'");
  expect(await hasEnded(paymentId, "FAILED")).toMatchObject({ cause: "refunded" });
  expect(await calls(paymentId, "sale")).toEqual([HEARD]);
  const approved = (await bank.ledger(paymentId)).filter((line) => line.includes("approved"));
  expect(approved).toEqual(["sale approved 10000", "refund approved 10000"]);
});
