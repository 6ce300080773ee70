import type { FollowUpRequest } from "@holdfast/acquirer";
import { expect, test } from "vitest";

import { CARD, soon } from "../test/calls.ts";
import { signatureOf } from "./signatures.ts";
import {
  approval,
  cardCall,
  declined as hostDeclined,
  enrolment,
  followUp,
  history,
  inquiry,
  KEY,
  MERCHANT,
  NAME,
  noHistory,
  ORDER,
  playBank,
  refused,
  reversal,
  SECOND,
  secondApproval,
  TERMINAL,
  transaction,
  voided,
  type Scripted,
} from "./test/akbank-bench.ts";

const { acquirer, received, script, types } = await playBank();
const invalid = { kind: "unknown", reason: "invalid_answer" };
const mismatch = { kind: "unknown", reason: "mismatch" };
const pending = { kind: "unknown", reason: "pending" };
const notSent = (reason?: string) => ({ kind: "not_sent", ...(reason && { reason }) });
const declined = (declineClass: string, resultCode: string) => ({
  kind: "declined",
  declineClass,
  resultCode,
});
const holdStands = (externalTransactionId: string) => ({
  kind: "approved",
  externalTransactionId,
  holdStands: true,
});
const message = "000 ONAY KODU XXXXXX";

test.each([
  ["authorize", "1004"],
  ["sale", "1000"],
] as const)("%s is %s, approved in the amount that was asked for", async (operation, txnCode) => {
  script(approval());
  const amount = { amountMinor: 124_990n, currency: "EUR" };
  const codes = { externalTransactionId: NAME, authCode: "306455", resultCode: "00", resultMessage: message };
  const outcome = await acquirer[operation](cardCall({ ...amount, installmentCount: 3 }));
  expect(outcome).toEqual({ kind: "approved", ...amount, ...codes });
  const { path, headers, body, fields } = received[0]!;
  expect([path, headers["content-type"]]).toEqual([
    "/api/v1/payment/virtualpos/transaction/process",
    "application/json",
  ]);
  expect(headers["auth-hash"]).toBe(signatureOf(KEY, body));
  expect(fields).toEqual({
    version: "1.00",
    txnCode,
    requestDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/) as string,
    randomNumber: expect.stringMatching(/^[0-9A-F]{128}$/) as string,
    terminal: { merchantSafeId: MERCHANT, terminalSafeId: TERMINAL },
    card: { cardNumber: CARD.pan, cvv2: CARD.cvv, expireDate: "1230" },
    order: { orderId: ORDER },
    transaction: { amount: "1249.90", currencyCode: 978, motoInd: 0, installCount: 3 },
    customer: { emailAddress: "a@b.test", ipAddress: "203.0.113.7" },
  });
});

test("a payment by mail is marked, and an address that does not fit is left out", async () => {
  script(approval());
  const customer = { email: `ş@${"x".repeat(64)}.test` };
  await acquirer.sale(cardCall({ customer, initiator: { by: "merchant", channel: "moto" } }));
  expect(received[0]!.fields).toMatchObject({
    transaction: { motoInd: 1, installCount: 1 },
    customer: {},
  });
  expect(received[0]!.body).toMatch(/^[\x20-\x7e]*$/);
  expect(received[0]!.body).not.toMatch(/emailAddress|subMerchant/);
});

test.each<[Scripted, object]>([
  [hostDeclined("51"), { ...declined("limit", "51"), externalTransactionId: NAME }],
  [hostDeclined("83"), { ...declined("hard", "83"), resultMessage: "083 RED-ONAYLANMADI" }],
  [refused("VPS-1044"), { ...declined("hard", "VPS-1044"), resultMessage: "refused" }],
  [refused("VPS-1073", { order: undefined }), declined("technical", "VPS-1073")],
  [refused("VPS-1013"), pending],
  [hostDeclined("91"), pending],
  [refused("VPS-1005"), pending],
  [refused("VPS-1044", { hostResponseCode: "00" }), mismatch],
  [refused("VPS-1044", { transaction: transaction() }), mismatch],
  [hostDeclined("05", { order: undefined }), mismatch],
  [{ status: 400, body: '{"code":"TIMEOUT"}' }, invalid],
  [{ status: 400, body: '{"code":400,"errors":[]}' }, invalid],
  [
    { status: 400, body: '{"code":400,"message":"bad","errors":[{"code":"E1","message":"amount"}]}' },
    { ...declined("technical", "HTTP-400"), resultMessage: "E1 amount" },
  ],
])("a refusal is what it proves, %#", async (answer, outcome) => {
  script(answer);
  expect(await acquirer.sale(cardCall())).toMatchObject(outcome);
});

test("what the protocol cannot carry is not sent", async () => {
  script();
  const orders = [{ orderId: "a".repeat(37) }, { orderId: "a.b" }, { currency: "JPY" }];
  for (const more of [{ amountMinor: 0n }, { amountMinor: 10n ** 15n }, ...orders])
    expect(await acquirer.sale(cardCall(more))).toEqual(notSent("unsupported"));
  for (const more of orders) expect(await acquirer.inquire(inquiry(more))).toEqual(notSent("unsupported"));
  expect(await acquirer.release(followUp())).toEqual(notSent("unsupported"));
  expect(received).toEqual([]);
});

test("a capture names the order alone, and has a name of its own", async () => {
  script(secondApproval());
  const approved = { kind: "approved", amountMinor: 4_000n, externalTransactionId: SECOND };
  expect(await acquirer.capture(followUp({ amountMinor: 4_000n }))).toMatchObject(approved);
  const { requestDateTime: _, randomNumber: __, ...sent } = received[0]!.fields;
  expect(sent).toEqual({
    version: "1.00",
    txnCode: "1005",
    terminal: { merchantSafeId: MERCHANT, terminalSafeId: TERMINAL },
    order: { orderId: ORDER },
    transaction: { amount: "40.00", currencyCode: 949 },
  });
});

test.each(["VPS-1007", "VPS-1008", "VPS-1055"])(
  "a capture that is refused with %s may be done",
  async (code) => {
    const hold = "1004 preAuthStatus=C";
    for (const [rows, outcome] of [
      [`${hold}; 1005 stan=86`, { kind: "approved", externalTransactionId: SECOND }],
      [`${hold}; 1005 stan=86 amount=99.99`, mismatch],
      [hold, pending],
      ["1004", declined("technical", code)],
    ] as const) {
      script(refused(code), history(rows));
      expect(await acquirer.capture(followUp())).toMatchObject(outcome);
    }
  },
);

test.each([
  [
    "of another movement",
    secondApproval(),
    { kind: "approved", amountMinor: 202n, externalTransactionId: SECOND },
  ],
  ["under the sale's name", approval(), mismatch],
  ["over the rest", hostDeclined("13"), declined("technical", "13")],
  ["of a void", refused("VPS-1008"), declined("technical", "VPS-1008")],
  ["of an unseen order", refused("VPS-1007"), notSent("no_record")],
  ["of a code of no list", refused("VPS-4711"), invalid],
])("a refund that is answered %s is what it proves", async (_, answer, outcome) => {
  script(answer);
  expect(await acquirer.refund(followUp({ amountMinor: 202n }))).toMatchObject(outcome);
  expect(received[0]!.fields).toMatchObject({
    txnCode: "1002",
    order: { orderId: ORDER },
    transaction: { amount: "2.02", currencyCode: 949 },
  });
});

test("a capture that the host declines may be done, too", async () => {
  script(hostDeclined("12"), history("1004 preAuthStatus=C; 1005 stan=86"));
  expect(await acquirer.capture(followUp())).toMatchObject({
    kind: "approved",
    externalTransactionId: SECOND,
  });
  script(hostDeclined("12"), history("1004"));
  expect(await acquirer.capture(followUp())).toMatchObject(declined("hard", "12"));
});

const again = (rows: string) => [history(rows), history(rows)] as const;

test("a cancel voids the order's last movement, which the record shows before and after, and has its name", async () => {
  script(...again("1000"), voided(), history("1000 txnStatus=V"));
  const approved = { kind: "approved", amountMinor: 10_000n, externalTransactionId: NAME };
  expect(await acquirer.cancel(followUp())).toMatchObject(approved);
  expect(types()).toEqual(["1010", "1010", "1003", "1010"]);
  expect(Object.keys(received[2]!.fields).slice(4)).toEqual(["terminal", "order"]);
});

test.each<[string, Scripted, object]>([
  ["its target standing", history("1000"), pending],
  ["another movement undone", history("1000; 1002 stan=86 amount=30 txnStatus=V"), pending],
  ["nothing", noHistory(), pending],
  ["garbage", "garbage", invalid],
  ["another order", history("1000 txnStatus=V orderId=x"), mismatch],
])("a void's approval is not believed where the record shows %s", async (_, after, outcome) => {
  script(...again("1000"), voided(), after);
  expect(await acquirer.cancel(followUp())).toEqual(outcome);
});

const captured = "1004 preAuthStatus=C; 1005 stan=86 amount=60";
const reopened = "1004; 1005 stan=86 amount=60 txnStatus=V";
const undone = reopened.replace("1004", "1004 txnStatus=V");
const target = { amountMinor: 10_000n, capturedMinor: 6_000n, at: new Date() };
const ofCapture = followUp({ target, amountMinor: 6_000n });
const cancelled = { kind: "approved", externalTransactionId: SECOND };

test.each<[string, Scripted[], object]>([
  ["done", [...again(reopened), voided(), history(undone)], cancelled],
  ["done by the bank at once", [history(undone)], cancelled],
  ["a capture that the record still shows", [history(captured)], pending],
  ["no record", [noHistory()], pending],
  ["garbage", ["garbage"], invalid],
  ["the hold's void without an answer", [...again(reopened), "garbage"], invalid],
  ["the hold's void unseen", [...again(reopened), voided(), history(reopened)], pending],
  [
    "the hold's void refused",
    [...again(reopened), hostDeclined("12"), history(reopened)],
    holdStands(SECOND),
  ],
  ["the hold's void of no list", [...again(reopened), refused("VPS-1997"), history(reopened)], pending],
  ["the hold's void done before", [...again(reopened), refused("VPS-1008"), history(undone)], cancelled],
  ["the hold's void done, unseen", [...again(reopened), refused("VPS-1008"), history(reopened)], pending],
])("the cancel of a captured hold voids the capture, and then the hold: %s", async (_, after, outcome) => {
  script(...again(captured), voided(), ...after);
  const ended = await acquirer.cancel(ofCapture);
  expect(ended).toMatchObject(outcome);
  expect("holdStands" in ended).toBe("holdStands" in outcome);
  expect(types().slice(0, 4)).toEqual(["1010", "1010", "1003", "1010"]);
});

test("a void of the capture that lands before ours leaves its hold to be voided", async () => {
  script(history(captured), ...again(reopened), voided(), history(undone));
  expect(await acquirer.cancel(ofCapture)).toMatchObject(cancelled);
  expect(types()).toEqual(["1010", "1010", "1010", "1003", "1010"]);
});

test("a cancel that undid the capture alone goes on with the hold, and says where that stays", async () => {
  script(...again(reopened), voided(), history(undone));
  expect(await acquirer.cancel(ofCapture)).toMatchObject({ kind: "approved", externalTransactionId: NAME });
  script(...again(reopened), hostDeclined("12"), history(reopened));
  expect(await acquirer.cancel(ofCapture)).toMatchObject(holdStands(NAME));
});

test("whatever is not sent after an approved void leaves it open", async () => {
  let left = 3;
  const limit = { kind: "not_sent", reason: "limit", notBefore: new Date() } as const;
  const limited = await playBank({}, { awaitBudget: async () => (left-- > 0 ? undefined : limit) });
  limited.script(...again(captured), voided());
  expect(await limited.acquirer.cancel(ofCapture)).toEqual(pending);
  expect(limited.types()).toEqual(["1010", "1010", "1003"]);
});

const YESTERDAY = new Date(Date.now() - 48 * 3_600_000);
const old = followUp({ target: { externalTransactionId: NAME, amountMinor: 10_000n, at: YESTERDAY } });
const fault = { status: 400, body: '{"code":400,"message":"bad","errors":[{"code":"E1","message":"x"}]}' };

test.each<[string, Scripted, string, object, FollowUpRequest?]>([
  ["done before", refused("VPS-1008"), "1000 txnStatus=V", { kind: "approved" }],
  ["done before, in a record that is behind", refused("VPS-1008"), "1000", pending],
  ["of no list", refused("VPS-1997"), "1000", pending],
  ["of no list, and done", refused("VPS-1997"), "1000 txnStatus=V", { kind: "approved" }],
  ["of no list, too late", refused("VPS-1997"), "1000", pending, old],
  ["again", refused("VPS-1997"), "1000", declined("technical", "VPS-1997"), followUp({ isRepeated: true })],
  ["by the host", hostDeclined("12"), "1000", declined("hard", "12")],
  ["too late for the host", hostDeclined("12"), "1000", declined("technical", "12"), old],
  ["for a fault in the request", fault, "1000", declined("technical", "HTTP-400"), old],
])("a cancel that is refused has the record say what it is: %s", async (_, refusal, after, outcome, of) => {
  script(...again("1000"), refusal, history(after));
  expect(await acquirer.cancel(of ?? followUp())).toMatchObject(outcome);
  expect(types()).toHaveLength(4);
});

test.each<[string, string, Scripted, object]>([
  ["a sale", "1000", refused("VPS-1997"), { kind: "settled", resultCode: "VPS-1997" }],
  ["a sale, by the host", "1000", hostDeclined("12"), { kind: "settled", resultCode: "12" }],
  ["a sale, for a fault in the request", "1000", fault, { kind: "refused", resultCode: "HTTP-400" }],
  [
    "a sale, for the request's date",
    "1000",
    refused("VPS-1073"),
    { kind: "refused", resultCode: "VPS-1073" },
  ],
  ["a hold, which no refund gives back", "1004", refused("VPS-1997"), { kind: "refused" }],
])("a repeated reversal that is refused is settled only where money was taken: %s", async (...of) => {
  const [, rows, refusal, outcome] = of;
  script(...again(rows), refusal, history(rows));
  expect(await acquirer.reverse(reversal({ isRepeated: true }))).toMatchObject(outcome);
});

test("a reversal that is refused after the day is settled, or by a code of no list unknown", async () => {
  const late = reversal({ target: { amountMinor: 10_000n, at: YESTERDAY } });
  script(...again("1000"), hostDeclined("12"), history("1000"));
  expect(await acquirer.reverse(late)).toMatchObject({ kind: "settled", resultCode: "12" });
  script(...again("1000"), refused("VPS-1997"), history("1000"));
  expect(await acquirer.reverse(late)).toEqual(pending);
});

test("a reversal that is refused for the first time is refused, or by a code of no list unknown", async () => {
  script(...again("1000"), hostDeclined("12"), history("1000"));
  expect(await acquirer.reverse(reversal())).toMatchObject({ kind: "refused", resultCode: "12" });
  script(...again("1000"), refused("VPS-1997"), history("1000"));
  expect(await acquirer.reverse(reversal())).toEqual(pending);
});

test("a cancel of a hold that is refused after its day is too late: its day is known until it is captured", async () => {
  const hold = { amountMinor: 10_000n, capturedMinor: 0n, at: YESTERDAY };
  const cancelRefused = (refusal: Scripted, at: Date, more?: { isRepeated: true }) => {
    script(...again("1004"), refusal, history("1004"));
    return acquirer.cancel(followUp({ target: { ...hold, at }, ...more }));
  };
  const tooLate = { ...declined("technical", "VPS-1997"), isTooLate: true };
  expect(await cancelRefused(refused("VPS-1997"), YESTERDAY, { isRepeated: true })).toMatchObject(tooLate);
  for (const at of [YESTERDAY, new Date()])
    expect(await cancelRefused(refused("VPS-1997"), at)).toEqual(pending);
  // The bank may say otherwise on another day of a fault in the request, of rights, and of the issuer.
  for (const refusal of [fault, refused("VPS-1073"), hostDeclined("05")])
    expect(await cancelRefused(refusal, YESTERDAY)).not.toHaveProperty("isTooLate");
});

test("of a captured hold only a repeated cancel is too late: its own day is not known", async () => {
  const captures = { ...ofCapture, target: { ...target, at: YESTERDAY } };
  script(...again(captured), refused("VPS-1997"), history(captured));
  expect(await acquirer.cancel(captures)).toEqual(pending);
  script(...again(captured), refused("VPS-1997"), history(captured));
  expect(await acquirer.cancel({ ...captures, isRepeated: true })).toMatchObject({ resultCode: "VPS-1997" });
});

test("a void that the host answers with a code of no list is unknown", async () => {
  script(...again("1000"), hostDeclined("Z9"));
  expect(await acquirer.cancel(followUp())).toEqual(invalid);
});

test.each<[string, Scripted, object]>([
  ["a refunded sale", history("1000; 1002 stan=86 amount=1"), mismatch],
  ["a sale that is refunded by its status alone", history("1000 txnStatus=R"), pending],
  ["an unseen sale", noHistory(), pending],
])("a cancel of %s voids nothing", async (_, record, outcome) => {
  script(record);
  expect(await acquirer.cancel(followUp())).toEqual(outcome);
  expect(types()).toEqual(["1010"]);
});

test.each<[string, Scripted, object]>([
  ["a refund that somebody has made meanwhile", history("1000; 1002 stan=86 amount=1"), mismatch],
  ["another movement", history("1000 stan=86"), pending],
  ["nothing", noHistory(), pending],
])("nothing is voided where the last look shows %s", async (_, last, outcome) => {
  script(history("1000"), last);
  expect(await acquirer.cancel(followUp())).toEqual(outcome);
  expect(types()).toEqual(["1010", "1010"]);
});

const html = '<html><form action="https://acs.example/"><input name="creq" value="eyJ0aHJl"></form></html>';
const page = { contentType: "text/html", body: html };

test("an enrolment posts the signed form itself, and hands on the page that comes back", async () => {
  script(page);
  const browser = { browserLanguage: "en-GB", browserAcceptHeader: "", browserUserAgent: "" };
  const outcome = await acquirer.enrol(enrolment({ operation: "authorize", installmentCount: 2, browser }));
  expect(outcome).toEqual({ kind: "challenge", session: ORDER, challenge: { type: "html", html } });
  expect([received[0]!.path, received[0]!.headers["content-type"]]).toEqual([
    "/securepay",
    "application/x-www-form-urlencoded",
  ]);
  expect(received[0]!.fields).toMatchObject({
    paymentModel: "3D",
    txnCode: "3004",
    lang: "EN",
    emailAddress: "a@b.test",
    installCount: "2",
  });
});

const refusal = (fields: Record<string, string>) => {
  const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
  return { ...page, body: `<form action="https://gateway.example/">${inputs.join("")}</form>` };
};
const formFault = { responseCode: "VPS-1073", responseMessage: "Gecersiz" };

test.each<[string, Scripted, object]>([
  ["a page with the card", { ...page, body: html.replace("eyJ0aHJl", CARD.pan) }, invalid],
  ["an error of the gate", { ...page, status: 500 }, invalid],
  ["a page that leads nowhere", { ...page, body: '<form action=""><button>Back</button></form>' }, invalid],
  ["a refusal", refusal(formFault), { ...declined("soft", "VPS-1073"), resultMessage: "Gecersiz" }],
  ["a refusal of our order", refusal({ ...formFault, orderId: ORDER }), { kind: "declined" }],
  ["one of another order", refusal({ ...formFault, orderId: "another" }), { kind: "challenge" }],
  ["a success", refusal({ responseCode: "VPS-0000" }), { kind: "challenge" }],
])("%s is what it proves at an enrolment", async (_, answer, outcome) => {
  script(answer);
  expect(await acquirer.enrol(enrolment())).toMatchObject(outcome);
});

const PROOF = {
  secureId: "c2VjdXJlLWlk",
  secureEcomInd: "02",
  secureData: `${"A".repeat(27)}=`,
  secureMd: "AB".repeat(32),
};

function completion(mdStatus: string, key = KEY) {
  const { secureId, secureEcomInd, secureData, secureMd } = PROOF;
  const url = "https://gateway.example/";
  const fields = {
    txnCode: "3001",
    responseCode: "VPS-0000",
    responseMessage: "",
    txnDateTime: "2026-01-02T03:04:05.000",
    merchantSafeId: MERCHANT,
    terminalSafeId: TERMINAL,
    orderId: ORDER,
    secureId,
    secureEcomInd,
    mdStatus,
    secureData,
    secureMd,
    maskedCardNumber: "557829******1055",
    amount: "100.00",
    installCount: "2",
    okUrl: url,
    failUrl: url,
  };
  const hash = signatureOf(key, ...Object.values(fields));
  const returned = { fields: Object.entries({ ...fields, hashParams: Object.keys(fields).join("+"), hash }) };
  const { reference, amountMinor, currency } = enrolment();
  const about = { reference, orderId: ORDER, amountMinor, currency, installmentCount: 2 };
  return { ...about, operation: "sale", session: ORDER, returned, expiresAt: soon() } as const;
}

test("a proven return has our own amount charged, without the card", async () => {
  script(approval());
  const authentication = { transStatus: "Y", eci: "02" };
  expect(await acquirer.complete(completion("1"))).toMatchObject({ kind: "approved", authentication });
  expect(received[0]!.fields).toMatchObject({
    txnCode: "1000",
    secureTransaction: PROOF,
    transaction: { amount: "100.00", installCount: 2 },
  });
  expect(received[0]!.body).not.toContain("card");
});

test.each([
  ["a failed one", completion("0"), { kind: "declined", resultCode: "MD-0" }],
  ["one of another key", completion("1", "x"), { kind: "not_genuine", why: "signature" }],
  [
    "one of another amount",
    { ...completion("1"), amountMinor: 1n },
    { kind: "not_genuine", why: "other_amount" },
  ],
  ["none", { ...completion("1"), returned: { fields: [] } }, { kind: "not_genuine", why: "no_signature" }],
])("a return charges nothing: %s", async (_, request, outcome) => {
  script();
  expect(await acquirer.complete(request)).toMatchObject(outcome);
  expect(received).toEqual([]);
});

const turkishTime = () => new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, -1);
test.each<[object, Scripted]>([
  [{ kind: "ok" }, () => ({ ...noHistory(), txnDateTime: turkishTime() })],
  [{ kind: "clock", detail: expect.stringContaining("2026-01-02T03:04:05") as string }, noHistory()],
  [
    { kind: "credentials", detail: expect.stringContaining("secret key") as string },
    { status: 401, body: '{"code":401}' },
  ],
  [{ kind: "unreachable" }, (orderId) => history("1000", { order: { orderId } })],
  [{ kind: "unreachable" }, { status: 401, body: "<html>" }],
  [{ kind: "unreachable" }, "garbage"],
])("a probe asks for nobody's order, %#", async (outcome, answer) => {
  script(answer);
  expect(await acquirer.probe(soon())).toMatchObject(outcome);
  expect(types()).toEqual(["1010"]);
});
