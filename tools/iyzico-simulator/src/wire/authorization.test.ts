import { expect, test } from "vitest";

import { requestSignature, verifyAuthorization } from "./authorization.ts";

const merchants = [
  { apiKey: "sandbox-apikey", secretKey: "sandbox-secret" },
  { apiKey: "test", secretKey: "test" },
];
const random = "5f2d8c0b7a914e36";
const i1 = {
  path: "/payment/bin/check",
  body: '{"locale":"tr","conversationId":"hf-7f3c-pay-01","binNumber":"55287900"}',
  header:
    "IYZWSv2 YXBpS2V5OnNhbmRib3gtYXBpa2V5JnJhbmRvbUtleTo1ZjJkOGMwYjdhOTE0ZTM2JnNpZ25hdHVyZToyYjA4MGVjZjFhMzlkZDMxMDVmMGY0ZTExM2ZhNDU5YjI2M2UwZjU2Y2JjZTI4N2UyNjZkMTQ5YzhjNTkxNDM4",
};

test.each([
  ["I1", i1.path, i1.body, "2b080ecf1a39dd3105f0f4e113fa459b263e0f56cbce287e266d149c8c591438"],
  [
    "I2, which is not ASCII",
    "/payment/cancel",
    '{"locale":"tr","conversationId":"hf-7f3c-can-01","paymentId":"25149157","ip":"203.0.113.7","reason":"OTHER","description":"İade"}',
    "e693c334e396eb0ff57db8f27d501877e8afa51a732124ed4efc3e35a5de90d8",
  ],
  [
    "I3, a GET without a body",
    "/v2/reporting/payment/details",
    "",
    "e11df18b4b1e9ac0caa5a43af1b03f09bb7f81283e79116ab3ba5c8cc330a54d",
  ],
  [
    "I3, a GET with {}",
    "/v2/reporting/payment/details",
    "{}",
    "fbb6b055c943db8f511fb6b2e0dc5bb332073698e63252991b60cf64e77fef0e",
  ],
])("signs vector %s", (_name, path, body, signature) => {
  expect(requestSignature("sandbox-secret", random, path, Buffer.from(body))).toBe(signature);
});

test("verifies the header of vector I1", () => {
  const { path, body, header } = i1;
  expect(verifyAuthorization(merchants, header, path, Buffer.from(body))).toEqual({
    kind: "verified",
    merchant: merchants[0],
  });
});

test("verifies the header that iyzico has published", () => {
  const header =
    "IYZWSv2 YXBpS2V5OnRlc3QmcmFuZG9tS2V5OjEyMzQ1Njc4OSZzaWduYXR1cmU6NmYzODQwOTlhYWUzMjhmNzJkYWY5Y2RhYjEwNWViMzdmYjI5NjIwMjUxYzQ3YjRjNTgzZDc0OGQ5ZDBhYjc2NA==";
  expect(verifyAuthorization(merchants, header, "/v2/subscription/customers/", Buffer.from(""))).toEqual({
    kind: "verified",
    merchant: merchants[1],
  });
});

test.each([
  ["another body", i1.header, i1.path, `${i1.body} `, "1000"],
  ["another path", i1.header, "/payment/detail", i1.body, "1000"],
  ["no header", undefined, i1.path, i1.body, "1000"],
  ["the older form", i1.header.replace("IYZWSv2", "IYZWS"), i1.path, i1.body, "1000"],
  ["no base64", "IYZWSv2 !", i1.path, i1.body, "1000"],
  ["a key that nobody has", headerOf("sandbox-other"), i1.path, i1.body, "1001"],
  ["another merchant's key", headerOf("test"), i1.path, i1.body, "1000"],
  ["a signature that is too short", headerOf("sandbox-apikey", "2b080e"), i1.path, i1.body, "1000"],
])("refuses %s", (_name, header, path, body, code) => {
  expect(verifyAuthorization(merchants, header, path, Buffer.from(body))).toEqual({ kind: "refused", code });
});

function headerOf(
  apiKey: string,
  signature = "2b080ecf1a39dd3105f0f4e113fa459b263e0f56cbce287e266d149c8c591438",
) {
  const claim = `apiKey:${apiKey}&randomKey:${random}&signature:${signature}`;
  return `IYZWSv2 ${Buffer.from(claim).toString("base64")}`;
}
