import { randomUUID } from "node:crypto";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import { CHALLENGED, threeDs, type ThreeDsSteps } from "../../../test/three-ds-harness.ts";

let payments: PaymentsHarness;
let steps: ThreeDsSteps;

beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" });
  steps = threeDs(payments);
});
afterAll(() => payments.close());

async function stored(paymentId: string): Promise<unknown> {
  const [row] = await payments.query<{ challenge: unknown }>(
    "select challenge from payments.three_ds_session where payment_id = $1",
    [paymentId],
  );
  return row!.challenge;
}

describe("a challenge is kept", () => {
  test("until its payment is completed", async () => {
    const payment = await steps.challenged();
    const { url, fields } = payment.challenge;
    expect(await stored(payment.paymentId)).toEqual({ type: "post", url, fields });
    await steps.answer(payment.challenge, "right");
    await steps.complete(payment);
    expect(await stored(payment.paymentId)).toBeNull();
  });

  test("until its session ends; others stay", async () => {
    const [open, ended] = [await steps.challenged(), await steps.challenged()];
    await steps.expire(ended.paymentId);
    await payments.startAnother();
    await eventually(async () => expect(await stored(ended.paymentId)).toBeNull());
    expect(await stored(open.paymentId)).not.toBeNull();
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
