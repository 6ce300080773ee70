import { expect, test } from "vitest";

import { enrolmentRequest } from "../test/calls.ts";
import { garantiSettings } from "./garanti-settings.ts";
import { hashOf, isHash, securityData } from "./hashes.ts";
import { callerOf, gateForm, orderRequest, type OrderCall } from "./requests.ts";
import { ORDER, SECRETS, settingsOf, TERMINAL } from "./test/garanti-bench.ts";

// The bank's public test terminal, and answers that it gave. Of a hash its first 24 characters are enough.
const data = securityData(SECRETS.provPassword, TERMINAL);
const caller = callerOf(
  garantiSettings.parse(settingsOf("https://bank.example")),
  "PROVAUT",
  SECRETS.provPassword,
);
const card = { pan: "4282209004348015", expiryMonth: "08", expiryYear: "2027", cvv: "123" };
const proof = { md: "m", xid: "x", eci: "05", cavv: "c" };
const start = (hash: string) => hash.slice(0, 24);

test("a password is hashed with the terminal, padded to nine digits", () => {
  expect(data).toBe("1639636D00AB5EF0B3CE073BB222BFAAC2C2C38D");
});

test.each<[OrderCall["type"], string, string, object, string]>([
  ["sales", "order222", "10025", {}, "0CFE09F107274C6A07292DA0"],
  ["refund", "4499996", "202", {}, "0F97D922001221B9C90AA692"],
  ["void", "4499996", "100", {}, "C0C88761726D1844AF49FBE7"],
  ["sales", ORDER, "125000", { instrument: card }, "5F2875B85C4059F8C8AA8F15"],
  ["sales", ORDER, "125000", { instrument: proof }, "9C27FA96F37AE401B5A833FC"],
])("the hash of a request: %s of %s", (type, orderId, amount, more, hash) => {
  const xml = orderRequest(caller, { type, orderId, amount, currency: "949", ...more });
  expect(start(/<HashData>(\w{128})</.exec(xml)![1]!)).toBe(hash);
});

test("the hash of a form", () => {
  const request = enrolmentRequest({ orderId: ORDER, operation: "authorize", installmentCount: 3, card });
  const returnUrl = "https://pay.example/return/1";
  const form = gateForm(
    { ...request, returnUrl },
    { amount: "125000", currency: "949" },
    caller,
    SECRETS.storeKey,
  );
  expect(start(form.get("secure3dhash")!)).toBe("0A2B696F4630AFB793429646");
  const urls = ["https://domain.com/success", "https://domain.com/fail_url"];
  const other = hashOf(TERMINAL, "order222", "10025", "949", ...urls, "sales", "", SECRETS.storeKey, data);
  expect(start(other)).toBe("372D6CB20B2B699D0A6667DF");
});

test.each([
  [["00", "335709663080", "103550", "20231223 19:24:30", "202312238064"], "1724AAE56E9EF08EAF70633A"],
  [["00", "", "", "20240603 16:07:07", ""], "C1DD90277E3CE36D6226FF02"],
  [["92", "", "", "20240107 00:13:34", "202401010C20"], "AC81A642617438C814095A8D"],
  [["00", "600212345678", "123456", "20260102 03:04:05", ORDER], "94282AC0FE99186619340F7C"],
])("the hash of an answer, %#", (values, hash) => {
  const whole = hashOf(...values, data);
  expect(start(whole)).toBe(hash);
  expect(isHash(` ${whole.toLowerCase()}`, ...values, data)).toBe(true);
  expect(isHash(start(whole), ...values, data)).toBe(false);
});
