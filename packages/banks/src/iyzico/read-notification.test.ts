import * as fc from "fast-check";
import { expect, test } from "vitest";

import { readIyzicoNotification } from "./read-notification.ts";
import { hmacHex } from "@holdfast/acquirer/kit";

const secrets = { apiKey: "sandbox-apikey", secretKey: "sandbox-secret" };
const FIELDS = {
  iyziEventType: "THREE_DS_AUTH",
  paymentId: "25149157",
  paymentConversationId: "hf-7f3c-pay-01",
  status: "SUCCESS",
};
/** A signature of the protocol's test vectors. */
const SIGNATURE = "3389602d914ea6b3eea59af5aa3858164b667599986db50b735fe2b42d90356f";
const BODY = {
  ...FIELDS,
  merchantId: 1_000_001,
  iyziReferenceCode: "r",
  iyziEventTime: 1_700_000_000_000,
};
const GENUINE = { kind: "genuine", name: "hf-7f3c-pay-01" };

function read(body: unknown, signature: string | undefined = SIGNATURE) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readIyzicoNotification(
    { headers: { "x-iyz-signature-v3": signature }, body: Buffer.from(text) },
    secrets,
  );
}

test("a notification is genuine by the vector of the protocol, whether its ids are numbers or text", () => {
  expect(read(BODY)).toEqual(GENUINE);
  expect(read(BODY, SIGNATURE.toUpperCase())).toEqual(GENUINE);
  const { paymentId: _, ...nameless } = BODY;
  expect(read({ ...BODY, paymentId: 25_149_157 })).toEqual(GENUINE);
  expect(read({ ...nameless, iyziPaymentId: 25_149_157 })).toEqual(GENUINE);
  const large = JSON.stringify(BODY).replace('"25149157"', "90071992547409931");
  const signature = hmacHex(
    secrets.secretKey,
    `${secrets.secretKey}THREE_DS_AUTH90071992547409931hf-7f3c-pay-01SUCCESS`,
  );
  expect(read(large, signature), "a number beyond what a double can hold").toEqual(GENUINE);
});

test.each([
  [
    { iyziEventType: "API_AUTH", paymentId: "22484059" },
    "92c7a72b7741bc83eb696066605c894778c87297b2c88d6037670666230e18ae",
  ],
  [
    {
      iyziEventType: "CHECKOUT_FORM_AUTH",
      iyziPaymentId: "22483975",
      token: "e828c62d-fd12-4b1a-ad5a-380f15fe6596",
    },
    "4031c575763486a2d2bf3f7ace0baebfcd6bed65393ab4df3fe80c00d5fd6878",
  ],
])("the published notification %o is genuine", (fields, signature) => {
  const body = { ...fields, paymentConversationId: "conversationId", status: "SUCCESS" };
  const call = { headers: { "x-iyz-signature-v3": signature }, body: Buffer.from(JSON.stringify(body)) };
  const published = { apiKey: "sandbox-apikey", secretKey: "sandbox-UuLnD7wZa0a3DmytfIrwHQqAMfqCNJrs" };
  expect(readIyzicoNotification(call, published)).toEqual({ kind: "genuine", name: "conversationId" });
});

test("one of a hosted page is signed with its token behind iyzico's own name of the payment", () => {
  const hosted = { ...BODY, iyziPaymentId: "77", token: "t0k3n" };
  const signed = `${secrets.secretKey}THREE_DS_AUTH77t0k3nhf-7f3c-pay-01SUCCESS`;
  expect(read(hosted, hmacHex(secrets.secretKey, signed))).toEqual(GENUINE);
  expect(read(hosted)).toEqual({ kind: "not_genuine", why: "signature" });
});

test("without a signature, or with a body that is no notification, nothing is", () => {
  const unsigned = readIyzicoNotification({ headers: {}, body: Buffer.from(JSON.stringify(BODY)) }, secrets);
  expect(unsigned).toEqual({ kind: "not_genuine", why: "no_signature" });
  for (const body of [
    "",
    "{",
    "[]",
    "null",
    "{}",
    { ...BODY, status: null },
    { ...BODY, status: ["SUCCESS"] },
  ])
    expect(read(body)).toEqual({ kind: "not_genuine", why: "malformed" });
});

test("of which a signed field, or the key, is another one, nothing is", () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(FIELDS)), fc.string({ minLength: 1 }), (name, more) => {
      const changed = { ...BODY, [name]: `${BODY[name as keyof typeof FIELDS]}${more}` };
      expect(read(changed)).toEqual({ kind: "not_genuine", why: "signature" });
    }),
  );
  const other = hmacHex("other-secret", "other-secretTHREE_DS_AUTH25149157hf-7f3c-pay-01SUCCESS");
  for (const signature of [other, "", SIGNATURE.slice(1), `${SIGNATURE}00`])
    expect(read(BODY, signature)).toEqual({ kind: "not_genuine", why: "signature" });
});
