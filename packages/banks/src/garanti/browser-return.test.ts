import * as fc from "fast-check";
import { expect, test } from "vitest";

import { readGateRefusal, readReturn } from "./browser-return.ts";
import { hashOf } from "./hashes.ts";
import { ORDER, SECRETS, TERMINAL } from "./test/garanti-bench.ts";

const { storeKey } = SECRETS;
const NAMES = "clientid oid authcode procreturncode response mdstatus cavv eci md rnd".split(" ");
const cavv = "AAABBIIFmQAAAAAJUGFmAAAAAAA=";
const empty = { authcode: "", procreturncode: "", response: "" };
const honest = {
  clientid: TERMINAL,
  oid: ORDER,
  ...empty,
  mdstatus: "1",
  cavv,
  eci: "05",
  md: "bWQtdGVzdA==",
};
const xid = "MDAwMDAwMDAwMDAwMDAwMDAwMDE=";
const unsigned = { xid, txnamount: "10000", orderid: ORDER, mderrormessage: "Y" };
type Fields = [string, string][];

function signed(changes: Readonly<Record<string, string>> = {}, key = storeKey): Fields {
  const values: Record<string, string> = { ...honest, rnd: "Q1w2E3r4T5y6U7i8O9p0", ...changes };
  const hash = hashOf(...NAMES.map((name) => values[name]!), key);
  return Object.entries({ ...values, ...unsigned, hashparams: `${NAMES.join(":")}:`, hash });
}
const changed = (name: string, value: string): Fields =>
  signed().map(([known, given]) => [known, known === name ? value : given]);
const without = (name: string) => signed().filter(([known]) => known !== name);
const read = (
  fields: Fields,
  acceptMdStatus: ("1" | "2" | "3" | "4")[] = ["1"],
  orderId = ORDER,
  session = orderId,
) => readReturn({ fields }, { orderId, session }, { terminalId: TERMINAL, acceptMdStatus }, storeKey);

test("an honest return proves the authentication", () => {
  expect(signed().at(-1)![1].slice(0, 24)).toBe("3E336574173D97A75A1F8FE2");
  const proven = {
    kind: "proven",
    proof: { md: honest.md, xid, eci: "05", cavv },
    authentication: { transStatus: "Y", eci: "05" },
  };
  expect(read(signed())).toEqual(proven);
  expect(read(signed().map(([name, value]) => [name.toUpperCase(), value]))).toEqual(proven);
});

test("a return that the bank's test system wrote is read", () => {
  const oid = "20240310D17E";
  const md = "aW5kZXg6MDIYjoYTHmZE91tOHZxS3PEkm5MLNOtFzZ5K914RtN5+rhLhO8yz+cmEUcjkfzNwAnY+eqIM7irJ7LXR+izmjNBOCH8dnD4ZQz+bbPoMp7I8mUMwsTjuV4E4EhyyJaZ93v5675lrk2bb9dFEIcqnzVYt"; // prettier-ignore
  const fields = signed({
    oid,
    md,
    cavv: "jCm0m+u/0hUfAREHBAMBcfN+pSo=",
    eci: "02",
    rnd: "WS5m0vq/9QA2vOA1O3l0",
  });
  expect(fields.at(-1)![1].slice(0, 24)).toBe("476399FBB4DA8A50FF6D32A5");
  expect(read(fields, ["1"], oid)).toMatchObject({ kind: "proven", authentication: { eci: "02" } });
});

test.each<[string, Fields]>([
  ["changed", changed("txnamount", "1")],
  ["of another order", changed("orderid", "another")],
  ["there twice", [...signed(), ["txnamount", "1"], ["hashparamsval", "x"]]],
  ["added", [["result", "Approved"], ...signed()]],
  ["missing", without("txnamount")],
])("a field that the hash does not cover decides nothing and spoils nothing: %s", (_, fields) => {
  expect(read(fields)).toEqual(read(signed()));
});

test.each(["x".repeat(51), "<x>", ""])(
  "an identifier that the hash does not cover is bounded: %s",
  (given) => {
    expect(read(changed("xid", given))).toMatchObject({ kind: "proven", proof: { xid: "" } });
  },
);

const refusedForm: Fields = Object.entries({ mdstatus: "7", response: "Error", procreturncode: "99" });
const moved = signed({ mdstatus: "0" }).map(([name, value]): [string, string] => [
  name,
  { response: "0", mdstatus: "1" }[name] ?? value,
]);
test.each<[string, string, Fields]>([
  ["no_signature", "nothing at all", []],
  ["no_signature", "no hash", without("hash")],
  ["no_signature", "a form that was refused", refusedForm],
  ["signature", "another key", signed({}, "12345679")],
  ["signature", "another list", changed("hashparams", "clientid:oid:")],
  ["signature", "a list without its end", changed("hashparams", NAMES.join(":"))],
  ["signature", "no list", without("hashparams")],
  ["signature", "a field twice", [...signed(), ["MDSTATUS", "1"]]],
  ["signature", "a novel", [...signed(), ["more", "x".repeat(70_000)]]],
  ["signature", "another model's result", signed({ procreturncode: "00" })],
  ["signature", "a status of two digits", signed({ mdstatus: "10" })],
  ["signature", "no status", signed({ mdstatus: "" })],
  ["signature", "an eci that is none", signed({ eci: "5" })],
  ["signature", "a cavv that is none", signed({ cavv: "a b" })],
  ["signature", "a long md", signed({ md: "x".repeat(251) })],
  ["signature", "a value that moved into its neighbour", moved],
  ...NAMES.map((name): [string, string, Fields] => ["signature", `another ${name}`, changed(name, "0")]),
  ["other_account", "another terminal", signed({ clientid: "30691297" })],
  ["other_order", "another order", signed({ oid: "another" })],
])("a return that does not prove to be the bank's, about this payment, is %s: %s", (why, _, fields) => {
  expect(read(fields)).toEqual({ kind: "not_genuine", why });
});

test("no return, or one of another session, proves nothing", () => {
  const settings = { terminalId: TERMINAL, acceptMdStatus: ["1" as const] };
  const none = readReturn(undefined, { orderId: ORDER, session: ORDER }, settings, storeKey);
  expect(none).toEqual({ kind: "not_genuine", why: "no_signature" });
  expect(read(signed(), ["1"], ORDER, "another")).toEqual({ kind: "not_genuine", why: "other_order" });
});

test("random fields are not genuine", () => {
  const name = fc.constantFrom(...NAMES, "hash", "hashparams", "x");
  const each = fc.property(fc.array(fc.tuple(name, fc.string())), (fields) => {
    expect(read(fields).kind).toBe("not_genuine");
  });
  fc.assert(each);
});

test.each([
  ["0", "N", "soft"],
  ["2", "U", "hard"],
  ["3", "U", "hard"],
  ["4", "A", "soft"],
  ["5", "U", undefined],
  ["6", "U", undefined],
  ["7", "U", "technical"],
  ["8", "U", undefined],
  ["9", "U", "technical"],
])(
  "the status %s is a decline for good, without a text that nobody signed",
  (mdstatus, transStatus, declineClass) => {
    const code = { resultCode: `MD-${mdstatus}`, resultMessage: "", ...(declineClass && { declineClass }) };
    expect(read(signed({ mdstatus }))).toEqual({
      kind: "declined",
      ...code,
      authentication: { transStatus, eci: "05" },
    });
  },
);

test("and so is one without what the second call needs", () => {
  expect(read(signed({ md: "" }))).toMatchObject({ kind: "declined", declineClass: "technical" });
});

test.each([
  ["2", "U"],
  ["3", "U"],
  ["4", "A"],
] as const)("the status %s goes on where the account accepts it", (mdstatus, transStatus) => {
  const proven = { kind: "proven", authentication: { transStatus } };
  expect(read(signed({ mdstatus }), ["1", mdstatus])).toMatchObject(proven);
});

test("a page of the gate that refuses our form is a decline, and no other page is", () => {
  const input = (name: string, value: string) => `<INPUT value='${value}' type=hidden name="${name}">`;
  const page = input("mdstatus", "7") + input("errmsg", "Guvenlik Kodu hatali 4282209004348015");
  const refusal = page + input("response", "Error");
  const code = { resultCode: "MD-7", resultMessage: "Guvenlik Kodu hatali …" };
  expect(readGateRefusal(refusal)).toEqual({ kind: "declined", declineClass: "technical", ...code });
  expect(readGateRefusal(page)).toBeUndefined();
  expect(readGateRefusal(refusal + input("hash", "1"))).toBeUndefined();
});
