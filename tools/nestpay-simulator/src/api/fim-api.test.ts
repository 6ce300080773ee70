import { expect, test } from "vitest";

import {
  auth,
  CLIENT_ID,
  credentials,
  GOOD_CARD,
  preAuth,
  readAnswer,
  requestXml,
  startTestBank,
} from "../../test/test-bank.ts";
import { merchantsSchema } from "../merchants.ts";

const saleXml = (orderId: string) => requestXml({ ...credentials, ...auth(orderId) });

test.each([
  ["the XML itself", "text/xml", (xml: string) => xml],
  ["the XML itself, called a form", "application/x-www-form-urlencoded", (xml: string) => xml],
  ["a byte order mark and the XML", "text/xml", (xml: string) => `\uFEFF${xml}`],
  ["DATA= and the XML", "application/x-www-form-urlencoded", (xml: string) => `DATA=${xml}`],
  [
    "DATA= and the XML with escapes",
    "application/x-www-form-urlencoded",
    (xml: string) => `DATA=${encodeURIComponent(xml)}`,
  ],
  [
    "a form with the field DATA",
    "application/x-www-form-urlencoded",
    (xml: string) => String(new URLSearchParams({ DATA: xml })),
  ],
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

test("a body beyond 16 KiB is refused", async () => {
  await using bank = await startTestBank();
  expect((await bank.post("<".padEnd(16_385))).status).toBe(413);
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
    HostRefNum: expect.stringMatching(/^\d{12}$/),
    TransId: expect.stringMatching(/^26326[0-9A-Za-z]{4}[A-Z]\d+$/),
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
    expect.objectContaining({
      sequence: 1,
      at: "2026-11-22T09:00:00.000Z",
      operation: "sale",
      orderId: "o-1",
      transactionId: answer.TransId,
      amountMinor: 1_250,
      currency: "TRY",
      outcome: "approved",
      pan: "435508******4358",
      installments: 3,
    }),
  ]);
});

test("no two movements have the same TransId or HostRefNum", async () => {
  await using bank = await startTestBank();
  const [one, other] = [await bank.ask(auth("o-1")), await bank.ask(auth("o-2"))];
  expect(one.TransId).not.toBe(other.TransId);
  expect(one.HostRefNum).not.toBe(other.HostRefNum);
});

test("without a GroupId the order's id is the group's, and without an OrderId the bank makes one", async () => {
  await using bank = await startTestBank();
  expect(await bank.ask(auth("o-1"))).toMatchObject({ GroupId: "o-1" });
  const { OrderId, GroupId, TransId } = await bank.ask(auth(""));
  expect(OrderId).toBe(`ORDER-${TransId}`);
  expect(GroupId).toBe(OrderId);
  expect(await bank.status(OrderId ?? "")).toMatchObject({ Response: "Approved", TransId });
});

test("a capture has a TransId of its own, and the hold's AuthCode and HostRefNum", async () => {
  await using bank = await startTestBank();
  const held = await bank.ask(preAuth("o-1"));
  const captured = await bank.ask({ Type: "PostAuth", OrderId: "o-1", Total: "10.00" });
  expect(captured).toMatchObject({
    Response: "Approved",
    AuthCode: held.AuthCode,
    HostRefNum: held.HostRefNum,
  });
  expect(captured.TransId).not.toBe(held.TransId);
  expect(await bank.ledger()).toMatchObject([
    { operation: "authorize", amountMinor: 1_250 },
    {
      operation: "capture",
      amountMinor: 1_000,
      transactionId: captured.TransId,
      relatedTransactionId: held.TransId,
      pan: "435508******4358",
    },
  ]);
});

test("a void is answered with what it voids; only HOSTDATE is new", async () => {
  await using bank = await startTestBank();
  const sold = await bank.ask(auth("o-1"));
  await bank.advance(60);
  const voided = await bank.ask({ Type: "Void", OrderId: "o-1" });
  expect(voided).toMatchObject({
    Response: "Approved",
    TransId: sold.TransId,
    AuthCode: sold.AuthCode,
    HostRefNum: sold.HostRefNum,
    "Extra/TRXDATE": "20261122 12:00:00",
    "Extra/HOSTDATE": "1122-120100",
  });
  expect((await bank.ledger())[1]).toMatchObject({
    operation: "void",
    outcome: "approved",
    transactionId: sold.TransId,
    relatedTransactionId: sold.TransId,
    amountMinor: 1_250,
    voided: "sale",
  });
});

test("where a Void names both, the TransId decides", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o-1"));
  const { TransId = "" } = await bank.ask(auth("o-2"));
  expect(await bank.ask({ Type: "Void", OrderId: "o-1", TransId })).toMatchObject({
    Response: "Approved",
    OrderId: "o-2",
  });
  expect((await bank.status("o-1"))["Extra/TRANS_STAT"]).toBe("C");
  expect((await bank.status("o-2"))["Extra/TRANS_STAT"]).toBe("V");
});

test("a refund has a TransId of its own and needs no card", async () => {
  await using bank = await startTestBank();
  const sold = await bank.ask(auth("o-1"));
  await bank.endDay();
  const refund = { Type: "Credit", OrderId: "o-1", Total: "2,50", Currency: "949" };
  const refunded = await bank.ask(refund);
  expect(refunded.Response).toBe("Approved");
  expect(refunded.TransId).not.toBe(sold.TransId);
  // One client that is in use sends the sale's TransId with it.
  expect(await bank.ask({ ...refund, TransId: sold.TransId ?? "" })).toMatchObject({ Response: "Approved" });
  expect((await bank.ledger()).slice(1)).toMatchObject([
    { operation: "refund", amountMinor: 250 },
    { operation: "refund", amountMinor: 250 },
  ]);
});

test.each([
  ["a second success", auth("o-1"), "2507", "Bu sipariş numarası ile zaten başarılı bir sipariş var", ""],
  [
    "a void of nothing",
    { Type: "Void", OrderId: "x" },
    "2008",
    "İptal edilmeye uygun satış işlemi bulunamadı",
    "",
  ],
  [
    "a refund before the day's end",
    { Type: "Credit", OrderId: "o-1", Total: "1" },
    "2508",
    "İade yapılamaz, sipariş günsonuna girmemiş",
    "o-1",
  ],
  [
    "a capture without a hold",
    { Type: "PostAuth", OrderId: "x" },
    "2509",
    "Sipariş numarasıyla uyuşan PreAuth yok",
    "x",
  ],
  ["a bad installment", auth("o-2", { Taksit: "13" }), "2603", "Taksit tablosu için geçersiz değer", "o-2"],
])("%s is refused by the gateway, in Turkish", async (_, request, code, ErrMsg, OrderId) => {
  await using bank = await startTestBank();
  await bank.ask(auth("o-1"));
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
  await bank.ask(auth("o-1"));
  await bank.ask({ Type: "Void", OrderId: "o-1" });
  const answer = await bank.ask({ Type: "Credit", OrderId: "o-1", Total: "1" });
  expect(answer).toMatchObject({
    Response: "Declined",
    OrderId: "o-1",
    ErrMsg: "Net Tutar 0.",
    "Extra/ERRORCODE": "215021",
  });
  expect(answer).not.toHaveProperty("ProcReturnCode");
  expect(answer).not.toHaveProperty("AuthCode");
});

test("what the issuer declines has its code", async () => {
  await using bank = await startTestBank();
  expect(await bank.ask(auth("o-1", { Cvv2Val: "082" }))).toMatchObject({
    Response: "Declined",
    ProcReturnCode: "82",
    OrderId: "o-1",
    "Extra/ERRORCODE": "ISO8583-82",
    "Extra/NUMCODE": "82",
  });
  expect(await bank.ask(auth("o-1"))).toMatchObject({ Response: "Approved" });
});

test.each([
  ["a wrong mode", auth("o", { Mode: "X" }), 1006],
  ["a payment without a mode", auth("o", { Mode: null }), 1006],
  ["an unknown type", { Type: "Query", OrderId: "o" }, 2001],
  ["no type", { OrderId: "o" }, 2003],
  ["an inquiry without an order", { "Extra/ORDERSTATUS": "QUERY" }, 2301],
  ["a capture without an order", { Type: "PostAuth" }, 2301],
  ["a refund without an order", { Type: "Credit", Total: "1" }, 2301],
  ["a TransId in a sale", auth("o", { TransId: "1" }), 1028],
  ["a TransId in a hold", preAuth("o", { TransId: "1" }), 1028],
  ["a TransId in a capture", { Type: "PostAuth", OrderId: "o", TransId: "1" }, 1028],
  ["a void of nothing named", { Type: "Void" }, 2002],
  ["an order id of 65 characters", auth("o".repeat(65)), 1015],
  ["an address of 40 characters", auth("o", { IPAddress: "1".repeat(40) }), 1011],
  ["an unknown currency", auth("o", { Currency: "999" }), 1010],
  ["yen", auth("o", { Currency: "392" }), 1010],
  ["an unknown currency in a refund", { Type: "Credit", OrderId: "o", Total: "1", Currency: "TL" }, 1010],
  ["three decimals", auth("o", { Total: "100.250" }), 1024],
  ["19 digits", auth("o", { Total: "12345678901234567.00" }), 1024],
  ["a negative amount", auth("o", { Total: "-1.00" }), 1024],
  ["no amount of a refund", { Type: "Credit", OrderId: "o" }, 1024],
  ["an amount of a capture that is none", { Type: "PostAuth", OrderId: "o", Total: "x" }, 1024],
  ["zero installments", auth("o", { Taksit: "0" }), 1023],
  ["a thirteenth month", auth("o", { Expires: "13/30" }), 2011],
  ["no card", auth("o", { Number: "" }), 2015],
])("a request with %s is answered with its code", async (_, request, code) => {
  await using bank = await startTestBank();
  const answer = await bank.ask(request);
  expect(answer["Extra/ERRORCODE"]).toBe(`CORE-${code}`);
});

test.each(["12/30", "12/2030", "12.2030"])("a card that expires in %s is taken", async (Expires) => {
  await using bank = await startTestBank();
  expect((await bank.ask(auth("o", { Expires }))).Response).toBe("Approved");
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
  const other = { ClientId: "990000002", Name: "apiuser", Password: "other" };
  const merchants = merchantsSchema.parse([
    { clientId: CLIENT_ID, name: "apiuser", password: credentials.Password, storeKey: "a" },
    { clientId: other.ClientId, name: other.Name, password: other.Password, storeKey: "b" },
  ]);
  await using bank = await startTestBank({ merchants });
  const { TransId = "" } = await bank.ask(auth("o"));
  expect((await bank.ask({ ...other, OrderId: "o", "Extra/ORDERSTATUS": "QUERY" })).Response).toBe(
    "Declined",
  );
  expect((await bank.ask({ ...other, Type: "Void", TransId }))["Extra/ERRORCODE"]).toBe("CORE-2008");
  expect((await bank.ask({ ...other, ...auth("o") })).Response).toBe("Approved");
  expect(
    (await bank.ask({ ...other, Password: credentials.Password, ...auth("p") }))["Extra/ERRORCODE"],
  ).toBe("CORE-2201");
});

test("no card number, CVV or password is in the ledger", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o-1", { Cvv2Val: "987" }));
  await bank.ask(auth("o-2", { Number: `${GOOD_CARD}1`, Cvv2Val: "987" }));
  const text = JSON.stringify(await bank.ledger());
  expect(text).toContain("435508******4358");
  expect(text).not.toMatch(/4355084355084358|"987"|s3cret-pass|TEST1234/);
});

test("a ledger is rebuilt at the next start, and the number of a day's end with it", async () => {
  await using bank = await startTestBank();
  await bank.ask(preAuth("hold"));
  await bank.ask(auth("sale"));
  await bank.endDay();
  await bank.ask({ Type: "PostAuth", OrderId: "hold", Total: "10" });
  await bank.ask({ Type: "Credit", OrderId: "sale", Total: "2.50" });
  await bank.ask(auth("voided"));
  await bank.ask({ Type: "Void", OrderId: "voided" });
  await bank.advance(86_400);
  const { TransId } = await bank.ask(auth("later"));
  const views = async () => {
    const orders = ["hold", "sale", "voided", "later"];
    return Promise.all(orders.map((id) => Promise.all([bank.status(id), bank.history(id)])));
  };
  const before = await views();
  await bank.restart();
  expect(await views()).toEqual(before);
  expect((await bank.ask(auth("sale")))["Extra/ERRORCODE"]).toBe("CORE-2507");
  expect((await bank.ask({ Type: "Credit", OrderId: "sale", Total: "10.01" }))["Extra/ERRORCODE"]).toBe(
    "CORE-2503",
  );
  const next = await bank.ask(auth("after"));
  expect(next).toMatchObject({ "Extra/SETTLEID": "2", "Extra/TRXDATE": "20261123 12:00:00" });
  expect(next.TransId).not.toBe(TransId);
});
