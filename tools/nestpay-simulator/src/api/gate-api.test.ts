import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { expect, test } from "vitest";

import { auth, CLIENT_ID, preAuth, startTestBank, STORE_KEY, type TestBank } from "../../test/test-bank.ts";
import {
  authenticate,
  FAIL_URL,
  gateForm,
  isSigned,
  OK_URL,
  openPage,
  postForm,
} from "../../test/test-browser.ts";
import { merchantsSchema } from "../merchants.ts";

const CHALLENGE = "4000000000003220";
const FRICTIONLESS = "4000000000003055";
const NOT_AUTHENTICATED = "4000000000003097";

test("a form is answered with a page without scripts, under a path of its own", async () => {
  await using bank = await startTestBank();
  const pages = [await openGate(bank), await openGate(bank)];
  const paths = pages.map(({ action }) => /^http:\/\/127\.0\.0\.1:\d+\/acs\/([\w-]{32})$/.exec(action)?.[1]);
  expect(paths[0]).toBeDefined();
  expect(paths[0]).not.toBe(paths[1]);
  expect(pages[0]?.html).not.toContain("<script");
  expect(pages[0]?.html).toContain("12.50 TRY");
  expect((await openPage(pages[0]?.action ?? "")).html).toBe(pages[0]?.html);
});

test("the page's address is the public one where there is one", async () => {
  await using bank = await startTestBank({ publicUrl: "https://bank.example.test" });
  expect((await openGate(bank)).action).toMatch(/^https:\/\/bank\.example\.test\/acs\//);
});

test("the right code comes back signed, with everything that was posted but the card", async () => {
  await using bank = await startTestBank();
  const form = gateForm({ pan: CHALLENGE, Email: "a@b.test", taksit: "3", cv2: "987" });
  const page = await authenticate(bank.url, form);
  expect(page.action).toBe(OK_URL);
  expect(page.html).toMatch(/<button>[\s\S]*<script>/);
  expect(page.fields).toMatchObject({
    clientid: CLIENT_ID,
    oid: "order-3d",
    ReturnOid: "order-3d",
    amount: "12.50",
    currency: "949",
    storetype: "3d",
    TranType: "Auth",
    taksit: "3",
    rnd: "5f2d8c0b7a914e36",
    hashAlgorithm: "ver3",
    Email: "a@b.test",
    mdStatus: "1",
    mdErrorMsg: "Authenticated",
    txstatus: "Y",
    eci: "05",
    cavv: expect.stringMatching(/^.{27}=$/),
    xid: expect.stringMatching(/^.{27}=$/),
    md: expect.stringMatching(/^400000:[0-9A-F]{64}:\d{4}:##990000001$/),
    version: "2.0",
    maskedCreditCard: "4000 00** **** 3220",
    MaskedPan: "400000***3220",
    encoding: "ISO-8859-9",
  });
  expect(isSigned(page.fields)).toBe(true);
  expect(isSigned({ ...page.fields, amount: "1.00" })).toBe(false);
  expect(page.html).not.toMatch(/4000000000003220|"987"|TEST1234/);
  expect(await bank.ledger()).toEqual([]);
});

test.each([
  ["a wrong code", { code: "000000", answer: "submit" }],
  ["a cancellation", { code: "123456", answer: "cancel" }],
])("%s comes back to failUrl, signed, too", async (_, answer) => {
  await using bank = await startTestBank();
  const { action, fields } = await authenticate(bank.url, gateForm({ pan: CHALLENGE }), answer);
  expect(action).toBe(FAIL_URL);
  expect(fields).toMatchObject({ mdStatus: "0", txstatus: "N", cavv: "" });
  expect(isSigned(fields)).toBe(true);
});

test("the first answer of the cardholder is the only one", async () => {
  await using bank = await startTestBank();
  const { action } = await openGate(bank);
  const answer = (code: string) => postForm(action, new URLSearchParams({ code, answer: "submit" }));
  const first = await answer("000000");
  expect(await answer("123456")).toEqual(first);
  expect(await openPage(action)).toEqual(first);
  expect((await bank.ask(secondStep(first.fields)))["Extra/ERRORCODE"]).toBe("CORE-2206");
});

test.each([
  [FRICTIONLESS, "1", "Y", OK_URL],
  [NOT_AUTHENTICATED, "0", "N", FAIL_URL],
  ["4000030000000082", "2", "A", OK_URL],
  ["4000030000000033", "3", "A", OK_URL],
  ["4000030000000074", "4", "A", OK_URL],
  ["4000030000000025", "5", "U", FAIL_URL],
  ["4000030000000066", "6", "U", FAIL_URL],
  ["4000030000000017", "7", "U", FAIL_URL],
  ["4000030000000058", "8", "U", FAIL_URL],
])("the card %s comes back with mdStatus %s without a page", async (pan, mdStatus, txstatus, url) => {
  await using bank = await startTestBank();
  const { action, fields } = await postForm(`${bank.url}/fim/est3Dgate`, gateForm({ pan }));
  expect(action).toBe(url);
  expect(fields).toMatchObject({ mdStatus, txstatus });
  expect(isSigned(fields)).toBe(true);
});

test("the last digit 9 is a challenge", async () => {
  await using bank = await startTestBank();
  expect((await openGate(bank, { pan: "4000030000000009" })).action).toContain("/acs/");
});

test("Mastercard has ECIs of its own", async () => {
  await using bank = await startTestBank();
  const { fields } = await authenticate(bank.url, gateForm({ pan: "5555555555554444" }));
  expect(fields).toMatchObject({ mdStatus: "1", eci: "02" });
});

test.each([
  ["another amount than was signed", { amount: "1.00" }],
  ["a field more than was signed", { Email: "a@b.test" }],
])("a form with %s is refused without an mdStatus and without a hash", async (_, changes) => {
  await using bank = await startTestBank();
  const hash = gateForm().get("hash");
  const { action, fields } = await postForm(`${bank.url}/fim/est3Dgate`, gateForm({ ...changes, hash }));
  expect(action).toBe(FAIL_URL);
  expect(fields).toMatchObject({ Response: "Error", ErrorCode: "HPP-1001", ErrMsg: "Wrong hash" });
  expect(fields).not.toHaveProperty("mdStatus");
  expect(fields).not.toHaveProperty("HASH");
});

test.each([
  ["an unknown merchant", { clientid: "1" }],
  ["another version of the hash", { hashAlgorithm: "ver2" }],
])("a form of %s is refused as wrongly sent", async (_, changes) => {
  await using bank = await startTestBank();
  const { fields } = await postForm(`${bank.url}/fim/est3Dgate`, gateForm(changes));
  expect(fields).toMatchObject({ Response: "Error", ErrorCode: "HPP-1001" });
});

test("a field that is posted twice is refused, in whatever case and signed or not", async () => {
  await using bank = await startTestBank();
  const { fields } = await postForm(`${bank.url}/fim/est3Dgate`, gateForm({ AMOUNT: "1.00" }));
  expect(fields).toMatchObject({ ErrorCode: "HPP-1001", ErrMsg: "Fields" });
});

test.each([
  ["storetype", { storetype: "3d_host" }],
  ["TranType", { TranType: "Credit" }],
  ["amount", { amount: "100,25" }],
  ["amount", { amount: "100.250" }],
  ["amount", { amount: "0.00" }],
  ["currency", { currency: "392" }],
  ["currency", { currency: "941" }],
  ["taksit", { taksit: "0" }],
  ["taksit", { taksit: "13" }],
  ["taksit", { taksit: "2", currency: "978" }],
  ["oid", { oid: "" }],
  ["oid", { oid: "o".repeat(65) }],
  ["rnd", { rnd: "" }],
  ["rnd", { rnd: "r".repeat(21) }],
  ["okUrl", { okUrl: "javascript:alert(1)" }],
  ["pan", { pan: "4355084355084357" }],
  ["Ecom_Payment_Card_ExpDate", { Ecom_Payment_Card_ExpDate_Month: "13" }],
  ["Ecom_Payment_Card_ExpDate", { Ecom_Payment_Card_ExpDate_Year: "25" }],
  ["cv2", { cv2: "" }],
])("a signed form with a wrong %s comes back signed, with mdStatus 7: %o", async (name, changes) => {
  await using bank = await startTestBank();
  const { action, fields } = await postForm(`${bank.url}/fim/est3Dgate`, gateForm(changes));
  expect(action).toBe(FAIL_URL);
  expect(fields).toMatchObject({ Response: "Error", ErrCode: "3D-1007", ErrMsg: name, mdStatus: "7" });
  expect(isSigned(fields)).toBe(true);
});

test("without a failUrl there is a page that says what is wrong", async () => {
  await using bank = await startTestBank();
  const { status, html, action } = await postForm(
    `${bank.url}/fim/est3Dgate`,
    gateForm({ failUrl: "ftp://x" }),
  );
  expect([status, action]).toEqual([400, ""]);
  expect(html).toContain("failUrl");
});

test("names are read without case, and the older name of TranType, too", async () => {
  await using bank = await startTestBank();
  const form = gateForm({
    TranType: null,
    islemtipi: "PreAuth",
    storetype: "3D",
    PAN: FRICTIONLESS,
    pan: null,
  });
  const { fields } = await postForm(`${bank.url}/fim/est3Dgate`, form);
  expect(fields).toMatchObject({ mdStatus: "1", islemtipi: "PreAuth" });
  expect(fields).not.toHaveProperty("PAN");
});

test("what a merchant posts cannot break out of the page, or pass for the bank's own fields", async () => {
  await using bank = await startTestBank();
  const form = gateForm({
    pan: NOT_AUTHENTICATED,
    BillToName: '"><script>x',
    '"><script>x': "",
    mdStatus: "1",
  });
  const { html, fields } = await postForm(`${bank.url}/fim/est3Dgate`, form);
  expect(html).not.toContain("<script>x");
  expect(fields).toMatchObject({ BillToName: '"><script>x', mdStatus: "0" });
  expect(isSigned(fields)).toBe(true);
});

test("a page lives fifteen minutes, and nobody guesses one", async () => {
  await using bank = await startTestBank();
  const { action } = await openGate(bank);
  await bank.advance(15 * 60);
  expect((await openPage(action)).status).toBe(200);
  await bank.advance(1);
  expect((await openPage(action)).status).toBe(410);
  expect((await postForm(action, new URLSearchParams({ code: "123456" }))).status).toBe(410);
  expect((await openPage(`${bank.url}/acs/guessed`)).status).toBe(404);
});

test("the second step pays with the md, once for each XID", async () => {
  await using bank = await startTestBank();
  const { fields } = await authenticate(bank.url, gateForm({ TranType: "PreAuth" }));
  const step = secondStep(fields, { Type: "PreAuth" });
  expect(await bank.ask(step)).toMatchObject({ Response: "Approved", "Extra/CARDBRAND": "VISA" });
  expect((await bank.ask(step))["Extra/ERRORCODE"]).toBe("CORE-2127");
  expect(await bank.status("order-3d")).toMatchObject({
    "Extra/TRANS_STAT": "A",
    "Extra/MDSTATUS": "1",
    "Extra/ECI_3D": fields["eci"],
    "Extra/CAVV_3D": fields["cavv"],
    "Extra/XID_3D": fields["xid"],
    "Extra/PAN": "4355 08** **** 4358",
  });
  await bank.restart();
  expect((await bank.ask(step))["Extra/ERRORCODE"]).toBe("CORE-2127");
});

test("a declined second step has used its XID up, a refused one has not", async () => {
  await using bank = await startTestBank();
  const { fields } = await authenticate(bank.url, gateForm({ pan: "4000000000009995" }));
  const step = secondStep(fields);
  expect((await bank.ask({ ...step, Total: "1.00" }))["Extra/ERRORCODE"]).toBe("CORE-2121");
  expect(await bank.ask(step)).toMatchObject({ Response: "Declined", ProcReturnCode: "51" });
  expect((await bank.ask(step))["Extra/ERRORCODE"]).toBe("CORE-2127");
});

test.each([
  ["another amount", { Total: "12.51" }, "CORE-2121"],
  ["another order", { OrderId: "other" }, "CORE-2121"],
  ["another CAVV", { PayerAuthenticationCode: "x" }, "CORE-2121"],
  ["installments", { Taksit: "2" }, "CORE-2601"],
  ["an md that the bank does not know", { Number: "435508:AA:1:##990000001" }, "CORE-2012"],
])("a second step with %s is refused", async (_, changes, code) => {
  await using bank = await startTestBank();
  const { fields } = await authenticate(bank.url, gateForm());
  expect((await bank.ask(secondStep(fields, changes)))["Extra/ERRORCODE"]).toBe(code);
  expect((await bank.status("order-3d")).Response).toBe("Declined");
});

test("an md is of no use to another merchant", async () => {
  const other = { ClientId: "990000002", Name: "apiuser", Password: "other" };
  const merchants = merchantsSchema.parse([
    { clientId: CLIENT_ID, name: "apiuser", password: "s3cret-pass", storeKey: STORE_KEY },
    { clientId: other.ClientId, name: other.Name, password: other.Password, storeKey: "b" },
  ]);
  await using bank = await startTestBank({ merchants });
  const { fields } = await authenticate(bank.url, gateForm());
  expect((await bank.ask({ ...secondStep(fields), ...other }))["Extra/ERRORCODE"]).toBe("CORE-2012");
});

test("a form of more than a hundred fields is refused", async () => {
  await using bank = await startTestBank();
  const many = Object.fromEntries(Array.from({ length: 84 }, (_, index) => [`f${index}`, ""]));
  const { fields } = await postForm(`${bank.url}/fim/est3Dgate`, gateForm(many));
  expect(fields).toMatchObject({ ErrorCode: "HPP-1001" });
});

test("who was not authenticated does not pay", async () => {
  await using bank = await startTestBank();
  const { fields } = await authenticate(bank.url, gateForm(), { code: "1", answer: "submit" });
  expect((await bank.ask(secondStep(fields)))["Extra/ERRORCODE"]).toBe("CORE-2206");
});

test("a half-secure card pays only where that is allowed", async () => {
  await using bank = await startTestBank();
  const { fields } = await postForm(`${bank.url}/fim/est3Dgate`, gateForm({ pan: "4000030000000074" }));
  expect((await bank.ask(secondStep(fields)))["Extra/ERRORCODE"]).toBe("CORE-2206");
  await bank.modes({ halfSecure: true });
  expect((await bank.ask(secondStep(fields))).Response).toBe("Approved");
});

test("a fault of the second step is one of `complete`, not of `sale`", async () => {
  await using bank = await startTestBank();
  await bank.fault("complete", "decline");
  expect((await bank.ask(auth("plain"))).Response).toBe("Approved");
  const { fields } = await authenticate(bank.url, gateForm());
  expect(await bank.ask(secondStep(fields))).toMatchObject({ ProcReturnCode: "05" });
});

test("the CVV 082 of a form is declined in its second step", async () => {
  await using bank = await startTestBank();
  const { fields } = await authenticate(bank.url, gateForm({ cv2: "082" }));
  expect(await bank.ask(secondStep(fields))).toMatchObject({ ProcReturnCode: "82" });
});

test("with 3d_pay the bank pays, and the return has the payment", async () => {
  await using bank = await startTestBank();
  const { action, fields } = await authenticate(bank.url, gateForm({ storetype: "3d_pay" }));
  expect(action).toBe(OK_URL);
  const [line] = await bank.ledger();
  expect(line).toMatchObject({ operation: "sale", amountMinor: 1_250, outcome: "approved" });
  expect(fields).toMatchObject({
    mdStatus: "1",
    Response: "Approved",
    ProcReturnCode: "00",
    AuthCode: line?.authCode,
    TransId: line?.transactionId,
    HostRefNum: line?.hostReference,
    SettleId: "1",
    EXTRA_TRXDATE: "20261122 12:00:00",
    EXTRA_CARDBRAND: "VISA",
  });
  expect(isSigned(fields)).toBe(true);
});

test("with 3d_pay a decline comes back to failUrl, in ASCII", async () => {
  await using bank = await startTestBank();
  const form = gateForm({ storetype: "3d_pay", pan: "4000000000009995" });
  const { action, fields } = await authenticate(bank.url, form);
  expect(action).toBe(FAIL_URL);
  expect(fields).toMatchObject({
    mdStatus: "1",
    Response: "Declined",
    ProcReturnCode: "51",
    ErrMsg: "Insufficient funds",
  });
});

test("with 3d_pay nothing is paid where the cardholder was not authenticated, half-secure or not", async () => {
  await using bank = await startTestBank();
  const pay = (pan: string, oid: string) =>
    postForm(`${bank.url}/fim/est3Dgate`, gateForm({ storetype: "3d_pay", pan, oid }));
  const none = await pay(NOT_AUTHENTICATED, "none");
  expect(none.action).toBe(FAIL_URL);
  expect(none.fields).toMatchObject({ mdStatus: "0", Response: "Declined", ProcReturnCode: "99" });
  const half = "4000030000000074";
  expect((await pay(half, "half")).fields).toMatchObject({ mdStatus: "4", Response: "Declined" });
  expect(await bank.ledger()).toEqual([]);
  await bank.modes({ halfSecure: true });
  expect((await pay(half, "half")).fields).toMatchObject({ mdStatus: "4", Response: "Approved" });
  expect(await bank.ledger()).toMatchObject([{ orderId: "half", outcome: "approved" }]);
});

test("with 3d_pay two answers at the same moment pay once", async () => {
  await using bank = await startTestBank();
  const { action } = await openGate(bank, { storetype: "3d_pay" });
  const answer = () => postForm(action, new URLSearchParams({ code: "123456", answer: "submit" }));
  const [first, second] = await Promise.all([answer(), answer()]);
  expect(first).toEqual(second);
  expect(await bank.ledger()).toHaveLength(1);
});

test("a return may have a wrong hash, or none", async () => {
  await using bank = await startTestBank();
  const form = () => gateForm({ pan: FRICTIONLESS });
  await bank.modes({ returnHash: "wrong" });
  expect(isSigned((await postForm(`${bank.url}/fim/est3Dgate`, form())).fields)).toBe(false);
  await bank.modes({ returnHash: "missing" });
  expect((await postForm(`${bank.url}/fim/est3Dgate`, form())).fields).not.toHaveProperty("HASH");
  await bank.modes({ returnHash: "right" });
  await bank.fault("enrol", "wrong_hash");
  expect(isSigned((await postForm(`${bank.url}/fim/est3Dgate`, form())).fields)).toBe(false);
  expect(isSigned((await postForm(`${bank.url}/fim/est3Dgate`, form())).fields)).toBe(true);
});

test("faults of a form bend its page or its return", async () => {
  await using bank = await startTestBank();
  const open = (pan = CHALLENGE) => postForm(`${bank.url}/fim/est3Dgate`, gateForm({ pan }));
  await bank.fault("enrol", "decline");
  expect((await open()).fields).toMatchObject({ mdStatus: "0" });
  await bank.fault("enrol", "wrong_amount");
  const wrong = await open(FRICTIONLESS);
  expect(wrong.fields).toMatchObject({ amount: "12.51" });
  expect(isSigned(wrong.fields)).toBe(true);
  await bank.fault("enrol", "http_500");
  expect((await open()).status).toBe(500);
  await bank.fault("enrol", "garbage");
  expect((await open()).action).toBe("");
  for (const behaviour of ["hang", "hang_before", "reset"]) {
    await bank.fault("enrol", behaviour);
    await expect(open()).rejects.toThrow("fetch failed");
  }
  await bank.fault("enrol", "late");
  expect((await open()).status).toBe(200);
  await bank.fault("enrol", "control_characters");
  const strange = await open(FRICTIONLESS);
  expect(strange.fields["mdErrorMsg"]).toContain("\u007F");
  expect(isSigned(strange.fields)).toBe(true);
});

test("callbackUrl gets the same fields, and again after FAILURE, where the bank posts there", async () => {
  const posts: string[] = [];
  const answers = ["FAILURE", "APPROVED"];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posts.push(body);
      response.end(answers.shift());
      return undefined;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  await using bank = await startTestBank();
  await authenticate(bank.url, gateForm({ callbackUrl }));
  expect(posts).toEqual([]);
  await bank.modes({ callback: true });
  const { fields } = await authenticate(bank.url, gateForm({ callbackUrl }));
  expect(posts.map((body) => Object.fromEntries(new URLSearchParams(body)))).toEqual([fields, fields]);
  server.close();
  server.closeAllConnections();
});

function openGate(bank: TestBank, changes: Record<string, string | null> = {}) {
  return postForm(`${bank.url}/fim/est3Dgate`, gateForm(changes));
}

/** The payment with the fields that a return has brought back. */
function secondStep(fields: Record<string, string>, changes: Record<string, string> = {}) {
  return preAuth("order-3d", {
    Type: "Auth",
    Number: fields["md"] ?? "",
    Expires: null,
    Cvv2Val: null,
    PayerTxnId: fields["xid"] ?? "",
    PayerSecurityLevel: fields["eci"] ?? "",
    PayerAuthenticationCode: fields["cavv"] ?? "",
    ...changes,
  });
}
