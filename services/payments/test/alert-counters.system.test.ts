import { freePort } from "@holdfast/sandbox/infrastructure";
import { eventually } from "@holdfast/tests/support";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { accountOperators } from "./account-operators.ts";
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
  await payments.moveAccount(bank.url);
  await payments.spawn("payments", { HEALTH_PORT: String(port) });
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

test("credentials that a bank refuses are counted by account, from none on, and logged", async () => {
  const payments = await startPaymentsHarness({}, { alone: true });
  onTestFinished(() => payments.close());
  const bank = await startRefusingBank();
  onTestFinished(() => bank.close());
  const port = await freePort();
  const child = await payments.spawn("payments", { HEALTH_PORT: String(port) });
  const operators = accountOperators(payments, () => bank.url);
  const accountId = await operators.account({
    protocol: "nestpay",
    settings: { apiUrl: `${bank.url}/api`, gateUrl: `${bank.url}/gate`, clientId: "990000001" },
    secrets: { apiUser: "apiuser", apiPassword: "s3cret-pass", storeKey: "TEST1234" },
  });
  const refused = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const lines = [...text.matchAll(/^holdfast_acquirer_credentials_refused_total\{(.*)\} (\S+)/gm)];
    const counts = lines
      .filter(([, labels]) => labels!.includes(accountId))
      .map(([, , count]) => Number(count));
    return counts.reduce((sum, count) => sum + count, 0) + (counts.length > 0 ? 0 : Number.NaN);
  };
  expect(await refused()).toBe(0);
  const merchantId = await operators.merchantRoutedTo({ accountId });
  const context = payments.context({ merchant: { merchantId } });
  const reply = await payments.send(payments.command({ ofMerchant: merchantId }), context);
  expect(reply).toMatchObject({ result: { status: "FAILED", resultCode: "acquirer_unavailable" } });
  await eventually(async () => expect(await refused()).toBeGreaterThan(0));
  await eventually(() => child.logTail().includes("the bank refuses the credentials of an account"));
});

/** A bank of the Nestpay kind that refuses every user. */
async function startRefusingBank() {
  const answer = `<?xml version="1.0" encoding="ISO-8859-9"?><CC5Response><OrderId></OrderId><Response>Error</Response>
    <ErrMsg>the user is not known</ErrMsg><ProcReturnCode>99</ProcReturnCode>
    <Extra><ERRORCODE>CORE-2201</ERRORCODE></Extra></CC5Response>`;
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/xml;charset=ISO-8859-9" }).end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
