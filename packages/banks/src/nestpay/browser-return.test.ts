import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { readReturn, type ReturnedFor } from "./browser-return.ts";
import type { NestpaySettings } from "./nestpay-settings.ts";
import { ver3Hash } from "./ver3-hash.ts";

const storeKey = "TEST1234";
const settings: Pick<NestpaySettings, "clientId" | "acceptMdStatus" | "unsignedFields"> = {
  clientId: "990000001",
  acceptMdStatus: ["1"],
  unsignedFields: ["countdown", "nationalidno", "LOYALTY_INFO"],
};
const expected: ReturnedFor = {
  orderId: "order1",
  amount: { total: "1249.90", currency: "949" },
  operation: "sale",
  installmentCount: 3,
  session: "5f2d8c0b7a914e36",
};
const honest: Readonly<Record<string, string>> = {
  amount: "1249.90",
  cavv: "AAABBCYHAgAAAAARMAcCAAAAAAA=",
  clientid: "990000001",
  currency: "949",
  eci: "05",
  hashAlgorithm: "ver3",
  md: "435508:AA11:3545:##990000001",
  mdErrorMsg: "Authenticated",
  mdStatus: "1",
  oid: "order1",
  rnd: "5f2d8c0b7a914e36",
  storetype: "3d",
  taksit: "3",
  TranType: "Auth",
  txstatus: "Y",
  xid: "MDAwMDAwMDAwMDAwMDAwMDAwMDE=",
};
type Fields = [string, string][];
const signed = (changes: Record<string, string | undefined> = {}, key = storeKey): Fields => {
  const fields = Object.entries({ ...honest, ...changes }).filter(
    ([, value]) => value !== undefined,
  ) as Fields;
  return signedList(fields, key);
};
const signedList = (fields: Fields, key = storeKey): Fields => [...fields, ["HASH", ver3Hash(fields, key)]];
const read = (fields: Fields, acceptMdStatus = settings.acceptMdStatus, of = expected) =>
  readReturn({ fields }, of, { ...settings, acceptMdStatus }, storeKey);

test("an honest return proves the authentication", () => {
  expect(read(signed())).toEqual({
    kind: "proven",
    proof: { md: honest["md"], xid: honest["xid"], eci: "05", cavv: honest["cavv"] },
    authentication: { transStatus: "Y", eci: "05" },
  });
});

test("names in other case, another spelling of the amount and older names are the same", () => {
  const upper = signed({ TranType: undefined, islemtipi: "AUTH", amount: "1249,9", storetype: "3D" });
  expect(read(upper.map(([name, value]) => [name.toUpperCase(), value]))).toMatchObject({ kind: "proven" });
  expect(read(signed({ taksit: undefined, Instalment: "3", ReturnOid: "order1" }))).toMatchObject({
    kind: "proven",
  });
});

test("a payment in one comes back with an empty number of instalments or none", () => {
  const inOne = { ...expected, installmentCount: 1 };
  for (const taksit of ["", undefined]) {
    expect(read(signed({ taksit }), ["1"], inOne)).toMatchObject({ kind: "proven" });
  }
});

test.each([
  [[["NATIONALIDNO", ""]]],
  [
    [
      ["nationalidno", "10000000146"],
      ["countdown", "5"],
    ],
  ],
  [
    [
      ["loyalty_info", "a"],
      ["loyalty_info", "b"],
    ],
  ],
] as Fields[][])("fields that the bank does not sign decide nothing and spoil nothing: %j", (unsigned) => {
  expect(read([...signed(), ...unsigned])).toEqual(read(signed()));
  expect(read([...unsigned, ...signed({ mdStatus: "0" })])).toEqual(read(signed({ mdStatus: "0" })));
});

test("a field that is not read may come twice if the bank has signed both", () => {
  expect(read(signedList([...Object.entries(honest), ["dsId", "1"], ["dsId", "2"]]))).toEqual(read(signed()));
});

test("a value that was escaped on its way is read as the bank has signed it", () => {
  const posted = signed({ mdErrorMsg: "Sum < 5 & more", mdStatus: "0" }).map(
    ([name, value]): [string, string] => [name, name === "mdErrorMsg" ? "Sum &lt; 5 &amp; more\n" : value],
  );
  expect(read(posted)).toMatchObject({ kind: "declined", resultMessage: "Sum < 5 & more" });
});

describe("a return that does not prove to be the bank's, about this payment, is not genuine", () => {
  test.each([
    ["no_signature", "no hash", signed().slice(0, -1)],
    ["no_signature", "an empty hash", [...signed().slice(0, -1), ["HASH", ""]] as Fields],
    ["no_signature", "nothing at all", []],
    ["signature", "another key", signed({}, "TEST1235")],
    ["signature", "a field that was added", [...signed(), ["x", "1"]] as Fields],
    ["signature", "a field that was changed", signed().map(([n, v]) => [n, n === "mdStatus" ? "0" : v])],
    ["signature", "an older algorithm", signed({ hashAlgorithm: "ver1" })],
    ["signature", "no algorithm", signed({ hashAlgorithm: undefined })],
    ["signature", "a field that comes twice", [...signed(), ["OID", "order1"]] as Fields],
    [
      "signature",
      "two orders under one signature",
      signedList([["oid", "order2"], ...Object.entries(honest)]),
    ],
    ["signature", "a novel", signed({ more: "x".repeat(70_000) })],
    [
      "signature",
      "hundreds of fields",
      signed(Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, ""]))),
    ],
    ["other_account", "another client id", signed({ clientid: "990000002" })],
    ["other_account", "no client id", signed({ clientid: undefined })],
    ["other_order", "another order", signed({ oid: "order2" })],
    ["other_order", "no order", signed({ oid: undefined })],
    ["other_order", "two orders", signed({ ReturnOid: "order2" })],
    ["other_order", "another session", signed({ rnd: "5f2d8c0b7a914e37" })],
    ["other_order", "no session", signed({ rnd: undefined })],
    ["other_order", "another flow", signed({ storetype: "3d_pay" })],
    ["other_order", "another operation", signed({ TranType: "PreAuth" })],
    ["other_amount", "another amount", signed({ amount: "1249.91" })],
    ["other_amount", "a hundred times less", signed({ amount: "12.4990" })],
    ["other_amount", "no amount", signed({ amount: undefined })],
    ["other_amount", "another currency", signed({ currency: "840" })],
    ["other_amount", "other instalments", signed({ taksit: "6" })],
    ["other_amount", "no instalments", signed({ taksit: "" })],
  ] as const)("%s: %s", (why, _, fields) => {
    expect(read([...fields] as Fields)).toEqual({ kind: "not_genuine", why });
  });

  test("no_signature: no return", () => {
    expect(readReturn(undefined, expected, settings, storeKey)).toEqual({
      kind: "not_genuine",
      why: "no_signature",
    });
  });

  test("an unsigned failure ends nothing", () => {
    const fields: Fields = [["oid", "order1"], ["Response", "Error"], ["ErrorCode", "HPP-1001"], ["mdStatus", "0"]]; // prettier-ignore
    expect(read(fields)).toEqual({ kind: "not_genuine", why: "no_signature" });
  });

  test("random fields", () => {
    const name = fc.constantFrom(...Object.keys(honest), "HASH", "x");
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string())), (fields) => {
        expect(read(fields).kind).toBe("not_genuine");
      }),
    );
  });
});

describe("an authentication that is not accepted is a decline for good", () => {
  test.each([
    ["0", "N", "soft"],
    ["2", "A", "hard"],
    ["3", "A", "hard"],
    ["4", "A", "soft"],
    ["5", "U", "technical"],
    ["6", "U", "technical"],
    ["7", "U", "technical"],
    ["8", "U", "hard"],
  ] as const)("mdStatus %s is %s", (mdStatus, transStatus, declineClass) => {
    expect(read(signed({ mdStatus, txstatus: "", mdErrorMsg: "no\u0007 4355084355084358" }))).toEqual({
      kind: "declined",
      declineClass,
      resultCode: `MD-${mdStatus}`,
      resultMessage: "no  …",
      authentication: { transStatus, eci: "05" },
    });
  });

  test("an issuer's rejection is told from a failure", () => {
    expect(read(signed({ mdStatus: "0", txstatus: "R" }))).toMatchObject({
      authentication: { transStatus: "R" },
    });
  });

  test("a signed error without a status is one", () => {
    const error = signed({
      mdStatus: undefined,
      ErrorCode: "HPP-1001",
      mdErrorMsg: undefined,
      ErrMsg: "bad field",
    });
    expect(read(error)).toMatchObject({
      kind: "declined",
      resultCode: "HPP-1001",
      resultMessage: "bad field",
    });
    expect(read(signed({ mdStatus: "constructor" }))).toMatchObject({ kind: "declined", resultCode: "MD-" });
  });

  test("and so is one without what the second step needs", () => {
    for (const md of [undefined, "", "x".repeat(513), "a\nb"]) {
      expect(read(signed({ md }))).toMatchObject({
        kind: "declined",
        declineClass: "technical",
        resultCode: "MD-1",
      });
    }
  });
});

test.each(["2", "3", "4"] as const)("mdStatus %s goes on where the account accepts it", (mdStatus) => {
  expect(read(signed({ mdStatus, txstatus: "A" }), ["1", mdStatus])).toMatchObject({
    kind: "proven",
    authentication: { transStatus: "A" },
  });
});

test("only a UUID is a transaction id of EMV 3-D Secure", () => {
  const dsTransId = "f25084f0-5b16-4c0a-ae5d-b24808a95e4b";
  expect(read(signed({ xid: dsTransId }))).toMatchObject({ authentication: { dsTransId } });
  expect(read(signed({ eci: "x" }))).toMatchObject({ authentication: { transStatus: "Y" } });
});
