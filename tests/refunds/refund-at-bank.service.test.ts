import { randomUUID, randomUUIDv7 } from "node:crypto";
import {
  carryOutRefundAtBank,
  inquireRefundAtBank,
  operations,
  releaseRefund,
  reserveRefund,
  settleRefund,
  type RefundToCarryOut,
  type ServiceContext,
} from "@holdfast/contracts";
import { eventually } from "../support/index.ts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createRefundBank, NOT_SENT } from "../../services/refunds/src/refund/refund-bank.ts";
import type { BankFront } from "./bank-front.ts";
import { FAST, startBehindFront, type RefundsHarness } from "./refunds-harness.ts";

/** Payments pays a refund only as it has reserved it, and once, also at a bank that pays each copy of a call. */
let refunds: RefundsHarness;
let front: BankFront;
let close: () => Promise<void>;

const LATE_ARRIVAL_MS = 3_600_000;
/** The times are longer than a test may take, so no call times out. */
const PATIENT = { ACQUIRER_TIMEOUT: "5m", LEASE_DURATION: "20m" };

beforeAll(async () => {
  ({ refunds, front, close } = await startBehindFront(
    {
      payments: {
        ...PATIENT,
        ACQUIRER_LATE_ARRIVAL: `${LATE_ARRIVAL_MS}ms`,
      },
      refunds: { ...FAST, ...PATIENT },
    },
    { bank: { repetition: "none" } },
  ));
});
afterAll(() => close());

const context = (deadlineAt = Date.now() + 100_000): ServiceContext => ({
  requestId: randomUUID(),
  deadlineAt,
  service: { name: "refunds" },
});
const carryOut = (refund: RefundToCarryOut, deadlineAt?: number) =>
  refunds.request(carryOutRefundAtBank, context(deadlineAt), refund);
const inquire = (refund: RefundToCarryOut, deadlineAt?: number, subReference?: number) =>
  refunds.request(inquireRefundAtBank, context(deadlineAt), { ...refund, subReference });

/** The refund's step at the bank, as the refunds service sees it. */
const seenByRefunds = async (refund: RefundToCarryOut) =>
  await createRefundBank(refunds.bus).carryOut(
    {
      refund_id: refund.refundId,
      account_id: null,
      payment_id: refund.paymentId,
      merchant_id: refunds.merchantId,
      kind: refund.kind,
      amount_minor: BigInt(refund.amountMinor),
      currency: refund.currency,
      traceparent: null,
    },
    refund.resumed,
    new Date(Date.now() + 100_000),
  );

const refundOf = (paymentId: string, change: Partial<RefundToCarryOut> = {}): RefundToCarryOut => ({
  refundId: randomUUID(),
  paymentId,
  kind: "refund",
  amountMinor: "1000",
  currency: "TRY",
  resumed: false,
  ...change,
});

/** A refund as it is reserved, of a payment of its own or another's. */
async function reserved(change: Partial<RefundToCarryOut> = {}): Promise<RefundToCarryOut> {
  const pay = () => refunds.pay("10000", change.kind === "release" ? "authorization" : "sale");
  const refund = refundOf(change.paymentId ?? (await pay()), change);
  const { refundId, paymentId, amountMinor, currency } = refund;
  expect(
    await refunds.call(reserveRefund, { refundId, paymentId, amountMinor, currency, askedBy: [] }),
  ).toMatchObject({
    outcome: "done",
    result: { kind: refund.kind },
  });
  await refunds.agree(refundId);
  return refund;
}

/** Holds the bank's answers until the test ends or thaws it. */
function freeze(): void {
  front.freeze();
  onTestFinished(() => front.thaw());
}

describe("a refund is paid as it is reserved", () => {
  test.each(["refund", "release"] as const)("a %s, under its reference", async (kind) => {
    const refund = await reserved({ kind });
    expect(await carryOut(refund)).toMatchObject({
      outcome: "done",
      result: { answer: { kind: "approved", amountMinor: "1000", currency: "TRY" } },
    });
    expect(await refunds.ledger(refund.refundId)).toEqual([`${kind} approved 1000`]);
  });

  test("under the next reference where the bank has called it too late, and an inquiry says so", async () => {
    const refund = await reserved();
    await refunds.acquirerWill("refund", "expire");
    const reference = `${refund.refundId}:refund`;
    expect(await carryOut(refund)).toEqual({
      outcome: "done",
      result: { answer: { kind: "expired", cause: "expired" }, reference, again: "now" },
    });
    expect(await carryOut(refund)).toMatchObject({
      outcome: "done",
      result: { answer: { kind: "approved" }, reference: `${reference}:2` },
    });
    const lines = (await refunds.wholeLedger()).map((line) => `${line.reference} ${line.outcome}`);
    expect(lines.filter((line) => line.startsWith(reference))).toEqual([
      `${reference} declined`,
      `${reference}:2 approved`,
    ]);
  });

  test("once, however many copies of the message come together", async () => {
    const refund = await reserved();
    const replies = await Promise.all(Array.from({ length: 8 }, () => carryOut(refund)));
    const approved = { outcome: "done", result: { answer: { kind: "approved" } } };
    expect(replies).toContainEqual(expect.objectContaining({ outcome: "done" }));
    expect(await carryOut(refund)).toMatchObject(approved);
    expect(await refunds.ledger(refund.refundId)).toEqual(["refund approved 1000"]);
    const calls = await refunds.query("select outcome from payments.bank_call where movement_id = $1", [
      refund.refundId,
    ]);
    expect(calls).toEqual([{ outcome: "approved" }]);
  });

  test("beside one that the bank has declined, which takes nothing from what a chargeback leaves", async () => {
    const declined = await reserved({ amountMinor: "6000" });
    const { paymentId } = declined;
    const other = await reserved({ paymentId, amountMinor: "4000" });
    await refunds.acquirerWill("refund", "decline");
    expect(await carryOut(declined)).toMatchObject({ result: { answer: { kind: "declined" } } });
    const opened = { chargebackId: randomUUIDv7(), paymentId, amountMinor: "3000", currency: "TRY" };
    expect(await refunds.operate(operations.openChargeback.command, opened)).toMatchObject({
      outcome: "done",
    });
    expect(await carryOut(other)).toMatchObject({ result: { answer: { kind: "approved" } } });
  });

  test("and a copy that comes while the call is under way finds it", async () => {
    const refund = await reserved();
    await refunds.acquirerWill("refund", "hang_before");
    const first = carryOut(refund, Date.now() + 3_000);
    await eventually(async () => {
      const began = await refunds.query("select from payments.bank_call where movement_id = $1", [
        refund.refundId,
      ]);
      return began.length === 1;
    });
    expect(await carryOut(refund)).toMatchObject({ result: { answer: { kind: "not_found" } } });
    expect(await first).toMatchObject({ result: { answer: { kind: "unknown" } } });
    expect(await refunds.ledger(refund.refundId)).toEqual([]);
  });

  test("after an inquiry, where a restore has lost the call that the bank has carried out", async () => {
    const refund = await reserved();
    const parentReference = refund.paymentId;
    for (const [reference, answer] of [
      [`${refund.refundId}:refund`, "expire"],
      [`${refund.refundId}:refund:2`, undefined],
    ] as const) {
      if (answer) await refunds.acquirerWill("refund", answer);
      await refunds.acquirerGets("refund", { reference, parentReference, amountMinor: 1_000 });
    }
    expect(await carryOut({ ...refund, resumed: true })).toMatchObject({
      result: { answer: { kind: "approved" }, reference: `${refund.refundId}:refund:2` },
    });
    expect(await refunds.ledger(refund.refundId)).toEqual(["refund declined 1000", "refund approved 1000"]);
  });
});

describe("nothing reaches the bank, and refunds knows that nothing was sent, of a refund", () => {
  const NOT_FOUND = { outcome: "problem", code: "refund_not_found" };

  async function expectNotSent(refund: RefundToCarryOut, reply: unknown = NOT_FOUND): Promise<void> {
    expect(await carryOut(refund)).toEqual(reply);
    expect(await seenByRefunds(refund)).toEqual({ answer: NOT_SENT });
    expect(await refunds.ledger(refund.refundId)).toEqual([]);
  }

  test("that is not reserved", async () => {
    await expectNotSent(refundOf(await refunds.pay()));
  });

  test("whose reservation was refused", async () => {
    const refund = refundOf(await refunds.pay(), { amountMinor: "10001" });
    const { refundId, paymentId, amountMinor, currency } = refund;
    const reply = await refunds.call(reserveRefund, {
      refundId,
      paymentId,
      amountMinor,
      currency,
      askedBy: [],
    });
    expect(reply).toMatchObject({ outcome: "problem" });
    await expectNotSent(refund);
  });

  test("that is released", async () => {
    const refund = await reserved();
    await refunds.call(releaseRefund, { refundId: refund.refundId });
    await expectNotSent(refund);
  });

  test.each<Partial<RefundToCarryOut>>([
    { amountMinor: "1001" },
    { amountMinor: "999" },
    { currency: "EUR" },
    { kind: "release" },
  ])("that is reserved otherwise than %o", async (change) => {
    await expectNotSent({ ...(await reserved()), ...change });
  });

  test("of another payment than its reservation", async () => {
    await expectNotSent({ ...(await reserved()), paymentId: await refunds.pay() });
  });

  test("of a payment that nobody knows", async () => {
    const unknown = { ...(await reserved()), paymentId: randomUUID() };
    await expectNotSent(unknown, { outcome: "problem", code: "payment_not_found" });
  });
});

test("one that is settled is answered by an inquiry, and not paid again", async () => {
  const refund = await reserved();
  const paid = await carryOut(refund);
  await refunds.call(settleRefund, { refundId: refund.refundId });
  // A database of refunds that was restored counts from the start, with the same result.
  for (const resumed of [false, true]) expect(await carryOut({ ...refund, resumed })).toEqual(paid);
  expect(await refunds.ledger(refund.refundId)).toEqual(["refund approved 1000"]);
});

describe("an inquiry", () => {
  test("is made of what is not reserved, too", async () => {
    const refund = refundOf(await refunds.pay());
    const { refundId, paymentId: parentReference } = refund;
    const notFound = { outcome: "done", result: { answer: { kind: "not_found", cause: "not_found" } } };
    expect(await inquire(refund)).toEqual(notFound);
    const body = { reference: `${refundId}:refund`, parentReference, amountMinor: 1_000 };
    await refunds.acquirerGets("refund", body);
    expect(await inquire(refund)).toMatchObject({
      outcome: "done",
      result: { answer: { kind: "approved", amountMinor: "1000" } },
    });
    expect(await inquire(refund, undefined, 2)).toEqual(notFound);
  });

  test("follows a spent reference to the next one, of which a restore may have lost the call", async () => {
    const refund = refundOf(await refunds.pay());
    const parentReference = refund.paymentId;
    const reference = `${refund.refundId}:refund`;
    await refunds.acquirerWill("refund", "expire");
    await refunds.acquirerGets("refund", { reference, parentReference, amountMinor: 1_000 });
    expect(await inquire(refund)).toMatchObject({ result: { answer: { kind: "not_found" } } });
    const next = { reference: `${reference}:2`, parentReference, amountMinor: 1_000 };
    await refunds.acquirerGets("refund", next);
    expect(await inquire(refund)).toMatchObject({ result: { answer: { kind: "approved" } } });
    expect(await inquire(refund, undefined, 1)).toMatchObject({ result: { answer: { kind: "expired" } } });
  });

  test("is not made of a payment that nobody knows", async () => {
    const reply = await inquire(refundOf(randomUUID()));
    expect(reply).toEqual({ outcome: "problem", code: "payment_not_found" });
  });
});

test("a call and an inquiry end with the time that refunds waits for them", async () => {
  const refund = await reserved();
  freeze();
  const deadlineAt = Date.now() + 3_000;
  for (const reply of await Promise.all([carryOut(refund, deadlineAt), inquire(refund, deadlineAt)]))
    expect(reply).toMatchObject({
      outcome: "done",
      result: { answer: { kind: "unknown", cause: "timeout" } },
    });
});

test("an approved one whose reservation is not there is paid when it is, and once", async () => {
  const refundId = await refunds.queue(await refunds.pay(), "1000");
  const reserve = async (state: string) =>
    await refunds.query("update payments.refund_reservation set state = $2 where refund_id = $1", [
      refundId,
      state,
    ]);
  const agreed = await refunds.agree(refundId);
  await reserve("RELEASED");
  // Nobody agrees to an amount that is not reserved, and a person who has agreed before has decided.
  expect(await refunds.approve(refundId)).toMatchObject({ code: "refund_already_decided" });
  await refunds.operate(operations.approveRefund.command, { refundId, ...agreed });
  await eventually(async () => {
    const refund = await refunds.describe(refundId);
    expect(refund).toMatchObject({ result: { lastInquiry: "acquirer_unavailable" } });
  });
  expect(await refunds.ledger(refundId)).toEqual([]);
  await reserve("ACTIVE");
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
  expect(await refunds.ledger(refundId)).toEqual(["refund approved 1000"]);
});

// This test is the last: a later test might send on a connection that has not found the bus again.
test("a bus that breaks while the bank works has it pay once", async () => {
  const refundId = await refunds.queue(await refunds.pay(), "1000");
  freeze();
  const approving = refunds.approve(refundId);
  await eventually(() => expect(front.waiting(refundId)).toBe(1));
  await refunds.nats.kill();
  await refunds.nats.restart();
  // Recovery's inquiry comes next; a copy of the call would be paid, too.
  await eventually(() => expect(front.waiting(refundId)).toBe(2));
  front.thaw();
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
  expect(await refunds.ledger(refundId)).toEqual(["refund approved 1000"]);
  await approving;
});
