import { freePort } from "@holdfast/sandbox/infrastructure";
import { eventually } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { startLeakingBank } from "./leaking-bank.ts";
import { CHALLENGED, threeDs } from "./three-ds-harness.ts";
import { startPaymentsHarness } from "./payments-harness.ts";

test("a card that does not open, and an answer of the bank about another amount, are counted for the alerts, from none on", async () => {
  const payments = await startPaymentsHarness({}, { alone: true });
  onTestFinished(() => payments.close());
  const port = await freePort();
  await payments.spawn("payments", { HEALTH_PORT: String(port) });
  const counts = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const sumOf = (name: string) =>
      [...text.matchAll(new RegExp(`^${name}_total(?:\\{.*\\})? (\\S+)`, "gm"))]
        .map(([, count]) => Number(count))
        .reduce((sum, count) => sum + count);
    return {
      notOpened: sumOf("holdfast_payments_cards_not_opened"),
      mismatches: sumOf("holdfast_acquirer_mismatches"),
      later: sumOf("holdfast_payments_mismatches"),
    };
  };
  expect(await counts()).toEqual({ notOpened: 0, mismatches: 0, later: 0 });

  const ofAnother = payments.command({ ofMerchant: "0199aaaa-0000-7000-8000-000000000001" });
  expect(await payments.send(ofAnother)).toEqual({ outcome: "problem", code: "internal_error" });
  expect(await counts()).toEqual({ notOpened: 1, mismatches: 0, later: 0 });

  await payments.send(payments.command({ cardData: { pan: "4000000000000044" } }));
  await eventually(async () => expect(await counts()).toEqual({ notOpened: 1, mismatches: 1, later: 0 }));
});

test("challenges with the card in them, and returns that prove nothing, are counted for the alerts", async () => {
  const payments = await startPaymentsHarness({}, { alone: true });
  onTestFinished(() => payments.close());
  const leak: Parameters<typeof startLeakingBank>[1] = { now: () => undefined };
  const bank = await startLeakingBank(payments.acquirer.url, leak);
  onTestFinished(() => bank.close().then(() => undefined));
  const port = await freePort();
  await payments.spawn("payments", { HEALTH_PORT: String(port), ACQUIRER_URL: bank.url });
  const metrics = async () => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(await metrics()).toMatch(/^holdfast_payments_challenges_with_card_total(\{.*\})? 0/m);

  const steps = threeDs(payments);
  const payment = await steps.challenged();
  await steps.comeBack(payment, [["session", "another"]]);
  leak.now = (answer, { pan }) => void (answer["fields"] = { pan });
  await steps.enrol(steps.command(CHALLENGED));
  const counted = await metrics();
  expect(counted).toMatch(/^holdfast_payments_challenges_with_card_total(\{.*\})? 1/m);
  expect(counted).toMatch(/^holdfast_payments_returns_not_genuine_total\{.*why="other_order".*\} 1/m);
});
