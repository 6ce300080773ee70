import { expect, test } from "vitest";

import { Decimal } from "./decimal.ts";
import { messageSignature, webhookSignature } from "./signature.ts";

const secret = "sandbox-secret";

test.each([
  [
    "a payment",
    secret,
    ["25149157", "TRY", "hf-b1", "hf-7f3c-pay-01", Decimal.ofMinor(124_990n), Decimal.ofMinor(124_990n)],
    "3212bf2158f1126569d74fd371bbb93abc5f8f21f8b7583396379ec7ce8d075d",
  ],
  [
    "a 3-D Secure start",
    secret,
    ["25149157", "hf-7f3c-pay-01"],
    "2f8594e402aee11f043f8693cf7ad3e14e15f2bea02e852d94ff7099ddfff749",
  ],
  [
    "a return",
    secret,
    [undefined, "hf-7f3c-pay-01", "1", "25149157", "success"],
    "90fe727392dbc57576054201c3c3b5c12d0cd43340efb89b651a1173ba79abb6",
  ],
  [
    "a refund",
    secret,
    ["25149157", Decimal.ofMinor(10_050n), "TRY", "hf-7f3c-ref-01"],
    "5498e9468b75a53a1d4e4cde5d824e59fa1b33ff91c8676e30ba2d98af479dff",
  ],
  [
    "the payment that iyzico has published",
    "sandbox-qaIiLIxhjMgx3LSKIVvp6j17NunHOFtD",
    ["22416032", "TRY", "basketId", "conversationId", Decimal.ofMinor(1_050n), Decimal.ofMinor(1_050n)],
    "836c3a6c8db86c81043f2ca74edb13518b54a813f454f8dd762f0dd658610173",
  ],
  [
    "the return that iyzico has published",
    "jLc7GQHD2pyJoqXDeEcTnGHYtP7Ai5jl",
    ["", "", "1", "22484292", "success"],
    "a4f73b80bb32a6ef8358090bbd8609a49a7b53f463048f8ef147496e236d04f0",
  ],
])("signs %s", (_name, key, fields, signature) => {
  expect(messageSignature(key, fields)).toBe(signature);
});

const published = {
  secretKey: "sandbox-UuLnD7wZa0a3DmytfIrwHQqAMfqCNJrs",
  paymentConversationId: "conversationId",
  status: "SUCCESS",
};

test.each([
  [
    "a payment",
    secret,
    {
      iyziEventType: "THREE_DS_AUTH",
      paymentId: "25149157",
      paymentConversationId: "hf-7f3c-pay-01",
      status: "SUCCESS",
    },
    "3389602d914ea6b3eea59af5aa3858164b667599986db50b735fe2b42d90356f",
  ],
  [
    "a payment by the API that iyzico has published",
    published.secretKey,
    { ...published, iyziEventType: "API_AUTH", paymentId: "22484059" },
    "92c7a72b7741bc83eb696066605c894778c87297b2c88d6037670666230e18ae",
  ],
  [
    "a payment by a hosted page that iyzico has published",
    published.secretKey,
    {
      ...published,
      iyziEventType: "CHECKOUT_FORM_AUTH",
      paymentId: "22483975",
      token: "e828c62d-fd12-4b1a-ad5a-380f15fe6596",
    },
    "4031c575763486a2d2bf3f7ace0baebfcd6bed65393ab4df3fe80c00d5fd6878",
  ],
])("signs the webhook of %s", (_name, key, facts, signature) => {
  expect(webhookSignature(key, facts)).toBe(signature);
});
