import * as fc from "fast-check";
import { expect, test } from "vitest";

import { readReturn } from "./browser-return.ts";
import { signatureOf } from "./signatures.ts";
import { KEY, MERCHANT, ORDER, TERMINAL } from "./test/akbank-bench.ts";

type Fields = [string, string][];
const REFUSED = "responseCode responseMessage orderId";
const OLD =
  "txnCode responseCode responseMessage txnDateTime merchantSafeId terminalSafeId orderId secureId secureEcomInd secureData secureMd";
const WHOLE =
  "txnCode responseCode responseMessage txnDateTime merchantSafeId terminalSafeId orderId secureId secureEcomInd mdStatus secureData secureMd maskedCardNumber amount installCount okUrl failUrl";
const url = "https://pay.example/return/1";
const honest: Record<string, string> = {
  txnCode: "3001",
  responseCode: "VPS-0000",
  responseMessage: "BAŞARILI",
  txnDateTime: "2026-01-02T03:04:05.000",
  merchantSafeId: MERCHANT,
  terminalSafeId: TERMINAL,
  orderId: ORDER,
  secureId: "c2VjdXJlLWlk",
  secureEcomInd: "02",
  mdStatus: "1",
  secureData: "kBMAAAAAAAAAAAAAAAAAAAAAAAA=",
  secureMd: "AB".repeat(32),
  maskedCardNumber: "557829******1055",
  amount: "1250.00",
  installCount: "3",
  okUrl: url,
  failUrl: url,
};

function signed(changes: Readonly<Record<string, string>> = {}, list = WHOLE, key = KEY): Fields {
  const values = { ...honest, ...changes };
  const names = list.split(" ");
  const hash = signatureOf(key, ...names.map((name) => values[name]!));
  const fields = { ...values, currencyCode: "949", hashParams: names.join("+"), hash };
  return Object.entries(fields);
}
const changed = (name: string, value: string, fields = signed()): Fields =>
  fields.map(([known, given]) => [known, known === name ? value : given]);
const without = (name: string) => signed().filter(([known]) => known !== name);
const usual = {
  orderId: ORDER,
  session: ORDER,
  amount: "1250.00",
  installmentCount: 3,
  acceptMdStatus: ["1"] as ("1" | "2" | "3" | "4")[],
  acceptUnsignedAmount: false,
};
const read = (fields: Fields | undefined, more: Partial<typeof usual> = {}) => {
  const { acceptMdStatus, acceptUnsignedAmount, ...expected } = { ...usual, ...more };
  const settings = {
    merchantSafeId: MERCHANT,
    terminalSafeId: TERMINAL,
    acceptMdStatus,
    acceptUnsignedAmount,
  };
  return readReturn(fields && { fields }, expected, settings, KEY);
};
const proof = {
  md: honest["secureMd"],
  xid: honest["secureId"],
  eci: "02",
  cavv: honest["secureData"],
};

test("an honest return proves the authentication", () => {
  expect(signed().at(-1)![1]).toBe(
    "JiTspjWSl86mmy6KHZ9diLH/CVveqpspt3giaOqBh4r7LwRa38r8dUlJScQehU7UZ2MVTm6g+6MH+Ty4+P4KAQ==",
  );
  const proven = { kind: "proven", proof, authentication: { transStatus: "Y", eci: "02" } };
  expect(read(signed())).toEqual(proven);
  expect(read(signed({ txnCode: "3005" }))).toEqual(proven);
  expect(read(signed({ responseMessage: `\t${"BAŞARILI\n".repeat(100)}` }))).toEqual(proven);
});

test("the returns that the bank's test system wrote are read", () => {
  const recorded = {
    txnDateTime: "2026-08-10T00:45:14.000",
    orderId: "TEST-S1VMRISGKX",
    secureId: "NEN3cjFKaDZIaDlnajM4RXRzSTY=",
    secureData: "kBMrDwEgAAAAAAAAAAAAAAAAAAAA",
    secureMd: "F34CC3A09A105540325226366434ABFFDCC3C67878A4870BF6C330D2E4E595CF",
    amount: "100.00",
    installCount: "1",
    okUrl: "https://anadolupay-laravel.test/payment/callback?driver=akbank-pos&order=TEST-S1VMRISGKX",
    failUrl: "https://anadolupay-laravel.test/payment/callback?driver=akbank-pos&order=TEST-S1VMRISGKX",
  };
  const { orderId } = recorded;
  expect(signed(recorded).at(-1)![1].slice(0, 16)).toBe("akaMTXqoq0YkH13h");
  expect(
    read(signed(recorded), { orderId, session: orderId, amount: "100.00", installmentCount: 1 }).kind,
  ).toBe("proven");
  const old = signed(
    {
      txnDateTime: "2024-04-18T20:15:35.000",
      orderId: "20240418BA6C",
      secureId: "VG8yV2tCRHpTSlpNN2VqcDJRS1k=",
      secureData: "kBM8+wZGAAAAAAAAAAAAAAAAAAAA",
      secureMd: "08A86B192287C69B2C443E7A42B29B5F46436C41DF8E159B4A232BB3D961940F",
    },
    OLD,
  );
  expect(old.at(-1)![1].slice(0, 16)).toBe("bFYReNscRIyo3EQQ");
  const its = { orderId: "20240418BA6C", session: "20240418BA6C" };
  expect(read(old, its)).toEqual({ kind: "not_genuine", why: "other_amount" });
  expect(read(old, { ...its, acceptUnsignedAmount: true })).toMatchObject({
    kind: "proven",
    authentication: { transStatus: "Y", eci: "02" },
  });
});

const FAILURE = { responseCode: "VPS-1279", responseMessage: "BKM 3DS Server Doğrulama Başarısız" };

test("a refusal that the bank has signed for our order is a decline, without a terminal", () => {
  const fields = signed({ ...FAILURE, txnCode: "", merchantSafeId: "" }, REFUSED);
  expect(fields.at(-1)![1].slice(0, 16)).toBe("KaEMA/bA0yd6/PD/");
  const outcome = { kind: "declined", declineClass: "soft", resultCode: "VPS-1279" };
  expect(read(fields)).toEqual({ ...outcome, resultMessage: FAILURE.responseMessage });
  expect(read(signed(FAILURE))).toMatchObject(outcome);
  expect(read(signed(FAILURE, OLD))).toMatchObject(outcome);
  expect(read(signed({}, REFUSED))).toMatchObject({ kind: "declined", resultCode: "MD-" });
});

test.each<[string, Fields]>([
  ["of another currency", changed("currencyCode", "840")],
  ["there twice", [...signed(), ["currencyCode", "1"], ["currencyCode", "2"]]],
  ["added", [["authCode", "123456"], ...signed()]],
])("a field that no list has decides nothing and spoils nothing: %s", (_, fields) => {
  expect(read(fields)).toEqual(read(signed()));
});

// Each is signed, with its values cut at another place.
const moved = (changes: Record<string, string>) =>
  signed({ mdStatus: "0", secureId: "c2VjdXJlLWlkAAAA", secureData: "1BMAAAAAAAAAAAAAAAAAAAAAAAA=" }).map(
    ([name, value]): [string, string] => [name, changes[name] ?? value],
  );

test.each<[string, string, Fields | undefined]>([
  ["no_signature", "no return", undefined],
  ["no_signature", "nothing at all", []],
  ["no_signature", "no hash", without("hash")],
  ["signature", "another key", signed({}, WHOLE, "another")],
  ["signature", "another list", changed("hashParams", OLD.replaceAll(" ", "+"))],
  ["signature", "a list of our own", signed({}, "responseCode orderId")],
  ["signature", "a list with other separators", changed("hashParams", WHOLE)],
  ["signature", "no list", without("hashParams")],
  ["signature", "the model in which the bank charges", signed({ txnCode: "1000" })],
  ["signature", "a field twice", [...signed(), ["MDSTATUS", "1"]]],
  ["signature", "a novel", [...signed(), ["more", "x".repeat(70_000)]]],
  ["signature", "a status of two digits", signed({ mdStatus: "10" })],
  ["signature", "no status", signed({ mdStatus: "" })],
  ["signature", "an indicator that is none", signed({ secureEcomInd: "20" })],
  ["signature", "an amount of one decimal", signed({ amount: "1250.0" })],
  ["signature", "a date that is none", signed({ txnDateTime: "yesterday" })],
  ["signature", "a proof that is too short", signed({ secureMd: "AB" })],
  [
    "signature",
    "values that moved into their neighbours",
    moved({
      secureId: "c2VjdXJlLWlkAAAA0",
      secureEcomInd: "20",
      mdStatus: "1",
      secureData: "BMAAAAAAAAAAAAAAAAAAAAAAAA=",
    }),
  ],
  ...WHOLE.split(" ").map((name): [string, string, Fields] => [
    "signature",
    `another ${name}`,
    changed(name, "0"),
  ]),
  ["other_account", "another merchant", signed({ merchantSafeId: "0".repeat(32) })],
  ["other_account", "another terminal", signed({ terminalSafeId: "0".repeat(32) })],
  ["other_order", "another order", signed({ orderId: "another" })],
  ["other_order", "a refusal of another order", signed({ ...FAILURE, orderId: "another" }, REFUSED)],
  ["other_amount", "another amount", signed({ amount: "1250.01" })],
  ["other_amount", "another number of installments", signed({ installCount: "2" })],
  ["other_amount", "an amount that nobody signed", signed({}, OLD)],
])("a return that does not prove to be the bank's, about this payment, is %s: %s", (why, _, fields) => {
  expect(read(fields)).toEqual({ kind: "not_genuine", why });
});

test("another session's return proves nothing", () => {
  expect(read(signed(), { session: "another" })).toEqual({ kind: "not_genuine", why: "other_order" });
});

test("random fields are not genuine", () => {
  const name = fc.constantFrom(...WHOLE.split(" "), "hash", "hashParams", "x");
  const each = fc.property(fc.array(fc.tuple(name, fc.string())), (fields) => {
    expect(read(fields).kind).toBe("not_genuine");
  });
  fc.assert(each);
});

test.each([
  ["0", "N", "soft"],
  ["2", "U", "hard"],
  ["4", "A", "soft"],
  ["5", "U", undefined],
  ["7", "U", "technical"],
])("the status %s is a decline for good", (mdStatus, transStatus, declineClass) => {
  const empty = { secureData: "", secureMd: "" };
  const code = { resultCode: `MD-${mdStatus}`, resultMessage: "", ...(declineClass && { declineClass }) };
  const outcome = { kind: "declined", ...code, authentication: { transStatus, eci: "02" } };
  expect(read(signed({ mdStatus }))).toEqual(outcome);
  expect(read(signed({ mdStatus, ...empty }))).toEqual(outcome);
});

test("and so is one without what the second call needs", () => {
  for (const empty of [{ secureData: "" }, { secureMd: "" }, { secureId: "" }])
    expect(read(signed(empty))).toMatchObject({ kind: "declined", declineClass: "technical" });
});

test.each([
  ["2", "U"],
  ["4", "A"],
] as const)("the status %s goes on where the account accepts it", (mdStatus, transStatus) => {
  const proven = { kind: "proven", authentication: { transStatus } };
  expect(read(signed({ mdStatus }), { acceptMdStatus: ["1", mdStatus] })).toMatchObject(proven);
});
