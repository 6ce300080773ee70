import { orderIdOf } from "@holdfast/acquirer";
import { createSimulatorAcquirer } from "@holdfast/banks";
import { operations } from "@holdfast/contracts";
import { evenSchedule, eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import { CHALLENGED, FRICTIONLESS, threeDs, type ThreeDsSteps } from "../../../test/three-ds-harness.ts";

const FAST = {
  // The time that a call with a late answer takes, and that a call with an answer may take.
  ACQUIRER_TIMEOUT: "4s",
  RECOVERY_SCHEDULE: evenSchedule(100, 150),
  RECOVERY_INTERVAL: "30ms",
  REVERSE_UNSEEN_AFTER: "800ms",
};

let payments: PaymentsHarness;
let steps: ThreeDsSteps;

beforeAll(async () => {
  payments = await startPaymentsHarness(FAST);
  steps = threeDs(payments);
});
afterAll(() => payments.close());

/** Plays a bank that authorizes without our having asked. */
async function bankCompletes(
  harness: PaymentsHarness,
  payment: Awaited<ReturnType<ThreeDsSteps["challenged"]>>,
) {
  const acquirer = createSimulatorAcquirer({
    url: harness.acquirer.url,
    connectTimeoutMs: 60_000,
    connectionsMax: 1,
  });
  const outcome = await acquirer.complete({
    reference: payment.paymentId,
    orderId: orderIdOf(payment.paymentId),
    operation: "sale",
    installmentCount: 1,
    session: payment.challenge.fields["session"] ?? "",
    amountMinor: BigInt(payment.amountMinor),
    currency: payment.currency,
    expiresAt: new Date(Date.now() + 60_000),
  });
  await acquirer.close();
  return outcome;
}

describe("a session that nobody finished", () => {
  test("is CANCELLED once the bank has bound its reference, with a webhook", async () => {
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "right");
    await steps.expire(payment.paymentId);
    expect(await steps.ended(payment.paymentId)).toEqual({
      state: "CANCELLED",
      resultCode: "abandoned",
      history: ["ENROLLING", "ENROLLED", "CANCELLING", "CANCELLED"],
      ledger: ["reverse approved"],
      events: ["CANCELLED"],
    });
    expect(await steps.complete(payment)).toMatchObject({
      outcome: "done",
      result: { payment: { status: "CANCELLED" } },
    });
    expect(await steps.ledger(payment.paymentId)).toEqual(["reverse approved"]);
  });

  test("ends by itself when its time is over", async () => {
    const brief = await startPaymentsHarness({ ...FAST, THREE_DS_SESSION_DURATION: "1s" });
    const short = threeDs(brief);
    const payment = await short.challenged();
    expect(await short.ended(payment.paymentId)).toMatchObject({ state: "CANCELLED", events: ["CANCELLED"] });
    await brief.close();
  });

  test("is adopted where the bank has approved by itself", async () => {
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "right");
    expect(await bankCompletes(payments, payment)).toMatchObject({ kind: "approved" });
    await steps.expire(payment.paymentId);
    expect(await steps.ended(payment.paymentId)).toMatchObject({
      state: "SUCCESS",
      history: ["ENROLLING", "ENROLLED", "SUCCESS"],
      ledger: ["sale approved"],
      events: ["SUCCESS"],
    });
    expect(await steps.evidence(payment.paymentId)).toEqual(["Y", "05", true]);
  });

  test("is reversed where the bank's approval is found too late", async () => {
    const strict = await startPaymentsHarness({ ...FAST, ADOPT_WITHIN: "1ms" });
    const late = threeDs(strict);
    const payment = await late.challenged();
    await late.answer(payment.challenge, "right");
    await bankCompletes(strict, payment);
    await late.expire(payment.paymentId);
    expect(await late.ended(payment.paymentId)).toMatchObject({
      state: "CANCELLED",
      ledger: ["sale approved", "reverse approved"],
      events: ["CANCELLED"],
    });
    await strict.close();
  });

  test("is FAILED where the bank has declined by itself", async () => {
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "wrong");
    await bankCompletes(payments, payment);
    await steps.expire(payment.paymentId);
    expect(await steps.ended(payment.paymentId)).toMatchObject({
      state: "FAILED",
      resultCode: "authentication_failed",
      ledger: ["sale declined"],
    });
    expect(await steps.evidence(payment.paymentId)).toEqual(["N", "07", true]);
  });

  test("is not CANCELLED before its reversal is acknowledged, however often that takes", async () => {
    const payment = await steps.challenged();
    await payments.acquirerWill("inquire", "http_500", 2);
    await payments.acquirerWill("reverse", "refuse", 1);
    await payments.acquirerWill("reverse", "hang_before", 1);
    await payments.acquirerWill("reverse", "refuse", 1_000);
    await steps.expire(payment.paymentId);
    await eventually(async () => (await steps.history(payment.paymentId)).includes("CANCELLING"));
    expect(await payments.read(payment.paymentId)).toMatchObject({ result: { status: "ENROLLED" } });
    await payments.acquirerWillBehave();
    expect(await steps.ended(payment.paymentId)).toMatchObject({
      state: "CANCELLED",
      history: ["ENROLLING", "ENROLLED", "CANCELLING", "CANCELLED"],
      ledger: ["reverse approved"],
      events: ["CANCELLED"],
    });
  });
});

describe("an enrolment whose answer is", () => {
  test.each(["hang", "hang_before", "late", "late_effect", "http_500", "garbage", "wrong_amount", "reset"])(
    "lost (%s) is ENROLLED without a challenge, is reversed, and only then FAILED",
    async (behaviour) => {
      await payments.acquirerWill("enrol", behaviour);
      const command = steps.command(CHALLENGED);
      const reply = await steps.enrol(command);
      expect(reply).toMatchObject({ outcome: "pending", result: { status: "ENROLLED" } });
      expect("result" in reply && reply.result.challenge).toBeUndefined();
      expect(await steps.ended(command.paymentId)).toEqual({
        state: "FAILED",
        resultCode: "reversed",
        history: ["ENROLLING", "REVERSING", "FAILED"],
        ledger: ["reverse approved"],
        events: ["FAILED"],
      });
      expect(await steps.complete(command)).toMatchObject({ result: { payment: { status: "FAILED" } } });
    },
  );

  test("not sent at all is FAILED at once: there is nothing to undo", async () => {
    const alone = await startPaymentsHarness(FAST);
    const unreachable = threeDs(alone);
    await alone.acquirer.close();
    const command = unreachable.command(CHALLENGED);
    expect(await unreachable.enrol(command)).toMatchObject({
      outcome: "done",
      result: { status: "FAILED", resultCode: "acquirer_unavailable" },
    });
    expect(await unreachable.history(command.paymentId)).toEqual(["ENROLLING", "FAILED"]);
    await alone.close();
  });
});

describe("a completion whose answer is lost", () => {
  const ADOPTED = { state: "SUCCESS", ledger: ["sale approved"], events: ["SUCCESS"] };
  const REVERSED = { state: "FAILED", resultCode: "reversed", events: ["FAILED"] };

  test.each([
    ["hang", ADOPTED],
    ["late", ADOPTED],
    ["http_500", ADOPTED],
    ["garbage", ADOPTED],
    ["reset", ADOPTED],
    ["wrong_amount", { ...REVERSED, ledger: ["sale approved", "reverse approved"] }],
    ["hang_before", { ...REVERSED, ledger: ["reverse approved"] }],
  ])("(%s) is found out", async (behaviour, end) => {
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "right");
    await payments.acquirerWill("complete", behaviour);
    // Recovery may have found it out by the time this is answered.
    const reply = await steps.complete(payment);
    expect("result" in reply && reply.result.payment.status).toBeOneOf(["ENROLLED", end.state]);
    expect(await steps.ended(payment.paymentId)).toMatchObject(end);
    expect(await steps.complete(payment)).toMatchObject({ result: { payment: { status: end.state } } });
  });

  test("and takes effect late is either adopted or refused by the tombstone", async () => {
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "right");
    await payments.acquirerWill("complete", "late_effect");
    await steps.complete(payment);
    const { state, ledger } = await steps.ended(payment.paymentId);
    if (state === "SUCCESS") expect(ledger).toEqual(["sale approved"]);
    else expect([state, ledger[0]]).toEqual(["FAILED", "reverse approved"]);
  });

  test("and declined is FAILED without a reversal", async () => {
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "wrong");
    await payments.acquirerWill("complete", "http_500");
    await steps.complete(payment);
    expect(await steps.ended(payment.paymentId)).toMatchObject({
      state: "FAILED",
      resultCode: "authentication_failed",
      ledger: ["sale declined"],
    });
  });

  test("without a challenge is found out, too", async () => {
    await payments.acquirerWill("complete", "http_500");
    const command = steps.command(FRICTIONLESS);
    expect(await steps.enrol(command)).toMatchObject({ outcome: "pending" });
    expect(await steps.ended(command.paymentId)).toMatchObject(ADOPTED);
  });

  test("counts its age from the completion, not from the claim", async () => {
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "right");
    await payments.query(
      "update payments.payment set created_at = now() - interval '9 minutes' where payment_id = $1",
      [payment.paymentId],
    );
    await payments.acquirerWill("complete", "hang");
    await steps.complete(payment);
    expect(await steps.ended(payment.paymentId)).toMatchObject(ADOPTED);
  });
});

test("with the acquirer gone after the challenge, the completion is unknown and not a decline", async () => {
  const alone = await startPaymentsHarness(FAST);
  const cut = threeDs(alone);
  const payment = await cut.challenged();
  await cut.answer(payment.challenge, "right");
  await alone.acquirer.close();
  expect(await cut.complete(payment)).toMatchObject({ outcome: "pending" });
  expect(await cut.history(payment.paymentId)).toEqual(["ENROLLING", "ENROLLED", "AUTHORIZING"]);
  await alone.close();
});

describe("operators", () => {
  let idle: PaymentsHarness;
  let asked: ThreeDsSteps;
  beforeAll(async () => {
    idle = await startPaymentsHarness({ ...FAST, RECOVERY_INTERVAL: "1h" });
    asked = threeDs(idle);
  });
  afterAll(() => idle.close());

  const reverse = (paymentId: string) =>
    idle.operate(operations.reversePayment.command, { paymentId }, "alice");
  const resolve = (name: string, paymentId: string, outcome: "SUCCESS" | "FAILED") =>
    idle.operate(operations.resolvePayment.command, { paymentId, outcome, evidence: "call 17" }, name);

  /** The session ended an hour ago, so nothing of it can arrive any more. */
  const grown = async (paymentId: string) => {
    const ended = "recovery_from = now() - interval '1 hour' where payment_id = $1";
    await idle.query(`update payments.payment set ${ended}`, [paymentId]);
    const sent = "sent_at = sent_at - interval '1 hour' where payment_id = $1";
    await idle.query(`update payments.bank_call set ${sent}`, [paymentId]);
  };

  test("leave a challenge in progress to its cardholder", async () => {
    const { paymentId } = await asked.challenged();
    const refused = {
      outcome: "problem",
      code: "invalid_payment_state",
      extra: { currentStatus: "ENROLLED" },
    };
    expect(await reverse(paymentId)).toEqual(refused);
    expect(await resolve("alice", paymentId, "FAILED")).toEqual(refused);
    expect(await asked.history(paymentId)).toEqual(["ENROLLING", "ENROLLED"]);
  });

  test("can end a session that is over: reversed it is CANCELLED, and never SUCCESS", async () => {
    const { paymentId } = await asked.challenged();
    await asked.expire(paymentId);
    await grown(paymentId);
    await idle.acquirerWill("reverse", "hang_before");
    expect(await reverse(paymentId)).toMatchObject({ result: { state: "CANCELLING", unresolved: true } });
    expect(await resolve("alice", paymentId, "SUCCESS")).toMatchObject({ code: "reversal_pending" });
    expect(await reverse(paymentId)).toMatchObject({ result: { state: "CANCELLED", unresolved: false } });
    expect(await asked.ended(paymentId)).toMatchObject({
      ledger: ["reverse approved"],
      events: ["CANCELLED"],
    });
  });

  test("resolve it two by two, by what the bank told them", async () => {
    for (const [outcome, state] of [
      ["FAILED", "CANCELLED"],
      ["SUCCESS", "SUCCESS"],
    ] as const) {
      const { paymentId } = await asked.challenged();
      await asked.expire(paymentId);
      await grown(paymentId);
      await resolve("alice", paymentId, outcome);
      await resolve("bob", paymentId, outcome);
      expect(await asked.ended(paymentId)).toMatchObject({ state, events: [state] });
    }
  });
});
