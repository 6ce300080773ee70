// The document's vectors, the form of requests and answers, and who is let in.
import { expect, test } from "vitest";

import { defaultModes, type Modes } from "./config.ts";
import { protocol } from "./index.ts";
import { macOf, openPacket, packetKey, sealPacket, signOf, terminalHash } from "./packets.ts";
import {
  agreement,
  begin,
  capture,
  codeOf,
  FORM,
  ORDER,
  readAnswer,
  refund,
  requestXml,
  reverse,
  sale,
  startTestBank,
  STORE,
  XID,
  type Call,
} from "./test/test-bank.ts";

const OTHER = { mid: "6797752273", tid: "67537267", encKey: STORE.encKey };
const S1 =
  "01020304050607080FCE61B0A4BD3770BEBD35280EA1E413E1FB60AD7C7F03204D090F096FA52EC9BE07062F94F179741361B6B15493E03F466A092BE2C45B404865B781260C90D4394AB43182D9DA73D13352613BC85D51B57915F56863834946A828C232230BA9DBAD5ADBE4A9E6DD4990F7918F0A9123FB891723D8535EBE2DCD7207E341378DEF2D7E5E05170825EA0C8EE7";
const S2 = "11121314151617185F697F99BBE252112BDFD783";
const OPENED = `6706598320;67005551;125000;03;${XID};0;0;https://bank.example/s;bank.example;2225;Y;1;Authenticated;1767323045678;TL`;
const seal = (text: string, vector: string) => sealPacket(STORE.encKey, text, Buffer.from(vector, "hex"));

const own = (...values: string[]) => macOf(STORE, ...values);
const other = (...values: string[]) => macOf(OTHER, ...values);

test.each([
  ["first", terminalHash(STORE), "c1PPl+2UcdixyhgLYnf4VfJyFGaNQNOwE0uMkci7Uag="],
  ["M1", own("YKB_TST_190620093100_024", "175", "TL"), "J/7/Xprj7F/KDf98luVfIGyUPRQzUCqGwpmvz3KT7oQ="],
  ["M2", own("000000002020110828BC", "10001", "TL"), "oE7zwV87uOc2DFpGPlr4jQRQ0z9LsxGw56c7vaiZkTo="],
  ["M3", own(XID, "125000", "TL"), "oKA1y7ka9rJlySDv4a4SzS/9B8s0c+QXKemL9dnSW/Q="],
  ["N1", own("6", "0000ANDL260810071759", "100", "TL"), "Y1cm0mvPdJzIGpXUm6f4NOoLLwNLAwIl2VBIADThvmI="],
  ["N2", own("9", "00000000000000000895", "100", "TL"), "7I9ojRm7yzvZZTFNOYWocGIGSTv2Vmq23STR6X6X+c0="],
  ["N3", other("9", "12345678901234567890", "10000", "TL"), "u08ENxSy/9Bi04MJ2IgbUWfg/LalRlGXjcLl7X0b+dg="],
  ["N4", own("1", XID, "125000", "TL"), "aO5E6PbLwk5dsYvTZ0iCVjzVtMCyS5dNNP2GU7wNTek="],
  ["Q1", own("021450428990000191", XID, "125000", "TL"), "ojsM30gPfiIL4xMwk6tvoAUx13W1MVerMLHBgxWMY+U="],
  ["Q1 refused", own("", XID, "125000", "TL"), "gwO2i8flzzCUU8S6p5KvbBacDOt8VC0keREEXUuS2Z0="],
  ["key", packetKey(STORE.encKey), "A29EA51EE8835738CF4F0533"],
  ["S1", seal(OPENED, "0102030405060708"), S1],
  ["S2", seal("opaque", "1112131415161718"), S2],
  ["Sign", signOf(STORE.encKey, S1, S2), "FC7A2DECFB6603FD76D3174685957B02"],
  ["S1 opened", openPacket(STORE.encKey, S1), OPENED],
  ["with another key", openPacket("another", S1), undefined],
  ["with another checksum", openPacket(STORE.encKey, S1.replace(/.$/, "0")), undefined],
])("vector %s", (_name, computed, expected) => {
  expect(computed).toBe(expected);
});

test("an approval has its names and its time, and neither amount nor currency nor order", async () => {
  await using bank = await startTestBank();
  const text = await bank.raw(sale());
  expect(text).toMatch(/^<\?xml version="1.0" encoding="iso-8859-9"\?><posnetResponse><approved>1</);
  const names = { hostlogkey: "000000000010000191", authCode: expect.stringMatching(/^\d{6}$/) };
  const block = { inst1: "00", amnt1: "000000000000", point: "00000000" };
  const expected = { respCode: "", respText: "", tranDate: "261122120000", ...names, ...block };
  expect(readAnswer(text)).toMatchObject(expected);
  expect(text).not.toMatch(new RegExp(`1250|>TL<|${ORDER}|4506344103118942|<mac>`));
  const parts = await bank.ask(sale({ installment: "03", orderID: XID.padStart(24, "0") }));
  expect(parts).toMatchObject({ inst1: "03", amnt1: "000000000416" });
  const undated = readAnswer(await bank.raw(refund(parts.hostlogkey), { tranDateRequired: null }));
  expect([codeOf(undated), undated.tranDate, undated.inst1, undated.point]).toEqual([
    "ok",
    undefined,
    undefined,
    undefined,
  ]);
});

test("a refusal ends its padded text with the code", async () => {
  await using bank = await startTestBank();
  const text = await bank.raw(sale({ cvc: "082" }));
  expect(text).toMatch(/<approved>0<.*<respCode>0082<.*<respText>ISLEM YAPILAMADI 0082 +</);
  expect(readAnswer(text)).not.toHaveProperty("hostlogkey");
});

test("a document comes in its field of a form alone", async () => {
  await using bank = await startTestBank();
  const xml = requestXml(sale());
  const form = String(new URLSearchParams({ xmldata: xml }));
  const codes = [
    [xml, "text/xml"],
    [form, "text/plain"],
    ["", FORM],
    [String(new URLSearchParams({ xmldata: "<posnetRequest>" })), FORM],
    [String(new URLSearchParams({ xmldata: `<!DOCTYPE a>${xml}` })), FORM],
    [String(new URLSearchParams({ xmldata: xml.replaceAll("posnetRequest", "other") })), FORM],
  ].map(async ([body = "", type = ""]) => {
    const response = await bank.postTo(body, { "content-type": type });
    return readAnswer(await response.text()).respCode;
  });
  expect(new Set(await Promise.all(codes))).toEqual(new Set(["0002"]));
  expect((await bank.postTo("x".repeat(20_000), { "content-type": FORM })).status).toBe(413);
  expect(await bank.ledger()).toEqual([]);
});

const key = "000000000010000191";
test.each<[string, Call]>([
  ["0002", ["oosRequestDat", {}]],
  ["0002", sale({ Amount: "1" })],
  ["0002", sale({ amount: "0" })],
  ["0002", sale({ amount: "12,50" })],
  ["0002", sale({ amount: "10000000" })],
  ["0002", sale({ installment: "01" })],
  ["0002", sale({ ccno: "4506 3441 0311 8942" })],
  ["E190", sale({ currencyCode: "949" })],
  ["0150", sale({ orderID: XID })],
  ["0150", sale({ orderID: "8f1c2a3b-4d5e-6f70-8192-" })],
  ["0150", sale({ expDate: "1230" })],
  ["0150", sale({ cvc: "" })],
  ["0002", capture(key, { orderID: ORDER })],
  ["0002", capture("")],
  ["0002", refund("")],
  ["0002", refund(key, "1", { orderID: ORDER })],
  ["0002", reverse("pointUsage", key)],
  ["0150", agreement(XID)],
  ["E189", begin({ XID: `${XID}0` })],
  ["0002", begin({ tranType: "SaleWP" })],
  ["0148", begin({ posnetid: "1" })],
])("%s for %j", async (code, call) => {
  await using bank = await startTestBank();
  expect(await bank.code(call)).toBe(code);
  expect(await bank.ledger()).toEqual([]);
});

test.each<[string, Partial<Modes>, object, object]>([
  ["0148", {}, { tid: "67005552" }, {}],
  ["0148", {}, { mid: "6706598321" }, {}],
  ["0320", {}, { mid: "1" }, {}],
  ["0321", {}, { tid: "1" }, {}],
  ["0148", {}, {}, { addresses: ["203.0.113.7"] }],
  ["0148", { access: "wrong_address" }, {}, {}],
  ["0003", { access: "older_refusal" }, {}, {}],
  ["0129", { access: "blocked" }, {}, {}],
])("%s in %j for the caller %j with %j", async (code, modes, head, options) => {
  await using bank = await startTestBank({ modes, options });
  const answer = readAnswer(await bank.raw(sale(), { ...head }));
  expect(codeOf(answer)).toBe(code);
  if (["0148", "0003"].includes(code)) expect(answer.yourIP).toBe("127.0.0.1");
  expect(await bank.ledger()).toEqual([]);
});

test("a caller at a registered address is known, the firewall answers with a page, an outage with 503", async () => {
  await using bank = await startTestBank({ options: { addresses: ["127.0.0.1"] } });
  expect(await bank.code(sale())).toBe("ok");
  await bank.modes({ access: "firewall" });
  expect(await bank.raw(sale())).toContain("The requested URL was rejected");
  await bank.modes({ access: "outage" });
  expect((await bank.postTo("", {})).status).toBe(503);
});

test("modes of the document: its encoding, comments, padded values, another case and texts of success", async () => {
  await using bank = await startTestBank({ modes: { access: "wrong_address" } });
  const bytes = async () => {
    const body = String(new URLSearchParams({ xmldata: requestXml(sale()) }));
    return Buffer.from(await (await bank.postTo(body, { "content-type": FORM })).arrayBuffer());
  };
  expect((await bytes()).toString("utf8")).toMatch(/encoding="iso-8859-9".*Hatalı/);
  await bank.modes({ encoding: "iso-8859-9" });
  expect((await bytes()).toString("latin1")).toContain("Hatal\u00FD");
  await bank.modes({ encoding: "utf-16" });
  expect((await bytes()).toString("utf8")).toMatch(/encoding="utf-16".*Hatalı/);
  const odd = { comments: true, paddedValues: true, hostLogKeyCase: true, successText: "00" };
  await bank.modes({ access: "open", ...odd });
  const text = (await bytes()).toString("utf8");
  expect(text).toMatch(/<!--.*<approved>1 +<.*<respText>00<.*<hostLogKey>\d{18} +<.*<authCode>\d{6} +</);
});

test("the settings name a fault's variable and no secret", () => {
  const read = (merchants: unknown, modes = "{}") =>
    protocol.readConfig({
      POSNET_SIMULATOR_LEDGER_FILE: "/tmp/ledger.ndjson",
      POSNET_SIMULATOR_MERCHANTS: JSON.stringify(merchants),
      POSNET_SIMULATOR_MODES: modes,
    });
  expect(read([STORE], '{"captureName": "hold"}')).toMatchObject({
    latenessMs: 17_000,
    merchants: [{ ...STORE, options: { installmentsMax: 9 } }],
    modes: { ...defaultModes, captureName: "hold" },
  });
  for (const wrong of [[], [STORE, STORE], [{ ...STORE, tid: "1" }]]) {
    expect(() => read(wrong)).toThrow("POSNET_SIMULATOR_MERCHANTS");
    expect(() => read(wrong)).not.toThrow(/10,10/);
  }
  expect(() => read([STORE], '{"other": 1}')).toThrow("POSNET_SIMULATOR_MODES");
});
