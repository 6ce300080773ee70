import { expect, test } from "vitest";

import { CARD, soon } from "../test/calls.ts";
import { hashOf } from "./hashes.ts";
import {
  answerXml,
  cardCall,
  enrolment,
  followUp,
  historyXml,
  inquiry,
  NAME,
  noHistoryXml,
  ORDER,
  playBank,
  refusedXml,
  SECRETS,
  TERMINAL,
  type Scripted,
} from "./test/garanti-bench.ts";

const { acquirer, received, script, types } = await playBank();
/** @param fields of the last request, with spaces between them: `Mode=TEST GroupID=`. */
function expectSent(fields: string) {
  const pairs = fields.split(" ").map((field) => [field.replace(/=.*/, ""), field.replace(/^\w+=/, "")]);
  expect(Object.fromEntries(received.at(-1)!.fields)).toMatchObject(Object.fromEntries(pairs));
}
const own = { retrefNum: "600912345678" };
const invalid = { kind: "unknown", reason: "invalid_answer" };
const mismatch = { kind: "unknown", reason: "mismatch" };
const pending = { kind: "unknown", reason: "pending" };
const notSent = (reason?: string) => ({ kind: "not_sent", ...(reason && { reason }) });
const declined = (declineClass: string, resultCode: string) => ({
  kind: "declined",
  declineClass,
  resultCode,
});

test.each([
  ["authorize", "preauth"],
  ["sale", "sales"],
] as const)("%s is %s, approved in the amount that was asked for", async (operation, Type) => {
  script(answerXml());
  const amount = { amountMinor: 124_990n, currency: "EUR" };
  const codes = { externalTransactionId: NAME, authCode: "123456", resultCode: "00", resultMessage: "" };
  const outcome = await acquirer[operation](cardCall({ ...amount, installmentCount: 3 }));
  expect(outcome).toEqual({ kind: "approved", ...amount, ...codes });
  expect([received[0]!.path, received[0]!.headers["content-type"]]).toEqual([
    "/VPServlet",
    "application/xml",
  ]);
  expectSent(`Mode=TEST Version=512 ProvUserID=PROVAUT ID=${TERMINAL} MerchantID=7000679 Type=${Type}`);
  expectSent(`IPAddress=203.0.113.7 EmailAddress=a@b.test OrderID=${ORDER} GroupID= Amount=124990`);
  expectSent(`Number=${CARD.pan} ExpireDate=1230 CVV2=739 InstallmentCnt=3 CurrencyCode=978 MotoInd=N`);
  expect(received[0]!.body).not.toMatch(/SubMerchantID|OriginalRetrefNum|Secure3D/);
});

test("a payment in one is empty, by mail is marked, and an address that does not fit is ours", async () => {
  script(answerXml());
  const customer = { ip: "2001:db8::1", email: `ş@${"x".repeat(64)}.test` };
  await acquirer.sale(cardCall({ customer, initiator: { by: "merchant", channel: "moto" } }));
  expectSent("InstallmentCnt= MotoInd=Y IPAddress=203.0.113.1");
  expect(received[0]!.body).toMatch(/^[\x20-\x7e]*$/);
});

test.each<[Scripted, object]>([
  [answerXml({ code: "51", authCode: "" }), { ...declined("limit", "51"), externalTransactionId: NAME }],
  [refusedXml("0002"), { ...declined("technical", "0002"), resultMessage: "refused" }],
  [refusedXml("0104"), pending],
  [answerXml({ code: "91" }), pending],
])("a refusal is what it proves, %#", async (answer, outcome) => {
  script(answer);
  expect(await acquirer.sale(cardCall())).toMatchObject(outcome);
});

test("what the protocol cannot carry is not sent", async () => {
  script();
  const orders = [{ orderId: "a".repeat(33) }, { orderId: "a.b" }, { currency: "JPY" }];
  for (const more of [{ amountMinor: 0n }, { amountMinor: 10n ** 18n }, ...orders])
    expect(await acquirer.sale(cardCall(more))).toEqual(notSent("unsupported"));
  for (const more of orders) expect(await acquirer.inquire(inquiry(more))).toEqual(notSent("unsupported"));
  expect(await acquirer.release(followUp())).toEqual(notSent("unsupported"));
  expect(received).toEqual([]);
});

test("the buyer's address is required", () => {
  expect(acquirer.missingField!({})).toBe("customer.ip");
  expect(acquirer.missingField!({ customer: { ip: "2001:db8::1" } })).toBeUndefined();
});

const hold = "preauth InstallmentCnt=3";

test("a capture has the hold's name and installments, and a name of its own", async () => {
  script(historyXml(hold), answerXml(own));
  const outcome = await acquirer.capture(followUp({ amountMinor: 4_000n, requestIp: "203.0.113.9" }));
  const approved = { kind: "approved", amountMinor: 4_000n, externalTransactionId: own.retrefNum };
  expect(outcome).toMatchObject(approved);
  expect(types()).toEqual(["orderhistoryinq", "postauth"]);
  expectSent(
    `Amount=4000 InstallmentCnt=3 OriginalRetrefNum=${NAME} IPAddress=203.0.113.9 ProvUserID=PROVAUT`,
  );
});

test.each([
  noHistoryXml(),
  historyXml(`${hold} RetrefNum=600112345678`),
  historyXml(`${hold} Status=01`),
  historyXml(`${hold}; ${hold}`),
  "garbage",
])("a capture is not sent while the record does not show one hold of its name, %#", async (behind) => {
  script(behind, answerXml(own));
  expect(await acquirer.capture(followUp())).toEqual(notSent());
  expect(types()).toEqual(["orderhistoryinq"]);
});

test.each(["0102", "0204", "0205", "0209", "0108"])(
  "a capture that is refused with %s may be done",
  async (code) => {
    const captured = `${hold}; postauth RetrefNum=${own.retrefNum}`;
    for (const [rows, outcome] of [
      [captured, { kind: "approved", externalTransactionId: own.retrefNum }],
      [`${captured} AuthAmount=9999`, mismatch],
      [hold, declined("technical", code)],
    ] as const) {
      script(historyXml(hold), refusedXml(code), historyXml(rows));
      expect(await acquirer.capture(followUp())).toMatchObject(outcome);
    }
  },
);

test("a refund names its sale, in its real amount and with the second user", async () => {
  script(answerXml(own));
  const outcome = await acquirer.refund(followUp({ amountMinor: 202n }));
  expect(outcome).toMatchObject({
    kind: "approved",
    amountMinor: 202n,
    externalTransactionId: own.retrefNum,
  });
  expect(types()).toEqual(["refund"]);
  expectSent(`Amount=202 OriginalRetrefNum=${NAME} IPAddress=203.0.113.1 ProvUserID=PROVRFN`);
});

test("a refund of a captured payment names its capture, which the record shows", async () => {
  const { target } = followUp();
  const request = followUp({ target: { ...target, capturedMinor: 10_000n } });
  script(historyXml(`${hold}; postauth RetrefNum=600312345678`), answerXml(own));
  expect(await acquirer.refund(request)).toMatchObject({ kind: "approved" });
  expectSent("OriginalRetrefNum=600312345678");
  script(historyXml(hold));
  expect(await acquirer.refund(request)).toEqual(notSent());
});

test.each([
  ["under the sale's name", answerXml(), mismatch],
  ["0214", refusedXml("0214"), declined("technical", "0214")],
  ["0208", refusedXml("0208"), declined("technical", "0208")],
  ["0108", refusedXml("0108"), notSent("no_record")],
  ["0652", refusedXml("0652"), notSent("credentials")],
  ["RPC-05", answerXml({ code: "05", cause: "RPC-05 condition was raised" }), invalid],
])("a refund that is answered %s is what it proves", async (_, answer, outcome) => {
  script(answer);
  expect(await acquirer.refund(followUp())).toMatchObject(outcome);
});

const settled = historyXml("sales Settlement=E");

test("a cancel voids what it names, with an amount that means nothing, and has its name", async () => {
  script(historyXml("sales"), answerXml(own));
  const approved = { kind: "approved", amountMinor: 10_000n, externalTransactionId: NAME };
  expect(await acquirer.cancel(followUp())).toMatchObject(approved);
  expect(types()).toEqual(["orderhistoryinq", "void"]);
  expectSent(`Amount=100 CurrencyCode=949 OriginalRetrefNum=${NAME} ProvUserID=PROVRFN`);
});

test.each([
  ["done before", refusedXml("0201"), historyXml("sales VoidDate=20260102"), { kind: "approved" }],
  ["too late", answerXml({ code: "12" }), settled, declined("technical", "12")],
  ["refused", answerXml({ code: "12" }), historyXml("sales"), declined("hard", "12")],
  ["unknown", refusedXml("0207"), "garbage", invalid],
])(
  "a cancel that is refused in any way has the record say what it is: %s",
  async (_, refusal, after, outcome) => {
    script(historyXml("sales"), refusal, after);
    expect(await acquirer.cancel(followUp())).toMatchObject(outcome);
    expect(types()).toHaveLength(3);
  },
);

test("a cancel in which the bank finds nothing to void, though the record shows the hold, is too late", async () => {
  const cancelRefused = (code: string) => {
    script(historyXml("preauth"), refusedXml(code), historyXml("preauth"));
    const target = { amountMinor: 10_000n, capturedMinor: 0n, at: new Date() };
    return acquirer.cancel(followUp({ target }));
  };
  expect(await cancelRefused("0201")).toMatchObject({ ...declined("technical", "0201"), isTooLate: true });
  // A fault in the request may get another answer on another day.
  expect(await cancelRefused("0103")).not.toHaveProperty("isTooLate");
});

test.each([
  ["a settled sale", settled, { ...declined("technical", "SETTLED"), resultMessage: "", isTooLate: true }],
  ["a refunded sale", historyXml("sales; refund RetrefNum=1"), mismatch],
  ["an unseen sale", noHistoryXml(), pending],
])("a cancel of %s voids nothing", async (_, record, outcome) => {
  script(record);
  expect(await acquirer.cancel(followUp())).toEqual(outcome);
  expect(types()).toEqual(["orderhistoryinq"]);
});

const html = '<html><form action="https://acs.example/"><input name="creq" value="eyJ0aHJl"></form></html>';
const page = { contentType: "text/html", body: html };

test("an enrolment posts the signed form itself, and hands on the page that comes back", async () => {
  script(page);
  const outcome = await acquirer.enrol(enrolment({ operation: "authorize", installmentCount: 2 }));
  expect(outcome).toEqual({ kind: "challenge", session: ORDER, challenge: { type: "html", html } });
  const type = "application/x-www-form-urlencoded";
  expect([received[0]!.path, received[0]!.headers["content-type"]]).toEqual(["/servlet/gt3dengine", type]);
  const returnUrl = "https://gateway.example/3ds/return/state";
  expectSent("secure3dsecuritylevel=3D mode=TEST apiversion=512 terminalprovuserid=PROVAUT txntype=preauth");
  expectSent(`terminalmerchantid=7000679 terminalid=${TERMINAL} orderid=${ORDER} txnamount=10000`);
  expectSent("txncurrencycode=949 txninstallmentcount=2 customeripaddress=203.0.113.7");
  expectSent(`successurl=${returnUrl} errorurl=${returnUrl} customeremailaddress=a@b.test`);
  expectSent(`cardnumber=${CARD.pan} cardexpiredatemonth=12 cardexpiredateyear=30 cardcvv2=739`);
});

test.each<[string, Scripted, object]>([
  ["a page with the card", { ...page, body: html.replace("eyJ0aHJl", CARD.pan) }, invalid],
  ["an error of the gate", { ...page, status: 500 }, invalid],
  [
    "a refusal",
    { ...page, body: '<form><input name="response" value="Error">' },
    declined("technical", "MD-"),
  ],
])("%s is no challenge", async (_, answer, outcome) => {
  script(answer);
  expect(await acquirer.enrol(enrolment())).toMatchObject(outcome);
});

const LIST = "clientid:oid:authcode:procreturncode:response:mdstatus:cavv:eci:md:rnd:";
const MD = "bWQtdGVzdA==";

function completion(mdstatus: string, key = SECRETS.storeKey) {
  const values = [TERMINAL, ORDER, "", "", "", mdstatus, "AAABBBCCC", "05", MD, "rnd"];
  const signed = values.map((value, index) => [LIST.split(":")[index]!, value] as const);
  const rest = Object.entries({
    xid: "MDAw",
    txnamount: "1",
    hashparams: LIST,
    hash: hashOf(...values, key),
  });
  const { reference, amountMinor, currency, customer = {} } = enrolment();
  const about = { reference, orderId: ORDER, amountMinor, currency, customer, installmentCount: 2 };
  const returned = { fields: [...signed, ...rest] };
  return { ...about, operation: "sale", session: ORDER, returned, expiresAt: soon() } as const;
}

test("a proven return has our own amount charged, without the card", async () => {
  script(answerXml());
  const authentication = { transStatus: "Y", eci: "05" };
  const approved = { kind: "approved", amountMinor: 10_000n, authentication };
  expect(await acquirer.complete(completion("1"))).toMatchObject(approved);
  expectSent("Type=sales Amount=10000 InstallmentCnt=2 CardholderPresentCode=13");
  expectSent(`AuthenticationCode=AAABBBCCC SecurityLevel=05 TxnID=MDAw Md=${MD}`);
  expect(received[0]!.body).not.toContain("<Card>");
});

test.each([
  ["a failed one", completion("0"), { kind: "declined", resultCode: "MD-0" }],
  ["one of another key", completion("1", "x"), { kind: "not_genuine", why: "signature" }],
  ["none", { ...completion("1"), returned: { fields: [] } }, { kind: "not_genuine", why: "no_signature" }],
])("a return charges nothing: %s", async (_, request, outcome) => {
  script();
  expect(await acquirer.complete(request)).toMatchObject(outcome);
  expect(received).toEqual([]);
});

test("the bank's comparison of amounts is a decline, without what stands for the card", async () => {
  script(refusedXml("0804", { errorText: `MD ${MD}` }));
  expect(await acquirer.complete(completion("1"))).toMatchObject({ kind: "declined", resultMessage: "" });
});

const turkishTime = () => new Date(Date.now() + 3 * 3_600_000).toISOString();
const known = (orderId: string) =>
  noHistoryXml({ orderId, provDate: turkishTime().replaceAll("-", "").replace("T", " ").slice(0, 17) });
const another = (orderId: string) => noHistoryXml({ orderId });
const refusing = (user: string) => ({ kind: "credentials", detail: expect.stringContaining(user) as string });
test.each<[object, ...Scripted[]]>([
  [{ kind: "ok" }, known, (orderId) => refusedXml("0201", { orderId })],
  [{ kind: "clock" }, another, (orderId) => refusedXml("0201", { orderId })],
  [refusing("PROVRFN"), known, refusedXml("0651", { orderId: "" })],
  [refusing("PROVAUT"), refusedXml("0651", { orderId: "" })],
  [{ kind: "unreachable" }, known, (orderId) => answerXml({ orderId })],
  [{ kind: "unreachable" }, (orderId) => refusedXml("9999", { orderId })],
  [{ kind: "unreachable" }, "garbage"],
])("a probe asks for nobody's order with both users, %#", async (outcome, ...answers) => {
  script(...answers);
  expect(await acquirer.probe(soon())).toMatchObject(outcome);
  expect(types()).toEqual(["orderhistoryinq", "void"].slice(0, answers.length));
});
