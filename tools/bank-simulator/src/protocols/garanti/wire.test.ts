// The document's vectors, the form of requests and answers, and who is let in.
import { expect, test } from "vitest";

import { answerHash, formHash, requestHash, returnHash, securityData } from "./hashes.ts";
import { defaultModes } from "./config.ts";
import { protocol } from "./index.ts";
import {
  followUp,
  GOOD_CARD,
  hold,
  isSigned,
  requestXml,
  sale,
  startTestBank,
  STORE,
  type Fields,
} from "./test/test-bank.ts";

const O = "8f1c2a3b4d5e6f708192a3b4c5d6e7f8";
const security = securityData(STORE.password, STORE.terminalId);
const request = (...values: string[]) => {
  const [order, amount, card = "", currency = "949"] = values;
  const sent = { "Order/OrderID": order, "Terminal/ID": STORE.terminalId, "Card/Number": card };
  const fields = { ...sent, "Transaction/Amount": amount, "Transaction/CurrencyCode": currency };
  return requestHash((path) => Object.entries(fields).find(([name]) => name === path)?.[1] ?? "", security);
};
const form = (...values: string[]) => {
  const names = ["orderid", "txnamount", "successurl", "errorurl", "txntype", "txninstallmentcount"];
  const fields = new Map(names.map((name, index) => [name, values[index]]));
  fields.set("terminalid", STORE.terminalId).set("txncurrencycode", "949");
  return formHash((name) => fields.get(name) ?? "", STORE.storeKey, security);
};
const back = (order: string, ...rest: string[]) =>
  returnHash([STORE.terminalId, order, "", "", "", ...rest], STORE.storeKey);
const answer = (...values: string[]) => answerHash(values, security);

const MD =
  "aW5kZXg6MDIYjoYTHmZE91tOHZxS3PEkm5MLNOtFzZ5K914RtN5+rhLhO8yz+cmEUcjkfzNwAnY+eqIM7irJ7LXR+izmjNBOCH8dnD4ZQz+bbPoMp7I8mUMwsTjuV4E4EhyyJaZ93v5675lrk2bb9dFEIcqnzVYt";
const DOMAIN = "https://domain.com";
const RETURN = "https://pay.example/return/1";
const computed = {
  security,
  R1: request("order222", "10025"),
  R2: request("4499996", "202"),
  R3: request("4499996", "100"),
  R4: request(O, "125000", GOOD_CARD),
  R5: request(O, "125000"),
  R6: request("SISTD5A61F1682E745B28871872383ABBEB1", "1", "", ""),
  F1: form("order222", "10025", `${DOMAIN}/success`, `${DOMAIN}/fail_url`, "sales", ""),
  F2: form(O, "125000", RETURN, RETURN, "preauth", "3"),
  T1: back(O, "1", "AAABBIIFmQAAAAAJUGFmAAAAAAA=", "05", "bWQtdGVzdA==", "Q1w2E3r4T5y6U7i8O9p0"),
  T2: back("20240310D17E", "1", "jCm0m+u/0hUfAREHBAMBcfN+pSo=", "02", MD, "WS5m0vq/9QA2vOA1O3l0"),
  A1: answer("00", "335709663080", "103550", "20231223 19:24:30", "202312238064"),
  A2: answer("00", "", "", "20240603 16:07:07", ""),
  A3: answer("92", "", "", "20240107 00:13:34", "202401010C20"),
  A4: answerHash(["00", "230508300434", "304919", "20221101 13:14:19", "20221101D723"], security, "sha1"),
  A5: answer("00", "600212345678", "123456", "20260102 03:04:05", O),
};
const vectors = `
security 1639636D00AB5EF0B3CE073BB222BFAAC2C2C38D
R1 0CFE09F107274C6A07292DA061A4EECAB0F5F0CF87F831F2D3626A3346A941126C52D1D95A3B77ADF5AC348B3D25C76BA5D8D98A29557D087D3367BFFACCD25C
R2 0F97D922001221B9C90AA692CF5D4082FF6D3EB38BE863A47F9C08E63CD87312270D6F298E5FBBC320654861DA1C6EE826E0C83E904916351A9D3032FA426BAA
R3 C0C88761726D1844AF49FBE756DBE4586F7339169994CF700AE50AA8EAD0C8E81F5828C3392CE39CFC3F8C976FC3E24B576F4DB55DAF2E7D3A6F6B6E5E89B189
R4 5F2875B85C4059F8C8AA8F15DF85159EA5895A0C401CA137D9FE9FC8E540ACE21C0E4CFE8A149B8E98F4C823CEE44325B242E417169EB42DB4446D258C9846E5
R5 9C27FA96F37AE401B5A833FCCDC184BD7A4A2607D3CA754FBAE173CDAAB5CA9E7A35C3EBF2338FA1613195E22099BC4B2D4F9FD49F5C9210F776658A8A78C090
R6 B129BF998FF8C97C42D3FC923AA4271656B112549665FA130ACF631EA3EB73D917AEB3D646481564CACE38D1687F7744F82E5A1DBB6966F1512E0AF29B4C067B
F1 372D6CB20B2B699D0A6667DFF46E3AA8CF3F9D8C2BB69A7C411895151FFCFAAB5277CCFE3B3A06035FEEFBFBFD40C79DBE51DBF867D0A24B37335A28F0CEFDE2
F2 0A2B696F4630AFB793429646B621378CBBE3B89CB65A6A91406AF327B1F465E988D0496DEDA2DBD9F6F667112D799C21B5A9DF17A96AEEB07E5FFAF7008BE2A5
T1 3E336574173D97A75A1F8FE2D491919E2E3BEDAD68864F78570F098A97AFBD826A33887F61C7A8F4DF304A84718D4F86EBFC14C0B83AB278427C4437ED738674
T2 476399FBB4DA8A50FF6D32A5BF65F5535984413A7625B7DE7EA4E2F61517E8B64E5351F06BA5C76CE6B570E8CBD4453292AD4C37F5B1987DAEE46D07060D46BE
A1 1724AAE56E9EF08EAF70633AB5F56F55E538A18201A3A98E03D1DDFC4E2A3185FF6421261F96B3F3B052F0090D5CC15F3254051304F0589BD2061F2622B320A0
A2 C1DD90277E3CE36D6226FF02E59D95999D78793CF8942860600BA2800A63CB991A518C1DECA1609C99DA8F8995CBB78A54E7D34F337A8BFF60D10B6DB47C8750
A3 AC81A642617438C814095A8D07EB6F89118AB5937D2E784AD058CD099E7B50518F894EAD0B4BE6C6793F83B2C0274166A94E99D5545828D2A01BF583BF99D350
A4 1AAF91AE8000A94BF0B3FF42222E75E5837C98B9
A5 94282AC0FE99186619340F7C0F524926A389D27CED6D6D3D708E7611A2238F7A316A389DAE4AF6460AABEB2176D1C8ED61ED9C59BA28BAAFF911E5851B21AFC7
`;

test.each(Object.entries(computed))("vector %s", (name, hash) => {
  expect(vectors).toContain(`\n${name} ${hash}\n`);
});

test("an approval has its numbers, the bank's time and a hash, and neither amount nor currency", async () => {
  await using bank = await startTestBank();
  const text = await bank.raw(sale({ "Order/OrderID": O }));
  expect(text).toMatch(/<RetrefNum>632600000001<.*<BatchNum>000001<.*<ProvDate>20261122 12:00:00</);
  expect(text).toContain("<Source>HOST</Source><Code>00</Code><ReasonCode>00</ReasonCode>");
  expect(text).toContain("<CardNumberMasked>428220******8015<");
  expect(text).not.toMatch(/1250|949|4282209004348015/);
  expect(isSigned(text)).toBe(true);
});

test("a body is the XML or data= with it, as it is or percent-encoded; another one is answered 9999", async () => {
  await using bank = await startTestBank();
  const xml = requestXml(sale());
  expect(await bank.post(`data=${xml}`)).toContain("<Message>Approved<");
  expect(await bank.post(`data=${encodeURIComponent(xml)}`)).toContain("<ReasonCode>0104<");
  for (const body of ["", "<GVPSRequest>", "<Other/>", `<!DOCTYPE a>${requestXml(sale())}`])
    expect(await bank.post(body)).toContain("<ReasonCode>9999<");
});

const refund = followUp("refund");
test.each<[string, Fields]>([
  ["0752", sale({ "Terminal/ID": "1" })],
  ["0753", sale({ "Terminal/MerchantID": "1" })],
  ["0653", sale({ "Terminal/ProvUserID": "PROVOOS" })],
  ["0651", sale({ hash: "0".repeat(128) })],
  ["0651", sale({ Version: "v0.01" })],
  ["0652", { ...refund, "Terminal/ProvUserID": "PROVAUT" }],
  ["0652", sale({ "Terminal/ProvUserID": "PROVRFN" })],
  ["0002", sale({ Mode: "LIVE" })],
  ["0002", sale({ "Customer/IPAddress": null })],
  ["0002", { Type: "orderinq", "Customer/IPAddress": "" }],
  ["0002", { Type: "orderinq", "Order/OrderID": "" }],
  ["0122", sale({ Type: "partialvoid" })],
  ["0231", sale({ "Order/OrderID": "o".repeat(33) })],
  ["0001", sale({ "Order/OrderID": "ö" })],
  ["0002", sale({ Amount: "0" })],
  ["0002", sale({ Amount: "12.50" })],
  ["0759", sale({ CurrencyCode: "999" })],
  ["0759", sale({ CurrencyCode: "392" })],
  ["0002", followUp("refund", "1")],
  ["0122", sale({ InstallmentCnt: "1" })],
  ["0122", sale({ InstallmentCnt: "0" })],
  ["0764", sale({ MotoInd: "Y" })],
  ["0763", sale({ CardholderPresentCode: "13" })],
  ["0002", sale({ CardholderPresentCode: null })],
  ["0002", sale({ "Card/Number": null })],
  ["0003", sale({ "Card/ExpireDate": "1330" })],
  ["0099", sale({ "Card/CVV2": "" })],
])("%s for %j", async (code, fields) => {
  await using bank = await startTestBank();
  expect(await bank.code(fields)).toBe(code);
  // The bank knows the yen, and the merchant does not take it.
  expect(await bank.ledger()).toHaveLength(fields["CurrencyCode"] === "392" ? 1 : 0);
});

test("a missing field is named in the cause, and an order without an id gets one", async () => {
  await using bank = await startTestBank();
  const refused = await bank.ask(sale({ Amount: "0" }));
  expect(refused).toMatchObject({ Source: "GVPS", Code: "92", SysErrMsg: "ErrorId: 0002 TxnAmount" });
  expect((await bank.ask(hold({ "Order/OrderID": "" })))["Order/OrderID"]).toMatch(/^SIST[0-9A-F]{32}$/);
});

test("the settings name a fault's variable and no secret", () => {
  const read = (merchants: unknown, modes = "{}") =>
    protocol.readConfig({
      GARANTI_SIMULATOR_LEDGER_FILE: "/tmp/ledger.ndjson",
      GARANTI_SIMULATOR_MERCHANTS: JSON.stringify(merchants),
      GARANTI_SIMULATOR_MODES: modes,
    });
  expect(read([STORE], '{"holdsLapse": true}')).toMatchObject({
    latenessMs: 17_000,
    merchants: [{ ...STORE, options: { installmentsMax: 12 } }],
    modes: { ...defaultModes, holdsLapse: true },
  });
  for (const wrong of [[], [STORE, STORE], [{ ...STORE, terminalId: "1".repeat(10) }]]) {
    expect(() => read(wrong)).toThrow("GARANTI_SIMULATOR_MERCHANTS");
    expect(() => read(wrong)).not.toThrow(/123qweASD|12345678/);
  }
  expect(() => read([STORE], '{"other": 1}')).toThrow("GARANTI_SIMULATOR_MODES");
});
