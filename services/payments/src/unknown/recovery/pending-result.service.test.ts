import { operations } from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import { threeDs, type ThreeDsSteps } from "../../../test/three-ds-harness.ts";

/** A bank that accepts a payment and decides on it later. What it has not seen is reversed after a moment. */
let payments: PaymentsHarness;
let steps: ThreeDsSteps;

beforeAll(async () => {
  payments = await startPaymentsHarness({
    RECOVERY_SCHEDULE: "20ms,40ms,60ms,80ms",
    RECOVERY_INTERVAL: "20ms",
    REVERSE_UNSEEN_AFTER: "50ms",
  });
  steps = threeDs(payments);
});
afterAll(() => payments.close());

const PENDING = { outcome: "pending", result: { status: "ENROLLED" } };

async function acceptedSale(): Promise<string> {
  await payments.acquirerWill("sale", "pending");
  const command = payments.command({ cardData: { pan: "5555555555554444" } });
  expect(await payments.call(operations.pay.command, command)).toMatchObject(PENDING);
  return command.paymentId;
}

/**
 * True when the bank was asked after the time for reversing unseen payments, and answered that it has not
 * decided.
 */
const isAskedInVain = (paymentId: string) =>
  eventually(async () => {
    const [row] = await payments.query<{ state: string }>(
      `select state from payments.payment where payment_id = $1 and last_inquiry = 'pending'
         and recovery_attempts >= 3 and now() - coalesce(recovery_from, created_at) > interval '100 ms'`,
      [paymentId],
    );
    return row ? row.state : false;
  });

async function decide(reference: string, outcome: "approved" | "declined"): Promise<void> {
  const { status } = await fetch(`${payments.acquirer.url}/decisions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ reference, outcome }),
  });
  expect(status).toBe(200);
}

test.each([
  ["approved", "SUCCESS", "inquiry_approved"],
  ["declined", "FAILED", "inquiry_declined"],
] as const)(
  "what the bank has accepted stays undecided until an inquiry shows it %s",
  async (outcome, state, cause) => {
    const paymentId = await acceptedSale();
    expect(await isAskedInVain(paymentId)).toBe("AUTHORIZING");
    expect(await payments.read(paymentId)).toMatchObject({ result: { status: "ENROLLED" } });
    await decide(paymentId, outcome);
    expect(await steps.ended(paymentId)).toMatchObject({
      state,
      history: ["AUTHORIZING", state],
      ledger: [`sale ${outcome}`],
      events: [state],
    });
    expect((await steps.causes(paymentId)).at(-1)).toBe(cause);
  },
);

test("the completion of a challenge may be accepted only, too", async () => {
  const payment = await steps.challenged();
  const proof = await steps.answer(payment.challenge, "right");
  await payments.acquirerWill("complete", "pending");
  expect(await steps.comeBack(payment, proof)).toMatchObject({
    outcome: "pending",
    result: { payment: { status: "ENROLLED" } },
  });
  expect(await isAskedInVain(payment.paymentId)).toBe("AUTHORIZING");
  // The browser comes again, and the bank is not asked to complete it again.
  expect(await steps.comeBack(payment, proof)).toMatchObject({ outcome: "pending" });
  await decide(payment.paymentId, "approved");
  expect(await steps.ended(payment.paymentId)).toMatchObject({
    state: "SUCCESS",
    ledger: ["sale approved"],
    events: ["SUCCESS"],
  });
});

test("what is decided too late for its buyer is given back", async () => {
  const paymentId = await acceptedSale();
  await isAskedInVain(paymentId);
  // Between two looks of recovery: one under way would end the payment by the time that it has read.
  await eventually(async () => {
    const rows = await payments.query(
      `update payments.payment set created_at = now() - interval '1 hour'
       where payment_id = $1 and (lease_until is null or lease_until < now()) returning payment_id`,
      [paymentId],
    );
    expect(rows).toHaveLength(1);
  });
  await decide(paymentId, "approved");
  await payments.query("update payments.payment set recover_at = now() where payment_id = $1", [paymentId]);
  expect(await steps.ended(paymentId)).toMatchObject({
    state: "FAILED",
    ledger: ["sale approved", "reverse approved"],
    events: ["FAILED"],
  });
});
