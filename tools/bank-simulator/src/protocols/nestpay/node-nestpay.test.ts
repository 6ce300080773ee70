// A foreign client drives the simulator through all of its abilities. If the simulator and the gateway's
// adapter share a misreading of the protocol, this client reveals it.
import NestPay from "node-nestpay";
import { expect, test } from "vitest";

import { credentials, startTestBank, type TestBank } from "./test/test-bank.ts";

const card = { number: "4355084355084358", month: "12", year: "30", cvv: "000" };

test("it sells, voids, and sells in installments", async () => {
  await using bank = await startTestBank();
  const client = clientOf(bank);
  const sold = await client.purchase({ ...card, amount: "12.50", orderId: "Auto" });
  expect(sold).toMatchObject({ Response: "Approved", ProcReturnCode: "00", ErrMsg: "" });
  const orderId = sold.OrderId;
  expect(orderId).toMatch(/^[0-9a-f-]{36}$/);
  expect(await client.void({ orderId })).toMatchObject({ OrderId: orderId, TransId: sold.TransId });
  await client.purchase({ ...card, amount: "100", orderId: "Auto", installment: 3 });
  expect(await bank.ledger()).toMatchObject([
    { operation: "sale", amountMinor: 1_250, currency: "TRY", installments: 1 },
    { operation: "void", orderId },
    { operation: "sale", amountMinor: 10_000, installments: 3 },
  ]);
});

test("it holds, captures and, after the day's end, refunds", async () => {
  await using bank = await startTestBank();
  const client = clientOf(bank);
  const held = await client.authorize({ ...card, amount: "12.50", orderId: "Auto" });
  const orderId = held.OrderId;
  const captured = await client.capture({ orderId });
  expect(captured).toMatchObject({ Response: "Approved", AuthCode: held.AuthCode });
  await expect(client.refund({ orderId, amount: "2.50" })).rejects.toMatchObject({
    CC5Response: {
      Response: "Error",
      ProcReturnCode: "99",
      // The package reads every answer as UTF-8, and so loses the Turkish letters.
      ErrMsg: expect.stringMatching(/^\uFFFDade yap\uFFFDlamaz, /),
      Extra: { ERRORCODE: "CORE-2508", NUMCODE: "992508" },
    },
  });
  await bank.endDay();
  expect(await client.refund({ orderId, amount: "2.50" })).toMatchObject({ Response: "Approved" });
  expect((await bank.history(orderId)).map((row) => row.slice(0, 3))).toEqual([
    ["C", "C", "250"],
    ["C", "D", "250"],
    ["S", "S", "1250"],
  ]);
});

test("it sees a decline as one", async () => {
  await using bank = await startTestBank();
  const declined = { ...card, number: "4000000000009995", amount: "1", orderId: "Auto" };
  await expect(clientOf(bank).purchase(declined)).rejects.toMatchObject({
    CC5Response: { Response: "Declined", ProcReturnCode: "51" },
  });
});

function clientOf(bank: TestBank): NestPay {
  const { Name: name, Password: password, ClientId: clientId } = credentials;
  const client = new NestPay({ name, password, clientId, currency: "TRY", endpoint: "local" });
  client.config.endpoints["local"] = `${bank.url}/fim/api`;
  return client;
}
