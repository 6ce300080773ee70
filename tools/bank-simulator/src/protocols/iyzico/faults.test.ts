import { expect, test } from "vitest";

import { withControlCharacters } from "../../core/index.ts";
import { card, paymentBody } from "./test/shop.ts";
import { followUp, hmac, startTestBank, type TestBank } from "./test/test-bank.ts";

const declines = { authorize: "10005", sale: "10005", capture: "10005", void: "10012", refund: "10246" };

/** The path and the body of a call that is approved. */
async function callOf(bank: TestBank, operation: string): Promise<[path: string, body: object]> {
  if (operation === "authorize") return ["/payment/preauth", paymentBody()];
  if (operation === "sale") return ["/payment/auth", paymentBody()];
  const start = operation === "capture" ? "/payment/preauth" : "/payment/auth";
  const { paymentId } = await bank.shop.succeed(start, paymentBody());
  const paths = { capture: "/payment/postauth", void: "/payment/cancel", refund: "/v2/payment/refund" };
  const path = paths[operation as keyof typeof paths];
  return [path, { ...followUp(), paymentId, paidPrice: "50.0", price: "50.0" }];
}

test.each(Object.entries(declines))("the bank's own faults of %s", async (operation, decline) => {
  await using bank = await startTestBank();
  for (const [behaviour, code, outcome] of [
    ["decline", decline, "declined"],
    ["unknown_done", "10219", "approved"],
    ["unknown_not_done", "10219", undefined],
    ["limited", "50000", undefined],
  ] as const) {
    const [path, body] = await callOf(bank, operation);
    const before = (await bank.ledger()).length;
    await bank.fault(operation, behaviour);
    expect(await bank.shop.codeOf(path, body)).toBe(code);
    expect((await bank.ledger())[before]?.outcome).toBe(outcome);
  }
  for (const [behaviour, holds] of [
    ["wrong_amount", ({ price, paidPrice = price }: Lied) => paidPrice === 50.01 || price === 100.01],
    ["wrong_payment_id", ({ paymentId }: Lied, id: string) => paymentId === String(Number(id) + 1)],
    ["control_characters", ({ hostReference }: Lied) => isPadded(hostReference)],
  ] as const) {
    const [path, body] = await callOf(bank, operation);
    await bank.fault(operation, behaviour);
    const answer = await bank.shop.succeed(path, body);
    expect(holds(answer as Lied, (await bank.ledger()).at(-1)!.paymentId), behaviour).toBe(true);
  }
});

function isPadded(text: string): boolean {
  return withControlCharacters(text.slice(2, -4)) === text && /^\d{12}$/.test(text.slice(2, -4));
}

type Lied = { price: number; paidPrice?: number; paymentId: string; hostReference: string };

test.each(["authorize", "sale"])("partial approves half of %s", async (operation) => {
  await using bank = await startTestBank();
  const [path, body] = await callOf(bank, operation);
  await bank.fault(operation, "partial");
  const itemTransactions = [{ paidPrice: 30 }, { paidPrice: 20 }];
  expect(await bank.shop.succeed(path, body)).toMatchObject({ price: 100, paidPrice: 50, itemTransactions });
  expect((await bank.ledger())[0]?.amountMinor).toBe(5_000);
});

test.each([
  ["4000000000000127", "cut", ""],
  ["4000000000000341", "500 undefined", "sale approved"],
  ["4000000000000044", "200 100.01", "sale approved"],
])("the card %s is answered with: %s, and the ledger has: %s", async (number, expected, movements) => {
  await using bank = await startTestBank();
  const sale = bank.shop.post("/payment/auth", paymentBody({ paymentCard: card(number) }));
  const answered = await sale.catch(() => undefined);
  const { price, signature } = answered?.body ?? {};
  expect(answered ? `${answered.httpStatus} ${String(price)}` : "cut").toBe(expected);
  expect(await bank.movements()).toBe(movements);
  // A lie is signed.
  if (answered && price) expect(signature).toBe(right(answered, 100.01));
});

test("an inquiry and a start of 3-D Secure have faults, too, and a malformed request uses none", async () => {
  await using bank = await startTestBank();
  const { paymentId = "" } = await bank.shop.succeed("/payment/auth", paymentBody());
  await bank.fault("inquire", "http_500");
  await bank.fault("inquire", "limited");
  const { httpStatus } = await bank.shop.get("/v2/reporting/payment/details", { paymentId });
  expect(httpStatus).toBe(500);
  expect(await bank.shop.codeOf("/payment/detail", { paymentId })).toBe("50000");
  const start = paymentBody({ callbackUrl: "https://shop.test/return" });
  await bank.fault("enrol", "decline");
  expect(await bank.shop.codeOf("/payment/3dsecure/initialize", start)).toBe("10220");
  await bank.fault("sale", "decline");
  expect(await bank.shop.codeOf("/payment/auth", paymentBody({ currency: "JPY" }))).toBe("11");
  expect(await bank.shop.codeOf("/payment/auth", paymentBody())).toBe("10005");
});

test("each operation has its own faults only", async () => {
  await using bank = await startTestBank();
  for (const fault of ["inquire decline", "refund partial", "enrol wrong_amount"]) {
    const [operation, behaviour] = fault.split(" ");
    await expect(bank.fault(operation!, behaviour!)).rejects.toThrow("400");
  }
});

type Sale = { httpStatus: number; text: string; signature: unknown; code: unknown };
const right = ({ body }: { body: Record<string, unknown> }, price = 100) =>
  hmac(`${String(body["paymentId"])}:TRY:basket-1:shop-pay-1:${price}:${price}`);

test.each<[modes: object, seen: Partial<Sale>]>([
  [{ failureHttpStatus: 400 }, { httpStatus: 200 }],
  [{ keys: "unknown_key" }, { code: "1001" }],
  [{ keys: "wrong_signature" }, { code: "1000" }],
  [
    { account: "frozen", failureHttpStatus: 400 },
    { code: "9000", httpStatus: 400 },
  ],
  [{ answerSignatures: "missing" }, { signature: undefined }],
  [{ answerSignatures: "wrong" }, { signature: "forged" }],
  [{ answers: "other_payment" }, { signature: "fits", text: expect.not.stringContaining('"25000001"') }],
  [{ answers: "other_amount" }, { text: expect.stringContaining('"paidPrice":100.01000000,') }],
  [
    { decimals: "plain", types: "swapped" },
    { text: expect.stringMatching(/"systemTime":"\d+".*"price":"100",/) },
  ],
  [
    { fraudStatus: 0 },
    { text: expect.stringMatching(/"fraudStatus":0,.*"transactionStatus":0,/), signature: "fits" },
  ],
  [{ fraudStatus: -1 }, { text: expect.stringContaining('"fraudStatus":-1,'), code: undefined }],
])("with %o a sale is answered so: %o", async (modes, seen) => {
  await using bank = await startTestBank({ modes: JSON.parse(await changed(modes)) as never });
  const exchange = await bank.shop.post("/payment/auth", paymentBody());
  const { signature, errorCode: code } = exchange.body;
  const isRight = signature === right(exchange);
  const shown = signature === undefined ? undefined : isRight ? "fits" : "forged";
  expect({ ...exchange, code, signature: shown }).toMatchObject(seen);
});

/** All modes with these changes, as the bank answers them. */
async function changed(modes: object): Promise<string> {
  await using bank = await startTestBank();
  return await bank.modes(modes);
}

test("the calls of a minute are limited by merchant and kind", async () => {
  await using bank = await startTestBank();
  await bank.modes({ limitPerMinute: 1 });
  const { paymentId } = await bank.shop.succeed("/payment/auth", paymentBody());
  expect(await bank.shop.codeOf("/payment/preauth", paymentBody())).toBe("50000");
  await bank.shop.succeed("/v2/payment/refund", { ...followUp(), paymentId, price: 1 });
  await bank.shop.succeed("/payment/detail", { paymentId });
  await bank.other.succeed("/payment/auth", paymentBody());
  bank.clock.nowMs += 60_000;
  await bank.shop.succeed("/payment/auth", paymentBody());
});

test("the fraud desk and the reports decide as their modes say", async () => {
  await using bank = await startTestBank();
  await bank.modes({ fraudStatus: 0 });
  const { paymentId } = await bank.shop.succeed("/payment/auth", paymentBody());
  for (const [reviews, fraudStatus] of [
    ["open", 0],
    ["accepted", 1],
    ["refused", -1],
  ] as const) {
    await bank.modes({ reviews });
    const detail = await bank.shop.succeed("/payment/detail", { paymentId });
    expect(detail).toMatchObject({ paymentStatus: "SUCCESS", fraudStatus });
  }
  await bank.modes({ fraudStatus: -1, failedPaymentStatus: 2, unknownPayment: "failure" });
  const refused = await bank.shop.succeed("/payment/auth", paymentBody());
  expect(await bank.report({ paymentId: refused.paymentId })).toMatchObject([{ paymentStatus: 2 }]);
  expect(await bank.report({ paymentId: "1" })).toBeUndefined();
  expect(await bank.movements()).toBe("sale approved, sale declined");
});
