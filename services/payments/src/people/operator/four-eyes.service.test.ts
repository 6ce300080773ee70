import { randomUUID } from "node:crypto";
import { operations, payCheckout } from "@holdfast/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { personAs } from "@holdfast/tests/support";
import { checkouts } from "../../../test/checkout-harness.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

/** The issuer of the requesting credential must not decide the payment's outcome. */
let payments: PaymentsHarness;

beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_SCHEDULE: "1h", RECOVERY_INTERVAL: "1h" });
});
afterAll(() => payments.close());

const NEVER_SEEN_BY_BANK = { pan: "4000000000000127" };
const ISSUED_BY_YOU = {
  outcome: "problem",
  code: "same_person",
  detail: "You issued the credential with which this was requested.",
};

/** The merchant's context, signed in with a credential that `issuer` issued. */
const signedInBy = (issuer: string) =>
  payments.context({ merchant: { merchantId: payments.merchantId, credentialIssuedBy: personAs(issuer) } });
const resolve = (name: string, paymentId: string) =>
  payments.operate(
    operations.resolvePayment.command,
    { paymentId, outcome: "FAILED", evidence: "call 17" },
    name,
  );

async function unresolved(issuer: string): Promise<string> {
  const command = payments.command({ cardData: NEVER_SEEN_BY_BANK });
  expect(await payments.send(command, signedInBy(issuer))).toMatchObject({ outcome: "pending" });
  return await grown(command.paymentId);
}

/**
 * Makes the payment old enough for operators to decide about it: nothing that was sent can arrive any more.
 */
async function grown(paymentId: string): Promise<string> {
  const earlier = "created_at = created_at - interval '1 minute' where payment_id = $1";
  await payments.query(`update payments.payment set ${earlier}`, [paymentId]);
  await payments.query(`update payments.payment_operation set ${earlier}`, [paymentId]);
  const sent = "sent_at = sent_at - interval '1 hour' where payment_id = $1";
  await payments.query(`update payments.bank_call set ${sent}`, [paymentId]);
  return paymentId;
}

const audited = async (paymentId: string) =>
  (
    await payments.query<{ actor: string; action: string; code: string | null }>(
      `select actor, action, detail::json->>'code' as code
       from payments.audit_entry where subject = $1 order by sequence`,
      [paymentId],
    )
  ).map(({ actor, action, code }) => [actor, action, ...(code === null ? [] : [code])].join(" "));

const issuerOf = async (paymentId: string) =>
  (
    await payments.query<{ credential_issued_by: string | null }>(
      "select credential_issued_by from payments.payment where payment_id = $1",
      [paymentId],
    )
  )[0]?.credential_issued_by;

describe("a payment is resolved by nobody who issued the credential it was made with", () => {
  test("neither as the first person nor as the second; each attempt is a line of the audit log", async () => {
    const paymentId = await unresolved("alice");
    expect(await resolve("alice", paymentId)).toEqual(ISSUED_BY_YOU);
    expect(await resolve("bora", paymentId)).toMatchObject({
      result: { unresolved: true, credentialIssuedBy: "alice", resolution: { proposedBy: "bora" } },
    });
    expect(await resolve("alice", paymentId)).toEqual(ISSUED_BY_YOU);
    expect(await resolve("bora", paymentId)).toEqual({ outcome: "problem", code: "same_person" });
    expect(await resolve("cem", paymentId)).toMatchObject({ result: { payment: { status: "FAILED" } } });
    expect(await audited(paymentId)).toEqual([
      "alice payment.resolution_refused same_person",
      "bora payment.resolution_proposed",
      "alice payment.resolution_refused same_person",
      "bora payment.resolution_refused same_person",
      "cem payment.reversal_decided",
      "cem payment.resolved",
    ]);
  });

  test("nor is a capture by who issued the credential that captured, where another one paid", async () => {
    const command = payments.command({ amountMinor: "10000" });
    await payments.send(command, signedInBy("bora"));
    const { paymentId } = command;
    // A capture that the bank carries out and never answers.
    const capture = { paymentId, operationId: randomUUID(), amount: "10.92" };
    expect(await payments.request(operations.capture.command, signedInBy("alice"), capture)).toMatchObject({
      outcome: "pending",
    });
    await grown(paymentId);
    expect(await resolve("alice", paymentId)).toEqual(ISSUED_BY_YOU);
    expect(await resolve("bora", paymentId)).toEqual(ISSUED_BY_YOU);
    expect(await resolve("cem", paymentId)).toMatchObject({ result: { resolution: { proposedBy: "cem" } } });
  });

  test("where none is known, two people suffice", async () => {
    const command = payments.command({ cardData: NEVER_SEEN_BY_BANK });
    await payments.send(command);
    await grown(command.paymentId);
    await resolve("alice", command.paymentId);
    expect(await resolve("bora", command.paymentId)).toMatchObject({
      result: { payment: { status: "FAILED" } },
    });
  });
});

test.each([false, true])(
  "a checkout's payment keeps who issued the credential, 3-D Secure %s",
  async (threeDs) => {
    const steps = checkouts(payments);
    const order = steps.order({ threeDs });
    await payments.request(operations.createCheckout.command, signedInBy("alice"), order);
    const form = steps.form(order.checkoutId);
    expect(await payments.call(payCheckout, form)).toMatchObject({ outcome: "done" });
    expect(await issuerOf(form.paymentId)).toBe(personAs("alice"));
  },
);
