import { randomUUID } from "node:crypto";
import { armFailpoints } from "@holdfast/service-runtime";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import {
  CHALLENGED,
  FRICTIONLESS,
  threeDs,
  UNAUTHENTICATED,
  type ThreeDsSteps,
} from "../../../test/three-ds-harness.ts";

let payments: PaymentsHarness;
let steps: ThreeDsSteps;

beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" });
  steps = threeDs(payments);
});
afterEach(() => void armFailpoints(undefined));
afterAll(() => payments.close());

describe("an enrolment", () => {
  test("of a card that wants a challenge is ENROLLED, with the way there and its end", async () => {
    const command = steps.command(CHALLENGED);
    const before = Date.now();
    const reply = await steps.enrol(command);
    expect(reply).toMatchObject({
      outcome: "done",
      result: {
        paymentId: command.paymentId,
        status: "ENROLLED",
        merchantCommission: 0,
        challenge: { pageUrl: command.pageUrl, url: expect.stringMatching(/\/acs\/challenge$/) },
      },
    });
    const challenge = "result" in reply ? reply.result.challenge : undefined;
    const expiresAt = Date.parse(challenge?.expiresAt ?? "");
    expect(expiresAt).toBeGreaterThanOrEqual(before + 599_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 601_000);
    expect(await steps.history(command.paymentId)).toEqual(["ENROLLING", "ENROLLED"]);
    expect(await steps.ledger(command.paymentId)).toEqual([]);
    expect(await steps.events(command.paymentId)).toEqual([]);
    expect(await payments.read(command.paymentId)).toMatchObject({ result: { status: "ENROLLED" } });
  });

  test.each([
    ["needs no challenge", FRICTIONLESS, "Y", "05"],
    ["does not take part", "4111111111111111", "A", "06"],
    ["does not take part, of another scheme", "5555555555554444", "A", "01"],
  ])("of a card that %s goes straight on to SUCCESS", async (_case, pan, transStatus, eci) => {
    const command = steps.command(pan);
    const reply = await steps.enrol(command);
    expect(reply).toMatchObject({
      outcome: "done",
      result: { status: "SUCCESS", authCode: expect.any(String) },
    });
    expect("result" in reply && reply.result.challenge).toBeUndefined();
    expect(await steps.ended(command.paymentId)).toMatchObject({
      history: ["ENROLLING", "AUTHORIZING", "SUCCESS"],
      ledger: ["sale approved"],
      events: ["SUCCESS"],
    });
    expect(await steps.evidence(command.paymentId)).toEqual([transStatus, eci, true]);
  });

  test("for a pre-authorization only reserves", async () => {
    const command = steps.command(FRICTIONLESS, { transactionType: "PRE_AUTHORIZATION" });
    expect(await steps.enrol(command)).toMatchObject({ result: { status: "SUCCESS" } });
    expect(await steps.ledger(command.paymentId)).toEqual(["authorize approved"]);
  });

  test("of a card whose holder is not authenticated is FAILED, and nothing is held", async () => {
    const command = steps.command(UNAUTHENTICATED);
    expect(await steps.enrol(command)).toMatchObject({
      outcome: "done",
      result: { status: "FAILED", resultCode: "authentication_failed" },
    });
    expect(await steps.ended(command.paymentId)).toMatchObject({
      history: ["ENROLLING", "FAILED"],
      ledger: ["sale declined"],
      events: ["FAILED"],
    });
  });

  test("of a card the bank declines is FAILED", async () => {
    const command = steps.command("4000000000009995");
    expect(await steps.enrol(command)).toMatchObject({
      outcome: "done",
      result: { status: "FAILED", resultCode: "51" },
    });
    expect(await steps.ledger(command.paymentId)).toEqual(["sale declined"]);
  });

  test("that is claimed too late is never sent to the bank", async () => {
    const command = steps.command(CHALLENGED);
    const hits = armFailpoints("payments.after_enrolment_claim:delay(1500ms)@1");
    expect(await steps.enrol(command, { deadlineAt: Date.now() + 1_000 })).toMatchObject({
      outcome: "done",
      result: { status: "FAILED", resultCode: "deadline_passed" },
    });
    expect(hits("payments.after_enrolment_claim")).toBe(1);
    expect(await steps.ended(command.paymentId)).toMatchObject({ ledger: [], events: ["FAILED"] });
  });

  test("that is answered too late without a challenge is not authorized", async () => {
    const command = steps.command(FRICTIONLESS);
    armFailpoints("payments.after_enrolment:delay(1500ms)@1");
    expect(await steps.enrol(command, { deadlineAt: Date.now() + 1_000 })).toMatchObject({
      outcome: "pending",
    });
    expect(await steps.history(command.paymentId)).toEqual(["ENROLLING", "REVERSING"]);
    expect(await steps.ledger(command.paymentId)).toEqual([]);
  });

  test("refuses installments the card does not allow", async () => {
    const command = steps.command("4000000000009995", { installmentCount: 12 });
    expect(await steps.enrol(command)).toMatchObject({ code: "installments_not_allowed" });
    expect(await payments.read(command.paymentId)).toMatchObject({ code: "payment_not_found" });
  });

  test("keeps neither number nor cvv, of a challenge either", async () => {
    const { paymentId } = await steps.challenged();
    const [row] = await payments.query<{ whole: string }>(
      `select concat(to_jsonb(payment), to_jsonb(session)) as whole
       from payments.payment join payments.three_ds_session as session using (payment_id) where payment_id = $1`,
      [paymentId],
    );
    expect(row?.whole).not.toMatch(new RegExp(`${CHALLENGED}|"123"`));
  });
});

describe("under an Idempotency-Key", () => {
  const keyed = () => ({ idempotency: { key: randomUUID(), scope: "POST /api/3ds" } });

  test("a repetition gets the same challenge while it is open, and afterwards the way to our page", async () => {
    const context = keyed();
    const command = steps.command(CHALLENGED);
    const first = await steps.enrol(command, context);
    const again = () => steps.enrol({ ...steps.command(CHALLENGED), orderId: command.orderId }, context);
    expect(await again()).toEqual({ ...first, replayed: true });
    await steps.complete(command);
    const { challenge, ...rest } = "result" in first ? first.result : {};
    expect(challenge).toBeDefined();
    expect(await again()).toEqual({ ...first, result: rest, replayed: true });
    expect(rest).toMatchObject({ challengeWay: { pageUrl: command.pageUrl } });
  });

  test("a repetition that finds no stored answer hears of the challenge, too", async () => {
    const context = keyed();
    const command = steps.command(CHALLENGED);
    const first = await steps.enrol(command, context);
    await payments.query("update payments.idempotency_key set answer = null where resource_id = $1", [
      command.paymentId,
    ]);
    const again = await steps.enrol({ ...steps.command(CHALLENGED), orderId: command.orderId }, context);
    expect(again).toEqual({ ...first, replayed: true });
  });

  test("another return URL or another type is another request", async () => {
    const context = keyed();
    const orderId = "order-1";
    await steps.enrol(steps.command(CHALLENGED, { orderId }), context);
    for (const change of [
      { successUrl: "https://shop.example/elsewhere" },
      { failureUrl: "https://shop.example/elsewhere" },
      { transactionType: "PRE_AUTHORIZATION" as const },
    ]) {
      expect(await steps.enrol(steps.command(CHALLENGED, { orderId, ...change }), context)).toMatchObject({
        code: "idempotency_key_reused",
      });
    }
  });

  test("a frictionless success and a failure are replayed", async () => {
    for (const pan of [FRICTIONLESS, UNAUTHENTICATED]) {
      const context = keyed();
      const orderId = `of ${pan}`;
      const first = await steps.enrol(steps.command(pan, { orderId }), context);
      const again = await steps.enrol(steps.command(pan, { orderId }), context);
      expect(again).toEqual({ ...first, replayed: true });
    }
  });

  test("the gateway's copy of the message is answered with the one challenge", async () => {
    const command = steps.command(CHALLENGED);
    const [first, copy] = await Promise.all([steps.enrol(command), steps.enrol(command)]);
    expect(copy).toEqual(first);
    expect(await steps.history(command.paymentId)).toEqual(["ENROLLING", "ENROLLED"]);
  });
});

describe("a browser that is back", () => {
  test.each([
    ["PAYMENT", "sale"],
    ["PRE_AUTHORIZATION", "authorize"],
  ] as const)("after the right code makes a %s SUCCESS", async (transactionType, operation) => {
    const payment = await steps.challenged({ transactionType });
    await steps.answer(payment.challenge, "right");
    expect(await steps.complete(payment, payment.challenge.fields["session"])).toMatchObject({
      outcome: "done",
      result: {
        payment: { status: "SUCCESS", paymentId: payment.paymentId },
        successUrl: payment.successUrl,
        failureUrl: payment.failureUrl,
      },
    });
    expect(await steps.ended(payment.paymentId)).toMatchObject({
      history: ["ENROLLING", "ENROLLED", "AUTHORIZING", "SUCCESS"],
      ledger: [`${operation} approved`],
      events: ["SUCCESS"],
    });
  });

  test.each([
    ["wrong", "authentication_failed"],
    ["cancel", "authentication_cancelled"],
    [undefined, "authentication_incomplete"],
  ] as const)(
    "after the answer %s makes it FAILED with %s, and nothing is held",
    async (answer, resultCode) => {
      const payment = await steps.challenged();
      if (answer) await steps.answer(payment.challenge, answer);
      expect(await steps.complete(payment)).toMatchObject({
        outcome: "done",
        result: { payment: { status: "FAILED" } },
      });
      expect(await steps.ended(payment.paymentId)).toEqual({
        state: "FAILED",
        resultCode,
        history: ["ENROLLING", "ENROLLED", "AUTHORIZING", "FAILED"],
        ledger: ["sale declined"],
        events: ["FAILED"],
      });
    },
  );

  test("comes once: twenty returns at once are one completion, and all hear its end", async () => {
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "right");
    const replies = await Promise.all(Array.from({ length: 20 }, () => steps.complete(payment)));
    for (const reply of replies)
      expect(reply).toMatchObject({ outcome: "done", result: { payment: { status: "SUCCESS" } } });
    expect(await steps.ended(payment.paymentId)).toMatchObject({
      history: ["ENROLLING", "ENROLLED", "AUTHORIZING", "SUCCESS"],
      ledger: ["sale approved"],
      events: ["SUCCESS"],
    });
  });

  test("replayed after the end changes nothing: a failure cannot be passed after all", async () => {
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "wrong");
    await steps.complete(payment);
    const end = await steps.ended(payment.paymentId);
    await steps.answer(payment.challenge, "right").catch(() => undefined);
    expect(await steps.complete(payment)).toMatchObject({ result: { payment: { status: "FAILED" } } });
    expect(await steps.ended(payment.paymentId)).toEqual(end);
    expect(end).toMatchObject({
      history: ["ENROLLING", "ENROLLED", "AUTHORIZING", "FAILED"],
      events: ["FAILED"],
    });
  });

  test("of another session, of another payment, or with another acquirer's session changes nothing", async () => {
    const payment = await steps.challenged();
    const other = await steps.challenged();
    await steps.answer(payment.challenge, "right");
    await steps.answer(other.challenge, "right");
    const { paymentId, sessionId } = payment;
    const refused = { outcome: "problem", code: "three_ds_session_not_found" };
    expect(await steps.complete({ paymentId, sessionId: other.sessionId })).toEqual(refused);
    expect(await steps.complete({ paymentId, sessionId: randomUUID() })).toEqual(refused);
    expect(await steps.complete({ paymentId: randomUUID(), sessionId })).toEqual(refused);
    expect(await steps.complete(payment, other.challenge.fields["session"])).toMatchObject({
      outcome: "pending",
      result: { payment: { status: "ENROLLED" }, returnWas: "not_genuine" },
    });
    expect(await steps.readSession({ paymentId, sessionId: other.sessionId })).toEqual(refused);
    expect(await steps.history(paymentId)).toEqual(["ENROLLING", "ENROLLED"]);
    expect(await steps.ledger(paymentId)).toEqual([]);
  });

  test("too late changes nothing: the session's end decides", async () => {
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "right");
    await steps.expire(payment.paymentId);
    expect(await steps.complete(payment)).toMatchObject({
      outcome: "pending",
      result: { payment: { status: "ENROLLED" } },
    });
    expect(await steps.history(payment.paymentId)).toEqual(["ENROLLING", "ENROLLED"]);
    expect(await steps.ledger(payment.paymentId)).toEqual([]);
  });

  test("finds the end of a payment that was made without a challenge", async () => {
    const command = steps.command(FRICTIONLESS);
    await steps.enrol(command);
    expect(await steps.complete(command)).toMatchObject({
      outcome: "done",
      result: { payment: { status: "SUCCESS" } },
    });
  });

  test("waits while recovery or somebody else works on the payment, and changes nothing", async () => {
    const payment = await steps.challenged();
    await steps.answer(payment.challenge, "right");
    await payments.query(
      `update payments.payment set lease_token = gen_random_uuid(), lease_until = now() + interval '20 seconds'
       where payment_id = $1`,
      [payment.paymentId],
    );
    expect(await steps.complete(payment)).toMatchObject({ outcome: "pending" });
    expect(await steps.history(payment.paymentId)).toEqual(["ENROLLING", "ENROLLED"]);
  });
});

describe("reading", () => {
  test("a session shows the challenge while it can be passed, and later how the payment ended", async () => {
    const payment = await steps.challenged();
    expect(await steps.readSession(payment)).toMatchObject({
      outcome: "pending",
      result: { challenge: payment.challenge, payment: { status: "ENROLLED" } },
    });
    await steps.complete(payment);
    const reply = await steps.readSession(payment);
    expect(reply).toMatchObject({ outcome: "done", result: { payment: { status: "FAILED" } } });
    expect("result" in reply && reply.result.challenge).toBeUndefined();
    expect(await steps.history(payment.paymentId)).toEqual([
      "ENROLLING",
      "ENROLLED",
      "AUTHORIZING",
      "FAILED",
    ]);
  });

  test("a payment whose challenge is in progress asks nobody, however old it is", async () => {
    const payment = await steps.challenged();
    await payments.query(
      "update payments.payment set updated_at = now() - interval '1 hour', recover_at = now() where payment_id = $1",
      [payment.paymentId],
    );
    expect(await payments.read(payment.paymentId)).toMatchObject({ result: { status: "ENROLLED" } });
    expect(
      await payments.query(
        "select recovery_attempts, lease_token from payments.payment where payment_id = $1",
        [payment.paymentId],
      ),
    ).toEqual([{ recovery_attempts: 0, lease_token: null }]);
  });
});
