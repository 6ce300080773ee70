// The rules of an order's life: steps, then a call and its code.
import { expect, test } from "vitest";

import type { Modes } from "./config.ts";
import { cancel, followUp, hold, payment, request, startTestBank, type Body } from "./test/test-bank.ts";

type Step = Body | "the day ends";
type Row = [name: string, steps: Step[], call: Body, code: string, modes?: Partial<Modes>, options?: object];

const dayEnds: Step = "the day ends";
const capture = followUp("1005");
const refund = (amount: string) => followUp("1002", amount);
const declined = payment({}, { cardNumber: "4000000000009995" });
const parts = (installCount: number, amount = "12.50") => payment({ installCount, amount });

const rows: Row[] = [
  ["a first payment", [], payment(), "ok"],
  ["an amount as a number", [], payment({ amount: 12.5 }), "ok"],
  ["a second sale", [payment()], payment(), "VPS-1013"],
  ["a sale after a decline", [declined], payment(), "VPS-1013"],
  ["a sale after a refusal of the gateway", [payment({ amount: "0.00" })], payment(), "ok"],
  [
    "a sale after a refusal of the gateway",
    [payment({ amount: "0.00" })],
    payment(),
    "VPS-1013",
    { gatewayRefusalsUseOrder: true },
  ],
  ["a sale after a cancellation", [payment(), cancel], payment(), "VPS-1013"],
  ["an amount of nothing", [], payment({ amount: "0.00" }), "VPS-1998"],
  ["a card without funds", [], declined, "51"],
  ["an expired card", [], payment({}, { expireDate: "1026" }), "54"],
  ["a wrong check digit", [], payment({}, { cardNumber: "5578293000121056" }), "14"],
  ["as many installments as the merchant may", [], parts(12), "ok"],
  ["more installments", [], parts(13), "83"],
  ["installments of less than a lira", [], parts(2, "1.01"), "83"],
  ["installments on another bank's card", [], parts(2), "VPS-1044", {}, { programmeBins: ["435509"] }],
  ["installments in another currency", [], payment({ installCount: 2, currencyCode: 978 }), "83"],
  ["a currency that the merchant has not", [], payment({ currencyCode: 392 }), "57"],
  ["a capture of the whole", [hold()], capture, "ok"],
  ["a capture of a part", [hold()], followUp("1005", "0.01"), "ok"],
  ["a capture of more", [hold()], followUp("1005", "12.51"), "13"],
  ["a capture the next day", [hold(), dayEnds], capture, "ok"],
  ["a second capture", [hold(), capture], capture, "VPS-1008"],
  ["a capture of a sale", [payment()], capture, "VPS-1007"],
  ["a capture of an unknown order", [], capture, "VPS-1007"],
  ["a refund on the day", [payment()], refund("12.50"), "ok"],
  ["a refund after it", [payment(), dayEnds], refund("2.50"), "ok"],
  ["the rest", [payment(), refund("10.00")], refund("2.50"), "ok"],
  ["more than the rest", [payment(), refund("10.00")], refund("2.51"), "13"],
  ["a refund of nothing", [payment()], refund("0.00"), "VPS-1998"],
  ["a refund of a capture", [hold(), capture], refund("12.50"), "ok"],
  ["a refund of an open hold", [hold()], refund("1.00"), "VPS-1007"],
  ["a refund of a cancelled sale", [payment(), cancel], refund("1.00"), "VPS-1008"],
  ["a refund of a declined order", [declined], refund("1.00"), "VPS-1007"],
  ["a cancellation of a sale", [payment()], cancel, "ok"],
  ["a second cancellation", [payment(), cancel], cancel, "VPS-1008"],
  ["a cancellation after the day", [payment(), dayEnds], cancel, "VPS-1997"],
  ["a cancellation of a hold after its day", [hold(), dayEnds], cancel, "VPS-1997"],
  ["a cancellation of a hold after its day", [hold(), dayEnds], cancel, "ok", { voidHoldsAfterDay: true }],
  ["a cancellation beside a refund", [payment(), refund("1.00")], cancel, "VPS-1008"],
  [
    "a cancellation of the refund beside it",
    [payment(), refund("1.00")],
    cancel,
    "ok",
    { cancelBesideRefund: "undoes_refund" },
  ],
  [
    "the whole after its refund was cancelled",
    [payment(), refund("1.00"), cancel],
    refund("12.50"),
    "ok",
    { cancelBesideRefund: "undoes_refund" },
  ],
  ["the first cancellation of a captured hold", [hold(), capture], cancel, "ok"],
  ["the second, of the hold", [hold(), capture, cancel], cancel, "ok"],
  ["a third", [hold(), capture, cancel, cancel], cancel, "VPS-1008"],
  ["a capture after its cancellation", [hold(), capture, cancel], capture, "ok"],
];

test.each(rows)("%s (%#)", async (_name, steps, call, code, modes = {}, options = {}) => {
  const bank = await startTestBank({ modes, options });
  for (const step of steps) await (step === "the day ends" ? bank.endDay() : bank.raw(step));
  expect(await bank.code(call)).toBe(code);
});

test("the history has a row for each movement, a cancellation is the state of its row", async () => {
  const bank = await startTestBank();
  const held = await bank.raw(hold({ installCount: 3 }));
  expect(await bank.rows()).toEqual([
    expect.objectContaining({
      txnCode: "1004",
      preAuthStatus: "O",
      txnStatus: "N",
      amount: 12.5,
      installCount: 3,
    }),
  ]);
  const taken = await bank.raw(followUp("1005", "10.00"));
  // The rrn and the authorization code are the hold's; the stan is not.
  expect(taken.transaction).toMatchObject({
    rrn: held.transaction?.rrn,
    authCode: held.transaction?.authCode,
    stan: 2,
  });
  expect(await bank.rows()).toEqual([
    expect.objectContaining({
      txnCode: "1005",
      amount: 10,
      stan: 2,
      orderId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      orgOrderId: "o",
    }),
    expect.objectContaining({ txnCode: "1004", preAuthStatus: "C", preAuthCloseAmount: 10, orderId: "o" }),
  ]);
  await bank.raw(cancel);
  expect(await bank.rows()).toEqual([
    expect.objectContaining({ txnCode: "1005", txnStatus: "V" }),
    expect.objectContaining({ txnCode: "1004", txnStatus: "N", preAuthStatus: "O" }),
  ]);
  await bank.raw(cancel);
  expect(await bank.rows()).toMatchObject([{ txnStatus: "V" }, { txnCode: "1004", txnStatus: "V" }]);
  await bank.modes({ newestFirst: false });
  expect(await bank.rows()).toMatchObject([{ txnCode: "1004" }, { txnCode: "1005" }]);
});

test("declines are listed, refusals of the gateway are not, and a restart changes nothing", async () => {
  const bank = await startTestBank();
  await bank.raw(declined);
  await bank.raw(payment());
  const expected = [
    expect.objectContaining({
      responseCode: "VPS-1005",
      hostResponseCode: "51",
      authCode: "000000",
      txnStatus: "N",
    }),
  ];
  expect(await bank.rows()).toEqual(expected);
  await bank.restart();
  expect(await bank.rows()).toEqual(expected);
  expect(await bank.code(request("1010", {}, "unknown"))).toBe("VPS-1123");
});

test("a person's refund in the panel is a row of the order", async () => {
  const bank = await startTestBank();
  await bank.raw(payment());
  await bank.ask("POST", "/panel/refunds", { order: "o", amountMinor: 250 });
  expect(await bank.rows()).toMatchObject([{ txnCode: "1002", amount: 2.5 }, { txnCode: "1000" }]);
});

test("a refund is a row, the status of its payment, or both", async () => {
  const bank = await startTestBank();
  await bank.raw(hold());
  await bank.raw(capture);
  await bank.raw(refund("2.50"));
  const held = { txnCode: "1004", txnStatus: "N" };
  const row = { txnCode: "1002", txnStatus: "N" };
  const refunded = { txnCode: "1005", txnStatus: "R" };
  expect(await bank.rows()).toMatchObject([row, refunded, held]);
  await bank.modes({ refundShownBy: "status" });
  expect(await bank.rows()).toMatchObject([refunded, held]);
  await bank.modes({ refundShownBy: "row" });
  expect(await bank.rows()).toMatchObject([row, { txnCode: "1005", txnStatus: "N" }, held]);
  await bank.modes({ refundShownBy: "row_and_status", cancelBesideRefund: "undoes_refund" });
  await bank.raw(cancel);
  expect(await bank.rows()).toMatchObject([
    { ...row, txnStatus: "V" },
    { ...refunded, txnStatus: "N" },
    held,
  ]);
});
