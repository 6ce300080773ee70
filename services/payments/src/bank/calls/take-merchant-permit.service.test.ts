import { randomUUID } from "node:crypto";
import type { MessageContext } from "@holdfast/contracts";
import { eventually, startTestLink } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { startPaymentsHarness } from "../../../test/payments-harness.ts";
import { threeDs } from "../../../test/three-ds-harness.ts";

/** The issuer of this card does not answer. */
const HANGS = { cardData: { pan: "4000000000000119" } };

/** A call that hangs does so until the bank is closed. A call may wait for its connection for what is left of 100 s. */
const SETTINGS = { ACQUIRER_TIMEOUT: "99s", RECOVERY_SCHEDULE: "2s,1h" };

/** @param connectionsMax of which half are for payments. */
async function setUp(settings: Record<string, string> = {}, { connectionsMax = 16 } = {}) {
  const account = { connectionsMax };
  const payments = await startPaymentsHarness(SETTINGS, { hangMs: 600_000, alone: true, account });
  const line = await startTestLink(payments.acquirer.url);
  await payments.moveAccount(line.url);
  await payments.startAnother(settings);
  onTestFinished(async () => {
    // The service would otherwise wait for the hanging calls.
    line.cut();
    await payments.close();
    await line.close();
  });
  const [noisy, other] = [randomUUID(), randomUUID()];
  const of = (merchantId: string): MessageContext => payments.context({ merchant: { merchantId } });
  const pay = (merchantId: string, change = {}) =>
    payments.send(payments.command({ ...change, ofMerchant: merchantId }), of(merchantId));
  /**
   * Starts payments of the noisy merchant whose answers never come, and waits until `atBank` of them are at
   * the bank.
   */
  const hang = async (count: number, { atBank }: { atBank: number }) => {
    for (let sent = 0; sent < count; sent++) void pay(noisy, HANGS).catch(() => {});
    await eventually(async () => expect(await hanging()).toBe(atBank));
  };
  const hanging = async () =>
    (await payments.wholeLedger()).filter(({ pan }) => pan?.endsWith("0119")).length;
  return { payments, noisy, other, pay, hang, hanging };
}

test("payments of one merchant that hang at the bank leave another's connections free", async () => {
  const { other, pay, hang, hanging } = await setUp({ ACQUIRER_TIMEOUT: "60s" });
  await hang(12, { atBank: 2 });
  const answers = await Promise.all(Array.from({ length: 4 }, () => pay(other)));
  expect(answers.map((answer) => "result" in answer && answer.result.status)).toEqual(
    Array(4).fill("SUCCESS"),
  );
  expect(await hanging()).toBe(2);
});

test("what a merchant sends beyond its share is not started: there is no payment", async () => {
  const { payments, noisy, hang } = await setUp();
  await hang(2, { atBank: 2 });
  const context = payments.context({ merchant: { merchantId: noisy } });
  const command = payments.command({ ofMerchant: noisy });
  expect(await payments.send(command, context)).toEqual({ outcome: "not_started" });
  expect(await payments.read(command.paymentId, noisy)).toEqual({
    outcome: "problem",
    code: "payment_not_found",
  });
  expect(await payments.ledger(command.paymentId)).toEqual([]);
});

test("commands of one merchant that hang leave another's the places of the process", async () => {
  const { noisy, other, pay, hang } = await setUp({
    COMMANDS_IN_FLIGHT_MAX: "4",
    ACQUIRER_CONNECTIONS_SHARE: "1",
  });
  await hang(4, { atBank: 1 });
  expect(await pay(noisy)).toEqual({ outcome: "not_started" });
  expect(await pay(other)).toMatchObject({ result: { status: "SUCCESS" } });
});

test("recovery has connections of its own: it settles what is unknown while all others hang", async () => {
  const { payments, other, hang } = await setUp({}, { connectionsMax: 3 });
  await payments.acquirerWill("authorize", "reset");
  const command = payments.command({ ofMerchant: other });
  const context = payments.context({ merchant: { merchantId: other } });
  expect(await payments.send(command, context)).toMatchObject({ outcome: "pending" });
  await hang(1, { atBank: 1 });
  await eventually(async () =>
    expect(await payments.read(command.paymentId, other)).toMatchObject({ result: { status: "SUCCESS" } }),
  );
});

test("a cardholder who returns while the merchant's connections hang comes back, and the payment goes on", async () => {
  const { payments } = await setUp({}, { connectionsMax: 8 });
  const steps = threeDs(payments);
  const command = await steps.challenged();
  await steps.answer(command.challenge, "right");
  void payments.send(payments.command(HANGS)).catch(() => {});
  await eventually(async () =>
    expect((await payments.wholeLedger()).some(({ pan }) => pan?.endsWith("0119"))).toBe(true),
  );
  expect(await steps.complete(command)).toEqual({ outcome: "not_started" });
  expect(await payments.read(command.paymentId)).toMatchObject({ result: { status: "ENROLLED" } });
});
