import { expect, test } from "vitest";

import { startReceiver } from "../../core/test/test-bank.ts";
import { auth, CLIENT_ID, other, preAuth, startTestBank, type Fields } from "./test/test-bank.ts";
import {
  answerPage,
  authenticate,
  FAIL_URL,
  gateForm,
  isSigned,
  OK_URL,
  openGate,
} from "./test/test-browser.ts";

const CHALLENGE = "4000000000003220";
const FRICTIONLESS = "4000000000003055";
const NOT_AUTHENTICATED = "4000000000003097";
const HALF = "4000030000000074";

test("a form is answered with a page without scripts, whose address is whole and public", async () => {
  await using bank = await startTestBank({ publicUrl: "https://bank.example.test" });
  const [page, another] = [await openGate(bank), await openGate(bank)];
  expect(page.action).toBe("https://bank.example.test/acs/answer");
  expect(page.fields["session"]).toMatch(/^[\w-]{32}$/);
  expect(another.fields["session"]).not.toBe(page.fields["session"]);
  expect(page.html).not.toContain("<script");
  expect(page.html).toContain("12.50 TRY to HOLDFAST TEST");
});

test("the right code comes back signed, with everything that was posted but the card", async () => {
  await using bank = await startTestBank();
  const posted = { pan: CHALLENGE, Email: "a@b.test", taksit: "3", cv2: "987" };
  const page = await authenticate(bank, posted);
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
])("%s comes back to failUrl, signed, too, and pays nothing, whatever comes after", async (_, answer) => {
  await using bank = await startTestBank();
  const page = await openGate(bank);
  const first = await answerPage(page, answer);
  expect(first.action).toBe(FAIL_URL);
  expect(first.fields).toMatchObject({ mdStatus: "0", txstatus: "N", cavv: "" });
  expect(isSigned(first.fields)).toBe(true);
  expect(await answerPage(page)).toEqual(first);
  expect(await bank.code(secondStep(first.fields))).toBe("CORE-2206");
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
])("the card %s has mdStatus %s without a page, and pays as far as that suffices", async (...row) => {
  const [pan, mdStatus, txstatus, url] = row;
  await using bank = await startTestBank();
  const { action, fields } = await openGate(bank, { pan });
  expect(action).toBe(url);
  expect(fields).toMatchObject({ mdStatus, txstatus });
  expect(isSigned(fields)).toBe(true);
  const isHalf = ["2", "3", "4"].includes(mdStatus);
  const isRefused = async () => (await bank.code(secondStep(fields))) === "CORE-2206";
  if (isHalf) expect(await isRefused()).toBe(true);
  await bank.modes({ halfSecure: true });
  expect(await isRefused()).toBe(mdStatus !== "1" && !isHalf);
});

test("the last digit 9 is a challenge, and Mastercard has ECIs of its own", async () => {
  await using bank = await startTestBank();
  expect((await openGate(bank, { pan: "4000030000000009" })).action).toContain("/acs/");
  expect((await authenticate(bank, { pan: "5555555555554444" })).fields).toMatchObject({ eci: "02" });
});

test.each<[string, Fields, string]>([
  ["another amount than was signed", { amount: "1.00", hash: gateForm().get("hash") }, "Wrong hash"],
  ["a field more than was signed", { Email: "a@b.test", hash: gateForm().get("hash") }, "Wrong hash"],
  ["an unknown merchant", { clientid: "1" }, "Unknown clientid"],
  ["another version of the hash", { hashAlgorithm: "ver2" }, "hashAlgorithm has to be ver3"],
  ["a field posted twice, in whatever case", { AMOUNT: "1.00" }, "Fields"],
  [
    "a hundred fields more",
    Object.fromEntries(Array.from({ length: 84 }, (_, n) => [`f${n}`, ""])),
    "Fields",
  ],
])("%s: the form comes back without an mdStatus and without a hash", async (_, changes, ErrMsg) => {
  await using bank = await startTestBank();
  const { action, fields } = await openGate(bank, changes);
  expect(action).toBe(FAIL_URL);
  expect(fields).toMatchObject({ Response: "Error", ErrorCode: "HPP-1001", ErrMsg });
  expect(fields).not.toHaveProperty("mdStatus");
  expect(fields).not.toHaveProperty("HASH");
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
])("a signed form with a wrong %s comes back signed, with mdStatus 7: %o", async (ErrMsg, changes) => {
  await using bank = await startTestBank();
  const { action, fields } = await openGate(bank, changes);
  expect(action).toBe(FAIL_URL);
  expect(fields).toMatchObject({ Response: "Error", ErrCode: "3D-1007", ErrMsg, mdStatus: "7" });
  expect(isSigned(fields)).toBe(true);
});

test("without a failUrl there is a page that says what is wrong", async () => {
  await using bank = await startTestBank();
  const { status, html, action } = await openGate(bank, { failUrl: "ftp://x" });
  expect([status, action]).toEqual([400, ""]);
  expect(html).toContain("failUrl");
});

test("names are read without case, and the older name of TranType, too", async () => {
  await using bank = await startTestBank();
  const names = { TranType: null, islemtipi: "PreAuth", storetype: "3D", PAN: FRICTIONLESS, pan: null };
  const { fields } = await openGate(bank, names);
  expect(fields).toMatchObject({ mdStatus: "1", islemtipi: "PreAuth" });
  expect(fields).not.toHaveProperty("PAN");
});

test("what a merchant posts cannot break out of the page, or pass for the bank's own fields", async () => {
  await using bank = await startTestBank();
  const script = '"><script>x';
  const posted = { pan: NOT_AUTHENTICATED, BillToName: script, [script]: "", mdStatus: "1" };
  const { html, fields } = await openGate(bank, posted);
  expect(html).not.toContain("<script>x");
  expect(fields).toMatchObject({ BillToName: script, mdStatus: "0" });
  expect(isSigned(fields)).toBe(true);
});

test("a page lives fifteen minutes", async () => {
  await using bank = await startTestBank();
  const page = await openGate(bank);
  await bank.advance(15 * 60 + 1);
  expect((await answerPage(page)).status).toBe(410);
  const next = await openGate(bank);
  await bank.advance(15 * 60);
  expect((await answerPage(next)).status).toBe(200);
});

test("the second step pays with the md, once for each XID, declined or not", async () => {
  await using bank = await startTestBank();
  const { fields } = await authenticate(bank, { TranType: "PreAuth" });
  const step = secondStep(fields, { Type: "PreAuth" });
  expect(await bank.ask(step)).toMatchObject({ Response: "Approved", "Extra/CARDBRAND": "VISA" });
  expect(await bank.status("order-3d")).toMatchObject({
    "Extra/TRANS_STAT": "A",
    "Extra/MDSTATUS": "1",
    "Extra/ECI_3D": fields["eci"],
    "Extra/CAVV_3D": fields["cavv"],
    "Extra/XID_3D": fields["xid"],
    "Extra/PAN": "4355 08** **** 4358",
  });
  const poor = secondStep((await authenticate(bank, { pan: "4000000000009995", oid: "poor" })).fields);
  const declined = { ...poor, OrderId: "poor" };
  expect(await bank.code(declined)).toBe("ISO8583-51");
  for (const again of [step, declined]) expect(await bank.code(again)).toBe("CORE-2127");
  await bank.restart();
  for (const again of [step, declined]) expect(await bank.code(again)).toBe("CORE-2127");
});

test.each<[string, Fields, string]>([
  ["another amount", { Total: "12.51" }, "CORE-2121"],
  ["another order", { OrderId: "other" }, "CORE-2121"],
  ["another currency", { Currency: "978" }, "CORE-2121"],
  ["another type", { Type: "PreAuth" }, "CORE-2121"],
  ["another CAVV", { PayerAuthenticationCode: "x" }, "CORE-2121"],
  ["another ECI", { PayerSecurityLevel: "x" }, "CORE-2121"],
  ["another XID", { PayerTxnId: "x" }, "CORE-2121"],
  ["installments", { Taksit: "2" }, "CORE-2601"],
  ["an md that the bank does not know", { Number: "435508:AA:1:##990000001" }, "CORE-2012"],
  ["another merchant", other, "CORE-2012"],
])("a second step with %s is refused, and does not use the XID up", async (_, changes, code) => {
  await using bank = await startTestBank({ isShared: true });
  const { fields } = await authenticate(bank);
  expect(await bank.code(secondStep(fields, changes))).toBe(code);
  expect((await bank.ask(secondStep(fields))).Response).toBe("Approved");
});

test("a fault of the second step is one of `complete`, and the CVV 082 of a form is declined in it", async () => {
  await using bank = await startTestBank();
  await bank.fault("complete", "decline");
  expect((await bank.ask(auth("plain"))).Response).toBe("Approved");
  expect(await bank.code(secondStep((await authenticate(bank)).fields))).toBe("ISO8583-05");
  expect(await bank.code(secondStep((await authenticate(bank, { cv2: "082" })).fields))).toBe("ISO8583-82");
});

test("with 3d_pay the bank pays once for two answers at the same moment, and the return has the payment", async () => {
  await using bank = await startTestBank();
  const page = await openGate(bank, { storetype: "3d_pay" });
  const [first, second] = await Promise.all([answerPage(page), answerPage(page)]);
  expect(first).toEqual(second);
  expect(first.action).toBe(OK_URL);
  const [line, ...more] = await bank.ledger();
  expect(more).toEqual([]);
  expect(line).toMatchObject({ operation: "sale", amountMinor: 1_250, outcome: "approved" });
  expect(first.fields).toMatchObject({
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
  expect(isSigned(first.fields)).toBe(true);
});

test.each<[string, Fields, object, object]>([
  [
    "a decline, in ASCII",
    { pan: "4000000000009995" },
    {},
    { ProcReturnCode: "51", ErrMsg: "Insufficient funds" },
  ],
  [
    "a call that hangs before its effect",
    { pan: "4000000000000127" },
    {},
    { Response: "Error", AuthCode: "" },
  ],
  ["a failed authentication", { pan: NOT_AUTHENTICATED }, {}, { mdStatus: "0", ProcReturnCode: "99" }],
  ["a half-secure card", { pan: HALF }, {}, { mdStatus: "4", Response: "Declined" }],
  ["a half-secure card where it suffices", { pan: HALF }, { halfSecure: true }, { Response: "Approved" }],
])("with 3d_pay %s comes back with its outcome", async (_, changes, modes, expected) => {
  await using bank = await startTestBank({ modes });
  const page = await openGate(bank, { storetype: "3d_pay", ...changes });
  const { action, fields } = page.action.includes("/acs/") ? await answerPage(page) : page;
  expect(fields).toMatchObject(expected);
  expect(action).toBe(fields["Response"] === "Approved" ? OK_URL : FAIL_URL);
});

test("a return may have a wrong hash, or none", async () => {
  await using bank = await startTestBank({ modes: { returnHash: "wrong" } });
  const fields = async () => (await openGate(bank, { pan: FRICTIONLESS })).fields;
  expect(isSigned(await fields())).toBe(false);
  await bank.modes({ returnHash: "missing" });
  expect(await fields()).not.toHaveProperty("HASH");
  await bank.modes({ returnHash: "right" });
  await bank.fault("enrol", "wrong_hash");
  expect(isSigned(await fields())).toBe(false);
  expect(isSigned(await fields())).toBe(true);
});

test("faults of a form bend its page or its return", async () => {
  await using bank = await startTestBank();
  const open = async (behaviour: string, pan = CHALLENGE) => {
    await bank.fault("enrol", behaviour);
    return await openGate(bank, { pan });
  };
  expect((await open("decline")).fields).toMatchObject({ mdStatus: "0" });
  const wrong = await open("wrong_amount", FRICTIONLESS);
  expect([wrong.fields["amount"], isSigned(wrong.fields)]).toEqual(["12.51", true]);
  expect((await open("http_500")).status).toBe(500);
  for (const behaviour of ["garbage", "illegal_characters"]) expect((await open(behaviour)).action).toBe("");
  const strange = await open("control_characters", FRICTIONLESS);
  expect(strange.fields["mdErrorMsg"]).toContain("\u007F");
  expect(isSigned(strange.fields)).toBe(true);
});

test("callbackUrl gets the same fields, and again after FAILURE, where the bank posts there", async () => {
  const { received, answers, url: callbackUrl } = await startReceiver();
  answers.push({ body: "FAILURE" }, { body: "APPROVED" });
  await using bank = await startTestBank();
  await authenticate(bank, { callbackUrl });
  expect(received).toEqual([]);
  await bank.modes({ callback: true });
  const { fields } = await authenticate(bank, { callbackUrl });
  expect(received.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toEqual([fields, fields]);
});

/** The payment with the fields that a return has brought back. */
function secondStep(fields: Record<string, string>, changes: Fields = {}): Fields {
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
