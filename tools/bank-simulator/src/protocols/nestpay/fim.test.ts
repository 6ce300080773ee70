// The wire of `/fim/api`: the reading of requests, and the answers to judged calls.
import { expect, test } from "vitest";

import {
  auth,
  CLIENT_ID,
  credentials,
  GOOD_CARD,
  other,
  preAuth,
  readAnswer,
  requestXml,
  startTestBank,
  type Fields,
} from "./test/test-bank.ts";
import { encodeIso88599, readXml } from "../../core/index.ts";

const FORM = "application/x-www-form-urlencoded";
const saleXml = (orderId: string) => requestXml({ ...credentials, ...auth(orderId) });

test.each<[string, string, (xml: string) => string]>([
  ["the XML itself", "text/xml", (xml) => xml],
  ["the XML itself, called a form", FORM, (xml) => xml],
  ["a byte order mark and the XML", "text/xml", (xml) => `\uFEFF${xml}`],
  ["DATA= and the XML", FORM, (xml) => `DATA=${xml}`],
  ["DATA= and the XML with escapes", FORM, (xml) => `DATA=${encodeURIComponent(xml)}`],
  ["a form with the field DATA", FORM, (xml) => String(new URLSearchParams({ DATA: xml }))],
])("%s is taken", async (_, contentType, bodyOf) => {
  await using bank = await startTestBank();
  const answer = await readAnswer(await bank.post(bodyOf(saleXml("a b+c")), contentType));
  expect(answer).toMatchObject({ Response: "Approved", ProcReturnCode: "00", OrderId: "a b+c" });
});

test("a request is read in the encoding that it declares", async () => {
  await using bank = await startTestBank();
  const xml = saleXml("@").replace('encoding="UTF-8"', 'encoding="ISO-8859-9"');
  const bytes = Buffer.from(xml, "latin1");
  bytes[bytes.indexOf("@")] = 0xfe;
  expect((await readAnswer(await bank.post(bytes))).OrderId).toBe("ş");
});

test.each([
  ["no XML", "hello"],
  ["another form field", "XML=<CC5Request></CC5Request>"],
  ["XML that is not well-formed", "<CC5Request><Name></CC5Request>"],
  ["another root", "<CC5Response></CC5Response>"],
  ["a DTD", '<!DOCTYPE CC5Request [<!ENTITY a "b">]><CC5Request><Name>&a;</Name></CC5Request>'],
  ["too many elements", `<CC5Request>${"<a/>".repeat(500)}</CC5Request>`],
  ["elements too deep", `<CC5Request>${"<a>".repeat(8)}${"</a>".repeat(8)}</CC5Request>`],
  ["an unknown encoding", '<?xml version="1.0" encoding="utf-16"?><CC5Request/>'],
  ["bytes that are not UTF-8", Buffer.from([...Buffer.from("<CC5Request>"), 0xff, 0xfe])],
])("%s is refused with CORE-2014", async (_, body) => {
  await using bank = await startTestBank();
  const answer = await readAnswer(await bank.post(body));
  expect(answer).toMatchObject({ Response: "Error", ProcReturnCode: "99", "Extra/ERRORCODE": "CORE-2014" });
  expect(await bank.ledger()).toEqual([]);
});

test("elements are read by their path, the first of those that are there twice, CDATA included", () => {
  const text = "<R><A> 1 </A><A>2</A><B><A><![CDATA[<3>]]></A></B><!-- no --><C>&lt;&#52;</C></R>";
  expect(Object.fromEntries(readXml(text, "R") ?? [])).toMatchObject({ A: "1", "B/A": "<3>", C: "<4" });
});

test("what the encoding does not have becomes a question mark", () => {
  const bytes = [0xd0, 0xdd, 0xde, 0xf0, 0xfd, 0xfe, 0xe9, 0x3f, 0x3f, 0x3f];
  expect([...encodeIso88599("ĞİŞğışé€Ð😀")]).toEqual(bytes);
});

test("a sale is answered with everything that the bank says of it", async () => {
  await using bank = await startTestBank();
  const answer = await bank.ask(auth("o-1", { GroupId: "g-1", Taksit: "3" }));
  expect(answer).toMatchObject({
    OrderId: "o-1",
    GroupId: "g-1",
    Response: "Approved",
    ProcReturnCode: "00",
    ErrMsg: "",
    AuthCode: expect.stringMatching(/^\d{6}$/),
    HostRefNum: expect.stringMatching(/^632612000001$/),
    TransId: expect.stringMatching(/^26326[0-9A-Za-z]{4}[A-Z]10001$/),
    "Extra/SETTLEID": "1",
    "Extra/TRXDATE": "20261122 12:00:00",
    "Extra/HOSTDATE": "1122-120000",
    "Extra/ERRORCODE": "",
    "Extra/NUMCODE": "00",
    "Extra/TERMINALID": "00990001",
    "Extra/MERCHANTID": CLIENT_ID,
    "Extra/CARDBRAND": "VISA",
  });
  expect(await bank.ledger()).toEqual([
    {
      sequence: 1,
      at: "2026-11-22T09:00:00.000Z",
      operation: "sale",
      clientId: CLIENT_ID,
      orderId: "o-1",
      groupId: "g-1",
      transactionId: answer.TransId,
      authCode: answer.AuthCode,
      hostReference: answer.HostRefNum,
      relatedTransactionId: null,
      amountMinor: 1_250,
      currency: "TRY",
      outcome: "approved",
      resultCode: "00",
      pan: "435508******4358",
      installments: 3,
      authentication: null,
      listed: true,
      voided: null,
      holdReturned: false,
    },
  ]);
});

test("without a GroupId the order's id is the group's, and without an OrderId the bank makes one", async () => {
  await using bank = await startTestBank();
  expect(await bank.ask(auth("o-1"))).toMatchObject({ GroupId: "o-1" });
  const { OrderId = "", GroupId, TransId } = await bank.ask(auth(""));
  expect([OrderId, GroupId]).toEqual([`ORDER-${TransId}`, `ORDER-${TransId}`]);
  expect(await bank.status(OrderId)).toMatchObject({ Response: "Approved", TransId });
});

test("a capture has a TransId of its own, and the hold's AuthCode and HostRefNum", async () => {
  await using bank = await startTestBank();
  const { TransId, AuthCode, HostRefNum } = await bank.ask(preAuth("o-1"));
  const captured = await bank.ask({ Type: "PostAuth", OrderId: "o-1", Total: "10.00" });
  expect(captured).toMatchObject({ Response: "Approved", AuthCode, HostRefNum });
  expect(captured.TransId).not.toBe(TransId);
  expect((await bank.ledger())[1]).toMatchObject({
    operation: "capture",
    amountMinor: 1_000,
    transactionId: captured.TransId,
    relatedTransactionId: TransId,
    pan: "435508******4358",
  });
});

test("a void is answered with what it voids; only HOSTDATE is new", async () => {
  await using bank = await startTestBank();
  const { TransId, AuthCode, HostRefNum } = await bank.ask(auth("o-1"));
  await bank.advance(60);
  const dates = { "Extra/TRXDATE": "20261122 12:00:00", "Extra/HOSTDATE": "1122-120100" };
  const voided = await bank.ask({ Type: "Void", OrderId: "o-1" });
  expect(voided).toMatchObject({ Response: "Approved", TransId, AuthCode, HostRefNum, ...dates });
  const line = { operation: "void", outcome: "approved", voided: "sale", amountMinor: 1_250 };
  const names = { transactionId: TransId, relatedTransactionId: TransId };
  expect((await bank.ledger())[1]).toMatchObject({ ...line, ...names });
});

test("where a Void names both, the TransId decides", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o-1"));
  const { TransId = "" } = await bank.ask(auth("o-2"));
  expect((await bank.ask({ Type: "Void", OrderId: "o-1", TransId })).OrderId).toBe("o-2");
  expect((await bank.status("o-1"))["Extra/TRANS_STAT"]).toBe("C");
  expect((await bank.status("o-2"))["Extra/TRANS_STAT"]).toBe("V");
});

test("a refund has a TransId of its own, and one client that is in use sends the sale's with it", async () => {
  await using bank = await startTestBank();
  const { TransId = "" } = await bank.ask(auth("o-1"));
  await bank.endDay();
  const refund = { Type: "Credit", OrderId: "o-1", Total: "2,50", Currency: "949", TransId };
  const refunded = await bank.ask(refund);
  expect(refunded.Response).toBe("Approved");
  expect(refunded.TransId).not.toBe(TransId);
  expect((await bank.ledger())[1]).toMatchObject({ operation: "refund", amountMinor: 250 });
});

const nothingToVoid = "İptal edilmeye uygun satış işlemi bulunamadı";
test.each<[Fields, string, string, string]>([
  [auth("o"), "2507", "Bu sipariş numarası ile zaten başarılı bir sipariş var", ""],
  [{ Type: "Void", OrderId: "x" }, "2008", nothingToVoid, ""],
  [{ Type: "Credit", OrderId: "o", Total: "1" }, "2508", "İade yapılamaz, sipariş günsonuna girmemiş", "o"],
  [{ Type: "PostAuth", OrderId: "x" }, "2509", "Sipariş numarasıyla uyuşan PreAuth yok", "x"],
  [auth("p", { Taksit: "13" }), "2603", "Taksit tablosu için geçersiz değer", "p"],
])("the gateway refuses in Turkish: %j, %s", async (request, code, ErrMsg, OrderId) => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  expect(await bank.ask(request)).toMatchObject({
    Response: "Error",
    ProcReturnCode: "99",
    ErrMsg,
    OrderId,
    GroupId: OrderId,
    AuthCode: "",
    TransId: expect.stringMatching(/^26326/),
    "Extra/ERRORCODE": `CORE-${code}`,
    "Extra/NUMCODE": `99${code}`,
  });
  expect((await bank.ledger()).at(-1)).toMatchObject({ outcome: "declined", resultCode: `CORE-${code}` });
});

test("a refund of a net amount of zero is declined without a ProcReturnCode", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.ask({ Type: "Void", OrderId: "o" });
  const answer = await bank.ask({ Type: "Credit", OrderId: "o", Total: "1" });
  expect(answer).toMatchObject({ Response: "Declined", OrderId: "o", ErrMsg: "Net Tutar 0." });
  expect(answer).not.toHaveProperty("ProcReturnCode");
  expect(answer).not.toHaveProperty("AuthCode");
});

test.each(["Taksit", "Instalment", "Installment"])("installments come as %s, too", async (name) => {
  await using bank = await startTestBank();
  await bank.ask(auth("o", { Taksit: null, [name]: "6" }));
  expect((await bank.ledger())[0]?.installments).toBe(6);
});

test("a recurring plan is refused", async () => {
  await using bank = await startTestBank();
  const xml = saleXml("o").replace("<Extra>", "<PbOrder><OrderType>0</OrderType></PbOrder><Extra>");
  expect((await readAnswer(await bank.post(xml)))["Extra/ERRORCODE"]).toBe("CORE-1007");
});

test("the one merchant does not see the other's orders and cannot touch them", async () => {
  await using bank = await startTestBank({ isShared: true });
  const { TransId = "" } = await bank.ask(auth("o"));
  expect((await bank.ask({ ...other, OrderId: "o", "Extra/ORDERSTATUS": "QUERY" })).Response).toBe(
    "Declined",
  );
  expect(await bank.code({ ...other, Type: "Void", TransId })).toBe("CORE-2008");
  expect((await bank.ask({ ...other, ...auth("o") })).Response).toBe("Approved");
  const { Password } = credentials;
  expect(await bank.code({ ...other, Password, ...auth("p") })).toBe("CORE-2201");
});

test("no card number, CVV or password is in the ledger", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o-1", { Cvv2Val: "987" }));
  await bank.ask(auth("o-2", { Number: `${GOOD_CARD}1`, Cvv2Val: "987" }));
  const text = JSON.stringify(await bank.ledger());
  expect(text).toContain("435508******4358");
  expect(text).not.toMatch(/4355084355084358|"987"|s3cret-pass|TEST1234/);
});

test("a restart shows the same orders, and goes on with the same batch", async () => {
  await using bank = await startTestBank({ modes: { voidReturnsHold: true } });
  await bank.ask(preAuth("hold"));
  await bank.ask(auth("sale"));
  await bank.endDay();
  await bank.ask({ Type: "PostAuth", OrderId: "hold", Total: "10" });
  await bank.ask({ Type: "Credit", OrderId: "sale", Total: "2.50" });
  for (const Type of ["PreAuth", "PostAuth", "Void"]) await bank.ask(auth("back", { Type }));
  const orders = ["hold", "sale", "back"];
  const views = () => Promise.all(orders.flatMap((id) => [bank.status(id), bank.history(id)]));
  const before = await views();
  await bank.restart();
  expect(await views()).toEqual(before);
  expect((await bank.ask(auth("after")))["Extra/SETTLEID"]).toBe("2");
});
