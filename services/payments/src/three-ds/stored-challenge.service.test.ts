import { randomUUID } from "node:crypto";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../test/payments-harness.ts";
import { CHALLENGED, threeDs, type ThreeDsSteps } from "../../test/three-ds-harness.ts";

let payments: PaymentsHarness;
let steps: ThreeDsSteps;

beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" });
  steps = threeDs(payments);
});
afterAll(() => payments.close());

type Stored = { challenge: unknown; challenge_url: string | null; challenge_fields: unknown };
const EMPTY: Stored = { challenge: null, challenge_url: null, challenge_fields: null };

async function stored(paymentId: string): Promise<Stored> {
  const [row] = await payments.query<Stored>(
    "select challenge, challenge_url, challenge_fields from payments.three_ds_session where payment_id = $1",
    [paymentId],
  );
  return row!;
}

/** The row as a process of the version before writes it. */
async function writtenBefore(change = "") {
  const payment = await steps.challenged();
  await payments.query(
    `update payments.three_ds_session set challenge_url = challenge ->> 'url',
       challenge_fields = challenge -> 'fields', challenge = null ${change}
     where payment_id = $1`,
    [payment.paymentId],
  );
  return payment;
}

describe("a challenge is kept", () => {
  test("in one column, until its payment is completed", async () => {
    const payment = await steps.challenged();
    const { url, fields } = payment.challenge;
    expect(await stored(payment.paymentId)).toEqual({ ...EMPTY, challenge: { type: "post", url, fields } });
    await steps.answer(payment.challenge, "right");
    await steps.complete(payment);
    expect(await stored(payment.paymentId)).toEqual(EMPTY);
  });

  test("until its session ends, also one of the version before; others stay", async () => {
    const open = [await steps.challenged(), await writtenBefore()];
    const ended = [await steps.challenged(), await writtenBefore()];
    for (const { paymentId } of ended) await steps.expire(paymentId);
    await payments.startAnother();
    for (const { paymentId } of ended) {
      await eventually(async () => expect(await stored(paymentId)).toEqual(EMPTY));
    }
    for (const { paymentId } of open) expect(await stored(paymentId)).not.toEqual(EMPTY);
  });

  test("in no answer of an Idempotency-Key", async () => {
    const command = steps.command(CHALLENGED);
    const reply = await steps.enrol(command, {
      idempotency: { key: randomUUID(), scope: "POST /api/3ds" },
    });
    const challenge = ("result" in reply && reply.result.challenge) || undefined;
    const [row] = await payments.query<{ answer: string }>(
      "select convert_from(answer, 'UTF8') as answer from payments.idempotency_key where resource_id = $1",
      [command.paymentId],
    );
    expect(row?.answer).toContain(command.pageUrl);
    expect(row?.answer).not.toContain(challenge?.fields["session"]);
  });
});

describe("a challenge that a process of the version before has written", () => {
  test("is shown, passed and emptied", async () => {
    const payment = await writtenBefore();
    expect(await steps.readSession(payment)).toMatchObject({ result: { challenge: payment.challenge } });
    await steps.answer(payment.challenge, "right");
    expect(await steps.complete(payment)).toMatchObject({ result: { payment: { status: "SUCCESS" } } });
    expect(await stored(payment.paymentId)).toEqual(EMPTY);
  });
});

test("a page of the bank's own is shown by our page only, while it is open", async () => {
  const modes = (change: object) =>
    fetch(`${payments.acquirer.url}/modes`, { method: "PUT", body: JSON.stringify(change) });
  await modes({ challenge: "page" });
  const command = steps.command(CHALLENGED);
  const reply = await steps.enrol(command);
  await modes({ challenge: "form" });
  expect(reply).toMatchObject({
    outcome: "done",
    result: { status: "ENROLLED", challengeWay: { pageUrl: command.pageUrl, expiresAt: expect.any(String) } },
  });
  expect("result" in reply && reply.result).not.toHaveProperty("challenge");
  expect(await steps.readSession(command)).toMatchObject({
    result: {
      challenge: {
        pageUrl: command.pageUrl,
        html: expect.stringContaining(`action="${payments.acquirer.url}/acs/challenge"`),
      },
    },
  });
  await steps.expire(command.paymentId);
  const over = await steps.readSession(command);
  expect("result" in over && over.result.challenge).toBeUndefined();
});
