import { expect, test } from "vitest";

import { hmacHex } from "@holdfast/acquirer/kit";
import { isGenuine, signedHeaders } from "./signatures.ts";

const secrets = { apiKey: "sandbox-apikey", secretKey: "sandbox-secret" };
const random = "5f2d8c0b7a914e36";

function signatureOf(headers: Record<string, string>): string {
  const credentials = Buffer.from(headers["authorization"]!.replace("IYZWSv2 ", ""), "base64").toString();
  return credentials.split("&signature:")[1]!;
}

test("a request has the header that iyzico's own client computes", () => {
  const body = '{"locale":"tr","conversationId":"hf-7f3c-pay-01","binNumber":"55287900"}';
  const headers = signedHeaders(secrets, { random, path: "/payment/bin/check", body });
  expect(headers).toMatchObject({
    authorization:
      "IYZWSv2 YXBpS2V5OnNhbmRib3gtYXBpa2V5JnJhbmRvbUtleTo1ZjJkOGMwYjdhOTE0ZTM2JnNpZ25hdHVyZToyYjA4MGVjZjFhMzlkZDMxMDVmMGY0ZTExM2ZhNDU5YjI2M2UwZjU2Y2JjZTI4N2UyNjZkMTQ5YzhjNTkxNDM4",
    "x-iyzi-rnd": random,
    "content-type": "application/json",
  });
});

test.each([
  [
    "a body beyond ASCII, by its UTF-8",
    "/payment/cancel",
    '{"locale":"tr","conversationId":"hf-7f3c-can-01","paymentId":"25149157","ip":"203.0.113.7","reason":"OTHER","description":"İade"}',
    "e693c334e396eb0ff57db8f27d501877e8afa51a732124ed4efc3e35a5de90d8",
  ],
  [
    "a GET without a body, and without its query",
    "/v2/reporting/payment/details",
    "",
    "e11df18b4b1e9ac0caa5a43af1b03f09bb7f81283e79116ab3ba5c8cc330a54d",
  ],
  [
    "a GET as the node client sends it",
    "/v2/reporting/payment/details",
    "{}",
    "fbb6b055c943db8f511fb6b2e0dc5bb332073698e63252991b60cf64e77fef0e",
  ],
])("a request's signature covers %s", (_, path, body, signature) => {
  expect(signatureOf(signedHeaders(secrets, { random, path, body }))).toBe(signature);
});

test("a request without a body has the header of iyzico's published test, and no content type", () => {
  const headers = signedHeaders(
    { apiKey: "test", secretKey: "test" },
    { random: "123456789", path: "/v2/subscription/customers/", body: "" },
  );
  expect(headers["authorization"]).toBe(
    "IYZWSv2 YXBpS2V5OnRlc3QmcmFuZG9tS2V5OjEyMzQ1Njc4OSZzaWduYXR1cmU6NmYzODQwOTlhYWUzMjhmNzJkYWY5Y2RhYjEwNWViMzdmYjI5NjIwMjUxYzQ3YjRjNTgzZDc0OGQ5ZDBhYjc2NA==",
  );
  expect(headers).not.toHaveProperty("content-type");
});

const payment = {
  paymentId: "25149157",
  currency: "TRY",
  basketId: "hf-b1",
  conversationId: "hf-7f3c-pay-01",
  paidPrice: "1249.90000000",
  price: "1249.9",
  signature: "3212bf2158f1126569d74fd371bbb93abc5f8f21f8b7583396379ec7ce8d075d",
};
const initialization = {
  paymentId: "25149157",
  conversationId: "hf-7f3c-pay-01",
  signature: "2f8594e402aee11f043f8693cf7ad3e14e15f2bea02e852d94ff7099ddfff749",
};
const returned = {
  conversationData: "",
  conversationId: "hf-7f3c-pay-01",
  mdStatus: "1",
  paymentId: "25149157",
  status: "success",
  signature: "90fe727392dbc57576054201c3c3b5c12d0cd43340efb89b651a1173ba79abb6",
};

test.each([
  ["payment", payment],
  ["initialization", initialization],
  ["return", returned],
] as const)("a %s is genuine with every signed field as it was, and with no other", (message, fields) => {
  expect(isGenuine(message, fields, secrets)).toBe(true);
  expect(
    isGenuine(message, { ...fields, signature: fields.signature.toUpperCase() }, secrets),
    "hexadecimal in capitals",
  ).toBe(true);
  for (const name of Object.keys(fields)) {
    expect(isGenuine(message, { ...fields, [name]: "7" }, secrets), `another ${name}`).toBe(false);
  }
  expect(isGenuine(message, { ...fields, signature: undefined }, secrets)).toBe(false);
  expect(isGenuine(message, fields, { secretKey: "sandbox-secret2" })).toBe(false);
});

test("the payment and the return whose signatures iyzico has published are genuine", () => {
  const published = {
    paymentId: "22416032",
    currency: "TRY",
    basketId: "basketId",
    conversationId: "conversationId",
    paidPrice: "10.50",
    price: "10.50",
    signature: "836c3a6c8db86c81043f2ca74edb13518b54a813f454f8dd762f0dd658610173",
  };
  expect(isGenuine("payment", published, { secretKey: "sandbox-qaIiLIxhjMgx3LSKIVvp6j17NunHOFtD" })).toBe(
    true,
  );
  const back = {
    conversationData: "",
    conversationId: "",
    mdStatus: "1",
    paymentId: "22484292",
    status: "success",
    signature: "a4f73b80bb32a6ef8358090bbd8609a49a7b53f463048f8ef147496e236d04f0",
  };
  expect(isGenuine("return", back, { secretKey: "jLc7GQHD2pyJoqXDeEcTnGHYtP7Ai5jl" })).toBe(true);
});

test("a field that is missing is signed as empty", () => {
  const { conversationData: _, ...withoutData } = returned;
  expect(isGenuine("return", withoutData, secrets)).toBe(true);
});

test.each([
  [
    "a refund",
    "25149157:100.5:TRY:hf-7f3c-ref-01",
    "5498e9468b75a53a1d4e4cde5d824e59fa1b33ff91c8676e30ba2d98af479dff",
  ],
  [
    "a webhook",
    "sandbox-secretTHREE_DS_AUTH25149157hf-7f3c-pay-01SUCCESS",
    "3389602d914ea6b3eea59af5aa3858164b667599986db50b735fe2b42d90356f",
  ],
])("the HMAC of %s is iyzico's", (_, text, signature) => {
  expect(hmacHex("sandbox-secret", text)).toBe(signature);
});
