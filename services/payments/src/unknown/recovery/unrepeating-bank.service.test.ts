import { randomUUID } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { evenSchedule, eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

/**
 * A bank that carries out a request as often as it gets it: a lost call may still be on its way, and must not
 * be overtaken.
 */
let payments: PaymentsHarness;

/** Longer than any answered call and than any test: ends are moved into the past instead. */
const CALL = 5_000;
const LATE = 600_000;

beforeAll(async () => {
  payments = await startPaymentsHarness(
    {
      ACQUIRER_TIMEOUT: `${CALL}ms`,
      ACQUIRER_LATE_ARRIVAL: `${LATE}ms`,
      RECOVERY_SCHEDULE: evenSchedule(300, 400),
      RECOVERY_INTERVAL: "30ms",
    },
    { repetition: "none" },
  );
});
beforeEach(() => payments.acquirerWillBehave());
afterAll(() => payments.close());

/** A capture whose request is still somewhere between us and the bank. */
async function lostCapture(): Promise<{ paymentId: string; operationId: string }> {
  const command = payments.command({ amountMinor: "10000" });
  expect(await payments.call(operations.preAuthorize.command, command)).toMatchObject({ outcome: "done" });
  const capture = { paymentId: command.paymentId, operationId: randomUUID() };
  await payments.acquirerWill("capture", "hang_before");
  expect(await payments.call(operations.capture.command, capture)).toMatchObject({ outcome: "pending" });
  return capture;
}

const ledger = async (paymentId: string) =>
  (await payments.ledger(paymentId)).map(({ operation, outcome }) => `${operation} ${outcome}`);

const attempts = async (paymentId: string) => {
  const [row] = await payments.query<{ recovery_attempts: number; last_inquiry: string | null }>(
    "select recovery_attempts, last_inquiry from payments.payment where payment_id = $1",
    [paymentId],
  );
  return row!;
};

const captured = (paymentId: string) =>
  eventually(async () => {
    const reply = await payments.read(paymentId);
    return reply.outcome === "done" && reply.result.status === "CAPTURED";
  });

const sentAt = async (operationId: string): Promise<Date> => {
  const [row] = await payments.query<{ sent_at: Date }>(
    "select max(sent_at) as sent_at from payments.bank_call where movement_id = $1",
    [operationId],
  );
  return row!.sent_at;
};

/** Moves the operation's last sending so far back. */
async function sentAgo(operationId: string, ms: number): Promise<Date> {
  await payments.query(
    `update payments.bank_call set sent_at = clock_timestamp() - $2 * interval '1 ms' where movement_id = $1`,
    [operationId, ms],
  );
  return await sentAt(operationId);
}

/** Waits until recovery has begun and ended once more: an earlier round may have read older times. */
async function anotherLook(paymentId: string): Promise<void> {
  const { recovery_attempts: before } = await attempts(paymentId);
  await eventually(async () => (await attempts(paymentId)).recovery_attempts >= before + 2);
}

/** Brings to the bank the call that was on its way. */
async function arrive(operation: string, reference: string, parentReference: string): Promise<void> {
  const body = { reference, parentReference, amountMinor: 10_000 };
  expect(await payments.acquirerGets(operation, body)).toMatchObject({ outcome: "approved" });
}

describe("a capture that the bank has not seen", () => {
  test("is not sent again while the first request may arrive, and is done when it has", async () => {
    const { paymentId, operationId } = await lostCapture();
    await eventually(async () => (await attempts(paymentId)).recovery_attempts >= 4);
    expect(await attempts(paymentId)).toMatchObject({ last_inquiry: "not_found" });
    expect(await ledger(paymentId)).toEqual(["authorize approved"]);
    await arrive("capture", `${paymentId}:capture:${operationId}`, paymentId);
    await captured(paymentId);
    expect(await ledger(paymentId)).toEqual(["authorize approved", "capture approved"]);
  });

  test("is sent again when the first request can no longer arrive, and then waits as long for that one", async () => {
    const { paymentId, operationId } = await lostCapture();
    await payments.acquirerWill("capture", "hang_before");
    const still = await sentAgo(operationId, CALL + LATE - 60_000);
    await anotherLook(paymentId);
    expect(await sentAt(operationId)).toEqual(still);
    const long = await sentAgo(operationId, CALL + LATE);
    const second = await eventually(async () => {
      const at = await sentAt(operationId);
      return at > long && at;
    });
    await anotherLook(paymentId);
    expect(await sentAt(operationId)).toEqual(second);
    expect(await ledger(paymentId)).toEqual(["authorize approved"]);
    await sentAgo(operationId, CALL + LATE);
    await captured(paymentId);
    expect(await ledger(paymentId)).toEqual(["authorize approved", "capture approved"]);
  });
});

describe("the refund that gives back a settled charge", () => {
  const reverse = (paymentId: string) =>
    payments.operate(operations.reversePayment.command, { paymentId }, "alice");
  const look = async (paymentId: string) => (await attempts(paymentId)).last_inquiry;

  test("is not sent again while the first request may arrive", async () => {
    const command = payments.command({ amountMinor: "10000", cardData: { pan: "4000000000000119" } });
    await payments.acquirerWill("inquire", "http_500", 2);
    expect(await payments.call(operations.pay.command, command)).toMatchObject({ outcome: "pending" });
    const { paymentId } = command;
    await payments.query(
      "update payments.payment set created_at = created_at - interval '1 hour' where payment_id = $1",
      [paymentId],
    );
    await fetch(`${payments.acquirer.url}/business-day/close`, { method: "POST" });
    await payments.acquirerWill("refund", "hang_before");
    await eventually(async () => {
      await reverse(paymentId);
      return (await look(paymentId)) === "refund_not_found";
    });
    expect(await ledger(paymentId)).toEqual(["sale approved"]);
    await arrive("refund", `${paymentId}:reversal`, paymentId);
    await eventually(async () => {
      await reverse(paymentId);
      const seen = await payments.operate(operations.getOperatorPayment.command, { paymentId });
      return seen.outcome === "done" && seen.result.payment.status === "FAILED";
    });
    expect(await ledger(paymentId)).toEqual(["sale approved", "refund approved"]);
  });

  test("is not sent while a reversal without an answer may arrive", async () => {
    const command = payments.command({ amountMinor: "10000", cardData: { pan: "4000000000000119" } });
    await payments.acquirerWill("inquire", "http_500", 2);
    expect(await payments.call(operations.pay.command, command)).toMatchObject({ outcome: "pending" });
    const { paymentId } = command;
    await payments.acquirerWill("reverse", "hang_before");
    const sendings = async () =>
      (
        await payments.query<{ kind: string }>(
          "select kind from payments.bank_call where payment_id = $1 and kind = 'reverse'",
          [paymentId],
        )
      ).length;
    await eventually(async () => {
      await reverse(paymentId);
      return (await sendings()) > 0;
    });
    await fetch(`${payments.acquirer.url}/business-day/close`, { method: "POST" });
    await eventually(async () => {
      await reverse(paymentId);
      return (await look(paymentId)) === "reversal_may_arrive";
    });
    expect(await ledger(paymentId)).toEqual(["sale approved"]);
    await payments.query(
      "update payments.bank_call set sent_at = clock_timestamp() - $2 * interval '1 ms' where payment_id = $1",
      [paymentId, CALL + LATE],
    );
    await eventually(async () => {
      await reverse(paymentId);
      return (await ledger(paymentId)).length === 2;
    });
    expect(await ledger(paymentId)).toEqual(["sale approved", "refund approved"]);
  });
});
