import { expect, test } from "vitest";

import { Decimal, parseMinor } from "./decimal.ts";
import { parseJsonSource, writeAnswer } from "./json.ts";
import { messageSignature, requestSignature, verifyAuthorization, webhookSignature } from "./signature.ts";

// Source of the vectors: iyzico protocol; "published" are iyzico's own.
const merchants = [
  { apiKey: "sandbox-apikey", secretKey: "sandbox-secret" },
  { apiKey: "test", secretKey: "test" },
];
const random = "5f2d8c0b7a914e36";
const [I1_PATH, I1_BODY] = [
  "/payment/bin/check",
  '{"locale":"tr","conversationId":"hf-7f3c-pay-01","binNumber":"55287900"}',
];
const I1_SIGNATURE = "2b080ecf1a39dd3105f0f4e113fa459b263e0f56cbce287e266d149c8c591438";
const I1_HEADER =
  "IYZWSv2 YXBpS2V5OnNhbmRib3gtYXBpa2V5JnJhbmRvbUtleTo1ZjJkOGMwYjdhOTE0ZTM2JnNpZ25hdHVyZToyYjA4MGVjZjFhMzlkZDMxMDVmMGY0ZTExM2ZhNDU5YjI2M2UwZjU2Y2JjZTI4N2UyNjZkMTQ5YzhjNTkxNDM4";
const PUBLISHED_HEADER =
  "IYZWSv2 YXBpS2V5OnRlc3QmcmFuZG9tS2V5OjEyMzQ1Njc4OSZzaWduYXR1cmU6NmYzODQwOTlhYWUzMjhmNzJkYWY5Y2RhYjEwNWViMzdmYjI5NjIwMjUxYzQ3YjRjNTgzZDc0OGQ5ZDBhYjc2NA==";

test.each([
  [I1_SIGNATURE, I1_PATH, I1_BODY],
  [
    "e693c334e396eb0ff57db8f27d501877e8afa51a732124ed4efc3e35a5de90d8",
    "/payment/cancel",
    '{"locale":"tr","conversationId":"hf-7f3c-can-01","paymentId":"25149157","ip":"203.0.113.7","reason":"OTHER","description":"İade"}',
  ],
  ["e11df18b4b1e9ac0caa5a43af1b03f09bb7f81283e79116ab3ba5c8cc330a54d", "/v2/reporting/payment/details", ""],
  ["fbb6b055c943db8f511fb6b2e0dc5bb332073698e63252991b60cf64e77fef0e", "/v2/reporting/payment/details", "{}"],
])("the request signature %s is of %s with %s", (signature, path, body) => {
  expect(requestSignature("sandbox-secret", random, path, Buffer.from(body))).toBe(signature);
});

test.each([
  ["the vector's header", I1_HEADER, I1_PATH, I1_BODY, merchants[0]],
  ["the published header", PUBLISHED_HEADER, "/v2/subscription/customers/", "", merchants[1]],
  ["another body", I1_HEADER, I1_PATH, `${I1_BODY} `, "1000"],
  ["another path", I1_HEADER, "/payment/detail", I1_BODY, "1000"],
  ["no header", undefined, I1_PATH, I1_BODY, "1000"],
  ["the older form", I1_HEADER.replace("IYZWSv2", "IYZWS"), I1_PATH, I1_BODY, "1000"],
  ["no base64", "IYZWSv2 !", I1_PATH, I1_BODY, "1000"],
  ["an unknown key", headerOf("sandbox-other"), I1_PATH, I1_BODY, "1001"],
  ["another merchant's key", headerOf("test"), I1_PATH, I1_BODY, "1000"],
  ["a signature that is too short", headerOf("sandbox-apikey", "2b080e"), I1_PATH, I1_BODY, "1000"],
])("an authorization by %s", (_name, header, path, body, result) => {
  expect(verifyAuthorization(merchants, header, path, Buffer.from(body))).toEqual(result);
});

function headerOf(apiKey: string, signature = I1_SIGNATURE): string {
  const claim = `apiKey:${apiKey}&randomKey:${random}&signature:${signature}`;
  return `IYZWSv2 ${Buffer.from(claim).toString("base64")}`;
}

const vectors: [string, string, (string | number | undefined)[], string][] = [
  [
    "a payment",
    "sandbox-secret",
    ["25149157", "TRY", "hf-b1", "hf-7f3c-pay-01", 124_990, 124_990],
    "3212bf2158f1126569d74fd371bbb93abc5f8f21f8b7583396379ec7ce8d075d",
  ],
  [
    "a 3-D Secure start",
    "sandbox-secret",
    ["25149157", "hf-7f3c-pay-01"],
    "2f8594e402aee11f043f8693cf7ad3e14e15f2bea02e852d94ff7099ddfff749",
  ],
  [
    "a return",
    "sandbox-secret",
    [undefined, "hf-7f3c-pay-01", "1", "25149157", "success"],
    "90fe727392dbc57576054201c3c3b5c12d0cd43340efb89b651a1173ba79abb6",
  ],
  [
    "a refund",
    "sandbox-secret",
    ["25149157", 10_050, "TRY", "hf-7f3c-ref-01"],
    "5498e9468b75a53a1d4e4cde5d824e59fa1b33ff91c8676e30ba2d98af479dff",
  ],
  [
    "the published payment",
    "sandbox-qaIiLIxhjMgx3LSKIVvp6j17NunHOFtD",
    ["22416032", "TRY", "basketId", "conversationId", 1_050, 1_050],
    "836c3a6c8db86c81043f2ca74edb13518b54a813f454f8dd762f0dd658610173",
  ],
  [
    "the published return",
    "jLc7GQHD2pyJoqXDeEcTnGHYtP7Ai5jl",
    ["", "", "1", "22484292", "success"],
    "a4f73b80bb32a6ef8358090bbd8609a49a7b53f463048f8ef147496e236d04f0",
  ],
];

test.each(vectors)("the signature of %s; numbers are minor units", (_name, key, fields, signature) => {
  const signed = fields.map((field) => (typeof field === "number" ? Decimal.ofMinor(BigInt(field)) : field));
  expect(messageSignature(key, signed)).toBe(signature);
});

test.each([
  [
    "sandbox-secret",
    ["THREE_DS_AUTH", "25149157", "hf-7f3c-pay-01", "SUCCESS"],
    "3389602d914ea6b3eea59af5aa3858164b667599986db50b735fe2b42d90356f",
  ],
  [
    "sandbox-UuLnD7wZa0a3DmytfIrwHQqAMfqCNJrs",
    ["API_AUTH", "22484059", "conversationId", "SUCCESS"],
    "92c7a72b7741bc83eb696066605c894778c87297b2c88d6037670666230e18ae",
  ],
])("the signature of a webhook with the key %s", (key, fields, signature) => {
  expect(webhookSignature(key, fields)).toBe(signature);
});

test.each([
  ["1249.9", 124_990n],
  ["1.00000000", 100n],
  ["0.01", 1n],
  ["7", 700n],
  ["9999999999.99", 999_999_999_999n],
])("'%s' is %s minor units", (text, minor) => {
  expect(parseMinor(text)).toBe(minor);
});

test.each(["", "-1", "1.", ".5", "1.005", "1e3", "1,5", "+1", "0x10", " 1", "99999999999"])(
  "'%s' is no amount",
  (text) => {
    expect(parseMinor(text)).toBeUndefined();
  },
);

test.each([
  [1_050n, "10.50000000", "10.5"],
  [5_000n, "50.00000000", "50"],
  [0n, "0.00000000", "0"],
  [-1n, "-0.01000000", "-0.01"],
])("%s minor units are written %s, and signed %s", (minor, long, short) => {
  expect(Decimal.ofMinor(minor)).toMatchObject({ long, short });
});

test("a number keeps the text that was sent, whatever a float would make of it", () => {
  const source = '{"price": 0.10000000000000001, "items": [{"price": 1.20}], "text": "1.20", "is": true}';
  const value = { price: "0.10000000000000001", items: [{ price: "1.20" }], text: "1.20", is: true };
  expect(parseJsonSource(source)).toEqual({ value });
  expect(parseJsonSource('{"cardNumber": 4111')).toBeUndefined();
});

test.each([
  ["zeros", "usual", '{"errorCode":"11","systemTime":5,"price":10.50000000,"items":[{"price":1.00000000}]}'],
  ["plain", "usual", '{"errorCode":"11","systemTime":5,"price":10.5,"items":[{"price":1}]}'],
  ["plain", "swapped", '{"errorCode":11,"systemTime":"5","price":"10.5","items":[{"price":"1"}]}'],
] as const)("an answer is written with %s decimals and %s types", (decimals, types, text) => {
  const [price, items] = [Decimal.ofMinor(1_050n), [{ price: Decimal.ofMinor(100n) }]];
  const answer = { errorCode: "11", systemTime: 5, price, items, missing: undefined };
  expect(writeAnswer(answer, { decimals, types })).toBe(text);
});
