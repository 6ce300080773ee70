import { expect, test } from "vitest";

import {
  captureRequest,
  cardRequest,
  creditRequest,
  historyRequest,
  voidRequest,
  writeAmount,
  type CardCall,
} from "./requests.ts";

const caller = { user: "apiuser", password: "secret", clientId: "990000001", mode: "P" } as const;
const call: CardCall = {
  operation: "authorize",
  orderId: "01J9ZK4Q2M8V7X3T5R6W1Y0ABC",
  amount: { total: "1249.90", currency: "949" },
  installmentCount: 1,
  instrument: { pan: "4355084355084358", expiryMonth: "12", expiryYear: "30", cvv: "000" },
  customer: { ip: "203.0.113.7", email: "a@b.test" },
};
const identity = "<Name>apiuser</Name><Password>secret</Password><ClientId>990000001</ClientId>";
const xmlOf = (body: string) => {
  expect(body).toMatch(/^DATA=[\x21-\x7e]+$/);
  return decodeURIComponent(body.slice("DATA=".length));
};
const request = (elements: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><CC5Request>${elements}</CC5Request>`;

test("an authorization is the example of the protocol's description", () => {
  expect(xmlOf(cardRequest(caller, call))).toBe(
    request(
      `${identity}<Mode>P</Mode><Type>PreAuth</Type><IPAddress>203.0.113.7</IPAddress><Email>a@b.test</Email>` +
        "<OrderId>01J9ZK4Q2M8V7X3T5R6W1Y0ABC</OrderId><Total>1249.90</Total><Currency>949</Currency><Taksit></Taksit>" +
        "<Number>4355084355084358</Number><Expires>12/30</Expires><Cvv2Val>000</Cvv2Val>",
    ),
  );
});

test("a sale is of another type, and instalments are a number from two on", () => {
  const xml = xmlOf(cardRequest(caller, { ...call, operation: "sale", installmentCount: 3 }));
  expect(xml).toContain("<Type>Auth</Type>");
  expect(xml).toContain("<Taksit>3</Taksit>");
});

test("the second step of 3-D Secure has the proof, and neither expiry nor CVV", () => {
  const instrument = { md: "435508:AA11:3545:##990000001", xid: "xid=", eci: "05", cavv: "cavv=" };
  const xml = xmlOf(cardRequest(caller, { ...call, instrument }));
  expect(xml).toContain(
    "<Number>435508:AA11:3545:##990000001</Number><PayerTxnId>xid=</PayerTxnId>" +
      "<PayerSecurityLevel>05</PayerSecurityLevel><PayerAuthenticationCode>cavv=</PayerAuthenticationCode>",
  );
  expect(xml).not.toMatch(/Expires|Cvv2Val/);
});

test("a year of four digits is written with two", () => {
  const instrument = { pan: "4355084355084358", expiryMonth: "01", expiryYear: "2031", cvv: "000" };
  expect(xmlOf(cardRequest(caller, { ...call, instrument }))).toContain("<Expires>01/31</Expires>");
});

test("an address or an e-mail that is too long is left out rather than the payment refused", () => {
  const customer = { ip: "2001:db8:0000:0000:0000:0000:0000:0000:00001", email: `${"a".repeat(60)}@b.test` };
  expect(xmlOf(cardRequest(caller, { ...call, customer }))).not.toMatch(/IPAddress|Email/);
  const bare: CardCall = { ...call };
  delete bare.customer;
  expect(xmlOf(cardRequest(caller, bare))).not.toMatch(/IPAddress|Email/);
});

test("what follows names its order, and a void always the movement", () => {
  const mode = `${identity}<Mode>P</Mode>`;
  expect(xmlOf(captureRequest(caller, "o1", call.amount))).toBe(
    request(`${mode}<Type>PostAuth</Type><OrderId>o1</OrderId><Total>1249.90</Total>`),
  );
  expect(xmlOf(voidRequest(caller, "o1", "22302V8rE11732"))).toBe(
    request(`${mode}<Type>Void</Type><OrderId>o1</OrderId><TransId>22302V8rE11732</TransId>`),
  );
  expect(xmlOf(creditRequest(caller, "o1", call.amount))).toBe(
    request(`${mode}<Type>Credit</Type><OrderId>o1</OrderId><Total>1249.90</Total><Currency>949</Currency>`),
  );
  expect(xmlOf(historyRequest(caller, "o1"))).toBe(
    request(`${identity}<OrderId>o1</OrderId><Extra><ORDERHISTORY>QUERY</ORDERHISTORY></Extra>`),
  );
});

test.each([
  [124_990n, "TRY", { total: "1249.90", currency: "949" }],
  [1n, "USD", { total: "0.01", currency: "840" }],
  [100n, "EUR", { total: "1.00", currency: "978" }],
  [10n ** 18n - 1n, "GBP", { total: `${"9".repeat(16)}.99`, currency: "826" }],
  [0n, "TRY", undefined],
  [-1n, "TRY", undefined],
  [10n ** 18n, "TRY", undefined],
  [100n, "JPY", undefined],
  [100n, "toString", undefined],
])("%s minor units of %s are written as %o", (amountMinor, currency, written) => {
  expect(writeAmount(amountMinor, currency)).toEqual(written);
});

test("every text stays in its element", () => {
  const password = `</Password><Type>Credit</Type>&"'+%=ş`;
  expect(xmlOf(captureRequest({ ...caller, password }, "o1", call.amount))).toContain(
    "<Password>&lt;/Password&gt;&lt;Type&gt;Credit&lt;/Type&gt;&amp;&quot;&apos;+%=ş</Password>",
  );
});
