import { expect, test } from "vitest";

import { akbankSettings } from "./akbank-settings.ts";
import { gateForm, orderRequest, stampOf } from "./requests.ts";
import { isSignature, signatureOf } from "./signatures.ts";
import { enrolment, KEY, MERCHANT, ORDER, settingsOf, TERMINAL } from "./test/akbank-bench.ts";

const settings = akbankSettings.parse(settingsOf("https://bank.example"));
const STAMP = {
  requestDateTime: "2026-01-02T03:04:05.678",
  randomNumber: "0123456789ABCDEF".repeat(8),
};

test("a recorded request has the recorded signature", () => {
  const body =
    '{"terminal":{"merchantSafeId":"2023090417500272654BD9A49CF07574","terminalSafeId":"2023090417500284633D137A249DBBEB"},"version":"1.00","txnCode":"1010","requestDateTime":"2024-04-20T13:48:02.000","randomNumber":"59EED19EC4FA761B8D147F5175C915EFD69D193ED96114F9690505EDB02FF5FD3CB161A15FD5EFFB294177291DC27B2A9F58FB1DA6F2F4617762AF180A023A33","order":{"orderId":"2024042053E2"}}';
  const signature =
    "D07V9wUXfyPbn+L8jqd9plMfJKT3gSy22Z+yruzWsvuJBkQ63fz+wcWjTF2XurVjYtnR7wLGYTJYg0xjDCYAHA==";
  expect(signatureOf(KEY, body)).toBe(signature);
  expect(isSignature(signature, KEY, body)).toBe(true);
  expect(isSignature(signature, KEY, `${body} `)).toBe(false);
  expect(isSignature(signature, KEY.toUpperCase().slice(1), body)).toBe(false);
});

test("a refund is written and signed as the bank's samples are", () => {
  const body = orderRequest(
    settings,
    { type: "refund", orderId: ORDER, amount: { amount: "100.50", currency: "949" } },
    STAMP,
  );
  expect(Buffer.byteLength(body)).toBe(450);
  expect(signatureOf(KEY, body)).toBe(
    "myKR8Zt3r37k6ZxhxgSSjnV+rKGTj+li8d8Lq1x+SskMBzti3b/3XglgP1O4QzDy/i4fo3r0xr2fMDAkdQ6aMA==",
  );
});

test("a form's recorded signature is that of its values, an absent one as an empty text", () => {
  const url = "http://localhost/akbankpos/3d/response.php";
  const random =
    "AEDDD8688E11A3DC588DAB2ED59B2F64D45E798761CEFF17F4DB47581072697890180C4195986250F89C2C67A04A3B96F0AC66AE99B49BB7BEE618FBD621C4CD"; // prettier-ignore
  const of = (subMerchantId: string) =>
    `3D 3000 ${MERCHANT} ${TERMINAL} 20240404A4B0 TR 1.01 1.00 1.00 1.00 949 1 ${url} ${url} test@test.com ${subMerchantId} 4355093000315232 1135 665 ${random} 2024-04-04T21:11:41.000 `.split(
      " ",
    );
  expect(signatureOf(KEY, ...of(""))).toBe(
    "ilR2mCExklKEti+2x61A8pcOfzJ5z5M6xMYmmU8ClaKaDuxKooFuH3v7XW/ba25xlTDqGN1H//i0zTiJl5YnfA==",
  );
  expect(signatureOf(KEY, ...of("hdfksafjsallk"))).toBe(
    "blqnTrcdZ2JhQBjOmIhyYPhKvC4BlbG7oArE5IkCeuo8CwaYV69EJSOph7J1JKY9opIsmc5QoscGmltGMUJtTQ==",
  );
});

test("our form has the fields that are not empty, and their signature", () => {
  const card = { pan: "5578293000121055", expiryMonth: "11", expiryYear: "2040", cvv: "238" };
  const about = { operation: "authorize", installmentCount: 3, returnUrl: "https://pay.example/return/1" };
  const request = enrolment({ ...about, card, customer: undefined });
  const form = gateForm(request, { amount: "1250.00", currency: "949" }, settings, KEY, STAMP);
  expect(Object.fromEntries(form)).toEqual({
    paymentModel: "3D",
    txnCode: "3004",
    merchantSafeId: MERCHANT,
    terminalSafeId: TERMINAL,
    orderId: ORDER,
    lang: "TR",
    amount: "1250.00",
    currencyCode: "949",
    installCount: "3",
    okUrl: about.returnUrl,
    failUrl: about.returnUrl,
    creditCard: card.pan,
    expiredDate: "1140",
    cvv: "238",
    ...STAMP,
    hash: "sDSqch9zWnkbouFZGi+HhqIrY/V/vzR8roxjDio3YihMyPA6QMCYCJj3iNLz0CiXsJf85NLg3eOS9+Uf8qSLrA==",
  });
});

test("a request's time is Turkey's wall clock, and its number is new", () => {
  const stamp = stampOf(new Date("2026-01-02T00:04:05.007Z"));
  expect(stamp.requestDateTime).toBe("2026-01-02T03:04:05.007");
  expect(stamp.randomNumber).toMatch(/^[0-9A-F]{128}$/);
  expect(stampOf(new Date()).randomNumber).not.toBe(stamp.randomNumber);
});
