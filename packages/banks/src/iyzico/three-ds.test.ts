import * as fc from "fast-check";
import { expect, test } from "vitest";

import { readReturn } from "./three-ds.ts";
import { returnOf } from "./test/iyzico-requests.ts";
import { SECRETS } from "./test/scripted-iyzico.ts";

const asked = { orderId: "order", session: "25149157" };
const genuine = returnOf({ conversationId: "order" });
const read = (returned: Parameters<typeof readReturn>[0]) => readReturn(returned, asked, SECRETS);
const without = (name: string) => ({ fields: genuine.fields.filter(([field]) => field !== name) });

test("a genuine return of an authenticated cardholder is to be completed", () => {
  expect(read(genuine)).toEqual({ kind: "authenticated", authentication: { transStatus: "Y" } });
  expect(read(without("conversationData")), "an empty field may be missing").toMatchObject({
    kind: "authenticated",
  });
  expect(read({ fields: [["locale", "tr"], ...genuine.fields, ["locale", "en"]] })).toMatchObject({
    kind: "authenticated",
  });
});

test.each([
  ["0", "N", "soft"],
  ["2", "U", "hard"],
  ["3", "U", "hard"],
  ["4", "A", "hard"],
  ["5", "U", "technical"],
  ["6", "U", "technical"],
  ["7", "U", "technical"],
  ["8", "U", "hard"],
])("a genuine return with mdStatus %s is declined", (mdStatus, transStatus, declineClass) => {
  for (const status of ["failure", "success"]) {
    expect(read(returnOf({ conversationId: "order", mdStatus, status }))).toMatchObject({
      kind: "declined",
      declineClass,
      resultCode: `mdStatus_${mdStatus}`,
      authentication: { transStatus },
    });
  }
});

test.each(["constructor", "", "1"])("a genuine failure with mdStatus %o is declined, too", (mdStatus) => {
  expect(read(returnOf({ conversationId: "order", mdStatus, status: "failure" }))).toMatchObject({
    kind: "declined",
    resultMessage: "not authenticated",
  });
});

test("a genuine return with a status that is not known decides nothing", () => {
  expect(read(returnOf({ conversationId: "order", status: "maybe" }))).toMatchObject({ kind: "unknown" });
});

test("a return without a signature, or none at all, proves nothing", () => {
  const nothing = { kind: "not_genuine", why: "no_signature" };
  expect(read(undefined)).toEqual(nothing);
  expect(read({ fields: [] })).toEqual(nothing);
  expect(read(without("signature"))).toEqual(nothing);
});

test("a signature of another order or payment proves nothing of this one", () => {
  const other = { kind: "not_genuine", why: "other_order" };
  expect(read(returnOf({ conversationId: "another" }))).toEqual(other);
  expect(read(returnOf({ conversationId: "order", paymentId: "2" }))).toEqual(other);
});

test("a signed field that comes twice proves nothing", () => {
  for (const [name, value] of genuine.fields) {
    expect(read({ fields: [...genuine.fields, [name, value]] })).toEqual({
      kind: "not_genuine",
      why: "signature",
    });
  }
});

test("a return of which any signed field was changed proves nothing", () => {
  fc.assert(
    fc.property(fc.nat({ max: genuine.fields.length - 1 }), fc.string(), (index, value) => {
      const fields = genuine.fields.map(
        ([name, given], at) => [name, at === index ? `${given}${value}x` : given] as const,
      );
      expect(read({ fields })).toMatchObject({ kind: "not_genuine" });
    }),
  );
});
