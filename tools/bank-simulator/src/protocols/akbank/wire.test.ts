// The hashes with the document's vectors, and the answers on the wire.
import { describe, expect, test } from "vitest";

import { WITH_AMOUNT } from "./gate.ts";
import { FORM_FIELDS, formHash, hmac, returnHash } from "./hashes.ts";
import { cancel, followUp, GOOD_CARD, payment, request, startTestBank, STORE } from "./test/test-bank.ts";

const { merchantSafeId, terminalSafeId, secretKey } = STORE;
const O = "8f1c2a3b4d5e6f708192a3b4c5d6e7f8";
const RANDOM = "0123456789ABCDEF".repeat(8);

test("the header signs a body's bytes", () => {
  const terminal = `"terminal":{"merchantSafeId":"${merchantSafeId}","terminalSafeId":"${terminalSafeId}"}`;
  const recorded = `{${terminal},"version":"1.00","txnCode":"1010","requestDateTime":"2024-04-20T13:48:02.000","randomNumber":"59EED19EC4FA761B8D147F5175C915EFD69D193ED96114F9690505EDB02FF5FD3CB161A15FD5EFFB294177291DC27B2A9F58FB1DA6F2F4617762AF180A023A33","order":{"orderId":"2024042053E2"}}`;
  expect(hmac(secretKey, recorded)).toBe(
    "D07V9wUXfyPbn+L8jqd9plMfJKT3gSy22Z+yruzWsvuJBkQ63fz+wcWjTF2XurVjYtnR7wLGYTJYg0xjDCYAHA==",
  );
  const refund = `{"version":"1.00","txnCode":"1002","requestDateTime":"2026-01-02T03:04:05.678","randomNumber":"${RANDOM}",${terminal},"order":{"orderId":"${O}"},"transaction":{"amount":"100.50","currencyCode":949}}`;
  expect(hmac(secretKey, refund)).toBe(
    "myKR8Zt3r37k6ZxhxgSSjnV+rKGTj+li8d8Lq1x+SskMBzti3b/3XglgP1O4QzDy/i4fo3r0xr2fMDAkdQ6aMA==",
  );
});

const own = (change: Record<string, string>) => (name: string) => change[name] ?? "";
const ids = { merchantSafeId, terminalSafeId };
const recordedForm = {
  ...ids,
  paymentModel: "3D",
  txnCode: "3000",
  orderId: "20240404A4B0",
  lang: "TR",
  amount: "1.01",
  ccbRewardAmount: "1.00",
  pcbRewardAmount: "1.00",
  xcbRewardAmount: "1.00",
  currencyCode: "949",
  installCount: "1",
  okUrl: "http://localhost/akbankpos/3d/response.php",
  failUrl: "http://localhost/akbankpos/3d/response.php",
  emailAddress: "test@test.com",
  creditCard: "4355093000315232",
  expiredDate: "1135",
  cvv: "665",
  randomNumber:
    "AEDDD8688E11A3DC588DAB2ED59B2F64D45E798761CEFF17F4DB47581072697890180C4195986250F89C2C67A04A3B96F0AC66AE99B49BB7BEE618FBD621C4CD",
  requestDateTime: "2024-04-04T21:11:41.000",
};
test.each([
  [recordedForm, "ilR2mCExklKEti+2x61A8pcOfzJ5z5M6xMYmmU8ClaKaDuxKooFuH3v7XW/ba25xlTDqGN1H//i0zTiJl5YnfA=="],
  [
    { ...recordedForm, subMerchantId: "hdfksafjsallk" },
    "blqnTrcdZ2JhQBjOmIhyYPhKvC4BlbG7oArE5IkCeuo8CwaYV69EJSOph7J1JKY9opIsmc5QoscGmltGMUJtTQ==",
  ],
  [
    {
      ...ids,
      paymentModel: "3D",
      txnCode: "3004",
      orderId: O,
      lang: "TR",
      amount: "1250.00",
      currencyCode: "949",
      installCount: "3",
      okUrl: "https://pay.example/return/1",
      failUrl: "https://pay.example/return/1",
      creditCard: GOOD_CARD,
      expiredDate: "1140",
      cvv: "238",
      randomNumber: RANDOM,
      requestDateTime: "2026-01-02T03:04:05.678",
    },
    "sDSqch9zWnkbouFZGi+HhqIrY/V/vzR8roxjDio3YihMyPA6QMCYCJj3iNLz0CiXsJf85NLg3eOS9+Uf8qSLrA==",
  ],
])("form %# has the document's hash", (form: Record<string, string>, hash) => {
  expect(formHash(secretKey, own(form))).toBe(hash);
  expect(Object.keys(form).filter((name) => !FORM_FIELDS.includes(name))).toEqual([]);
});

const short = ["responseCode", "responseMessage", "orderId"];
const proof = WITH_AMOUNT.filter((name) => !["mdStatus", ...WITH_AMOUNT.slice(-5)].includes(name));
const valuesOf = (names: readonly string[], values: readonly string[]) =>
  Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
test.each([
  [
    proof,
    `3001|VPS-0000|BAŞARILI|2024-04-18T20:15:35.000|${merchantSafeId}|${terminalSafeId}|20240418BA6C|VG8yV2tCRHpTSlpNN2VqcDJRS1k=|02|kBM8+wZGAAAAAAAAAAAAAAAAAAAA|08A86B192287C69B2C443E7A42B29B5F46436C41DF8E159B4A232BB3D961940F`,
    "bFYReNscRIyo3EQQm18qB9iZEW5eqtx1UBAjwRAoVJuigugPKr4Rjcf4PgBHtrjg1IYFYAz8k3TCFcKWS0b4Xg==",
  ],
  [
    short,
    "VPS-1279|BKM 3DS Server Doğrulama Başarısız|20240418D4A620240418D4A620240418D4A6",
    "fFFtzKUArgzhM/nUbw6pM/EA7AjecFyMV13G+1/GVn9C0S1XNeWdtT8+x4swaxi5TZfqzwPy5wtDajxSfkZmRA==",
  ],
  [
    WITH_AMOUNT,
    `3001|VPS-0000|BAŞARILI|2026-08-10T00:45:14.000|${merchantSafeId}|${terminalSafeId}|TEST-S1VMRISGKX|NEN3cjFKaDZIaDlnajM4RXRzSTY=|02|1|kBMrDwEgAAAAAAAAAAAAAAAAAAAA|F34CC3A09A105540325226366434ABFFDCC3C67878A4870BF6C330D2E4E595CF|557829******1055|100.00|1|https://anadolupay-laravel.test/payment/callback?driver=akbank-pos&order=TEST-S1VMRISGKX|https://anadolupay-laravel.test/payment/callback?driver=akbank-pos&order=TEST-S1VMRISGKX`,
    "akaMTXqoq0YkH13hUGumSeaU6uCijvKctlnuBDbMJJA9zl0KMNKjhbi6wsOs5Q04UO0DqoPwQwv9BvZcyKAn3A==",
  ],
  [
    WITH_AMOUNT,
    `3001|VPS-0000|BAŞARILI|2026-01-02T03:04:05.000|${merchantSafeId}|${terminalSafeId}|${O}|c2VjdXJlLWlk|02|1|kBMAAAAAAAAAAAAAAAAAAAAAAAA=|${"AB".repeat(32)}|557829******1055|1250.00|3|https://pay.example/return/1|https://pay.example/return/1`,
    "JiTspjWSl86mmy6KHZ9diLH/CVveqpspt3giaOqBh4r7LwRa38r8dUlJScQehU7UZ2MVTm6g+6MH+Ty4+P4KAQ==",
  ],
  [
    short,
    `VPS-1279|BKM 3DS Server Doğrulama Başarısız|${O}`,
    "KaEMA/bA0yd6/PD/NqSM5JjjnSx1kZblLar7S9suO0elMHbSdJEgTS+YIwi29w8BJt7s/21dT0tbVVfToHIDKA==",
  ],
])("return %# has the document's hash", (names, values, hash) => {
  expect(returnHash(secretKey, names, own(valuesOf(names, values.split("|"))))).toBe(hash);
});

describe("on the wire", () => {
  test("an approval names the call, and has neither amount nor currency", async () => {
    const bank = await startTestBank();
    const answer = await bank.raw(payment());
    expect(answer).toEqual({
      txnCode: "1000",
      responseCode: "VPS-0000",
      responseMessage: "BAŞARILI",
      hostResponseCode: "00",
      hostMessage: expect.any(String),
      txnDateTime: "2026-11-22T12:00:00.000",
      terminal: ids,
      order: { orderId: "o" },
      // The date is the next day's.
      transaction: {
        authCode: expect.stringMatching(/^\d{6}$/),
        rrn: "632700000001",
        batchNumber: 1,
        stan: 1,
      },
    });
    expect(await bank.raw(cancel)).not.toHaveProperty("transaction");
  });

  test("a refusal of the gateway has no numbers", async () => {
    const bank = await startTestBank();
    expect(await bank.raw(followUp("1005"))).toMatchObject({
      responseCode: "VPS-1007",
      order: { orderId: "o" },
      transaction: { authCode: "000000", rrn: "0", batchNumber: 0, stan: 0 },
    });
    const unknown = await bank.raw(request("1010"));
    expect(unknown).toMatchObject({ responseCode: "VPS-1123" });
    expect(unknown).not.toHaveProperty("order");
  });

  test("a caller is known by the signature of the whole body", async () => {
    const bank = await startTestBank();
    const statusOf = async (body: object, hash?: string) => (await bank.post(body, hash)).status;
    expect(await statusOf(payment(), hmac("another", JSON.stringify(payment())))).toBe(401);
    expect(await statusOf({ ...payment(), terminal: { ...ids, merchantSafeId: "A".repeat(32) } })).toBe(401);
    await bank.modes({ access: "wrong_key" });
    expect(await statusOf(payment())).toBe(401);
    expect(await bank.ledger()).toEqual([]);
  });

  test.each([
    ["an amount with one place", payment({ amount: "12.5" })],
    ["an amount in minor units", payment({ amount: "1250" })],
    ["no installments as 0", payment({ installCount: 0 })],
    ["a currency as text", payment({ currencyCode: "949" })],
    ["an unknown code", request("1999")],
    ["a card and an authentication", { ...payment(), secureTransaction: {} }],
    ["neither", { ...payment(), card: undefined }],
    ["a time with its zone", { ...payment(), requestDateTime: "2026-11-22T12:00:00.000Z" }],
    ["an order with a blank", request("1010", {}, "a b")],
  ])("%s is HTTP 400, and nothing is begun", async (_name, body) => {
    const bank = await startTestBank();
    const answer = await bank.post(body);
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 400 })]);
    expect(await bank.ledger()).toEqual([]);
  });

  test("a time beyond the tolerance of the bank's wall clock is refused", async () => {
    const bank = await startTestBank({ modes: { dateToleranceSeconds: 600 } });
    const at = (requestDateTime: string) => bank.code({ ...payment(), requestDateTime });
    expect(await at("2026-11-22T09:00:00.000")).toBe("VPS-1073");
    expect(await at("2026-11-22T11:50:00.000")).toBe("ok");
  });
});
