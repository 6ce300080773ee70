import { randomUUID } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../test/payments-harness.ts";

let payments: PaymentsHarness;
beforeAll(async () => void (payments = await startPaymentsHarness()));
afterAll(() => payments.close());

/** A statement under the service's own role. */
const asService = async (set: string, paymentId: string) =>
  await withClient(payments.database.urls.payments.app, async (client) => {
    await client.query(`update payment set ${set} where payment_id = $1`, [paymentId]);
  });

async function authorize(): Promise<string> {
  const command = payments.command({ amountMinor: "10000" });
  expect(await payments.send(command)).toMatchObject({ outcome: "done" });
  return command.paymentId;
}

test.each([
  "merchant_id",
  "amount_minor",
  "currency",
  "masked_pan",
  "credential_issued_by",
  "refunds_commission",
])("the service's role changes nothing of what was asked for: %s", async (column) => {
  await expect(asService(`${column} = ${column}`, await authorize())).rejects.toMatchObject({
    code: "42501",
  });
});

test("the service's role books no capture that no call to the bank explains", async () => {
  const paymentId = await authorize();
  const captured = (minor: number) => asService(`captured_minor = ${minor}`, paymentId);
  await expect(captured(10_000)).rejects.toThrow("no call to the bank explains");
  const command = { paymentId, operationId: randomUUID(), amount: "60.00", currency: "TRY" };
  expect(await payments.call(operations.capture.command, command)).toMatchObject({
    result: { status: "CAPTURED" },
  });
  for (const minor of [10_000, 0])
    await expect(captured(minor)).rejects.toThrow("no call to the bank explains");
  await captured(6_000);
});

test.each(["refunded_minor", "released_minor"])(
  "the service's role takes nothing back that was given back: %s",
  async (column) => {
    const paymentId = await authorize();
    await asService(`${column} = 100`, paymentId);
    await expect(asService(`${column} = 99`, paymentId)).rejects.toThrow("what was given back stays so");
  },
);
