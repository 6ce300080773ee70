// The three steps of 3-D Secure and the browser's form between them.
import { expect, test } from "vitest";

import { submit } from "../../core/test/test-bank.ts";
import type { Modes } from "./config.ts";
import { macOf, openPacket, signOf } from "./packets.ts";
import {
  authenticate,
  begin,
  codeOf,
  complete,
  gateForm,
  ownMac,
  readAnswer,
  resolve,
  RETURN_URL,
  startTestBank,
  STORE,
  XID,
} from "./test/test-bank.ts";

const { encKey } = STORE;
const isSigned = (fields: Record<string, string>) =>
  fields["Sign"] === signOf(encKey, fields["MerchantPacket"] ?? "", fields["BankPacket"] ?? "");
const opened = (fields: Record<string, string>) =>
  openPacket(encKey, fields["MerchantPacket"] ?? "")?.split(";");
const TDS = `TDS_${XID}`;

test("the first step has the payment and the card in packets under the merchant's own key", async () => {
  await using bank = await startTestBank();
  const { data1 = "", data2 = "", sign, approved, mac } = await bank.ask(begin());
  expect([approved, mac, sign]).toEqual(["1", undefined, signOf(encKey, data1, data2)]);
  expect(openPacket(encKey, data2)).toMatch(/^4000000000003220;3012;000;1795338000000$/);
  expect(data2).toHaveLength(104);
  expect(data1 + data2).not.toContain("4000000000003220");
  expect(await bank.ledger()).toEqual([]);
});

test("a challenge that is answered comes back, is resolved again and again, and pays once", async () => {
  await using bank = await startTestBank();
  const { action, fields } = await authenticate(bank);
  expect(action).toBe(RETURN_URL);
  const plain = { CCPrefix: "400000", TranType: "Sale", Amount: "1250", Xid: XID, MerchantId: STORE.mid };
  expect(fields).toMatchObject(plain);
  expect(Object.keys(fields)).toHaveLength(8);
  expect(isSigned(fields)).toBe(true);
  const packed = [STORE.mid, STORE.tid, "1250", "00", XID, "0", "0", RETURN_URL, "pay.example.test", "443"];
  expect(opened(fields)).toEqual([...packed, "Y", "1", "Authenticated", "1795338000000", "TL"]);
  const payment = { approved: "1", xid: XID, amount: "1250", currency: "TL", installment: "00" };
  const resolved = { ...payment, mdStatus: "1", txStatus: "Y", mac: ownMac("1") };
  for (let times = 0; times < 2; times += 1) expect(await bank.ask(resolve(fields))).toMatchObject(resolved);
  const paid = await bank.ask(complete(fields));
  expect(paid).toMatchObject({ approved: "1", mac: ownMac(paid.hostlogkey ?? ""), inst1: "00" });
  const again = { approved: "2", respCode: "0127", hostlogkey: paid.hostlogkey, mac: paid.mac };
  expect(await bank.ask(complete(fields))).toMatchObject(again);
  expect(await bank.rows(TDS)).toMatchObject([{ orderID: TDS, state: "Sale", hostlogkey: paid.hostlogkey }]);
  expect(await bank.ledger()).toMatchObject([
    { orderId: TDS, pan: "400000******3220", authentication: { mdStatus: "1" } },
    { outcome: "declined" },
  ]);
});

test("a hold in installments, and a decline, which is signed without a name", async () => {
  await using bank = await startTestBank({ modes: { orderPrefix: "TDSC", refusalsNameAnother: true } });
  const changes = { tranType: "Auth", installment: "03" };
  const { fields } = await authenticate(bank, changes);
  await bank.fault("complete", "decline");
  const declined = { approved: "0", respCode: "0005", mac: ownMac("") };
  expect(await bank.ask(complete(fields))).toMatchObject(declined);
  expect(await bank.ask(complete(fields))).toMatchObject({ approved: "1", inst1: "03" });
  expect(await bank.rows(`TDSC${XID}`)).toMatchObject([{ txnStatus: "0" }, { state: "Authorization" }]);
});

test.each([
  ["4000030000000090", "0", "N"],
  ["4000030000000041", "1", "Y"],
  ["4000030000000082", "2", "U"],
  ["4000030000000074", "4", "A"],
  ["4000030000000017", "7", "U"],
])(
  "the card %s has mdStatus %s and txStatus %s, and is charged whatever that is",
  async (ccno, mdStatus, txStatus) => {
    await using bank = await startTestBank();
    const { fields } = await authenticate(bank, { ccno });
    expect(await bank.ask(resolve(fields))).toMatchObject({ mdStatus, txStatus, mac: ownMac(mdStatus) });
    await bank.modes({ checksAuthentication: true });
    const isGood = ["1", "2", "4"].includes(mdStatus);
    if (!isGood) expect(await bank.code(complete(fields))).toBe("0217");
    await bank.modes({ checksAuthentication: false });
    expect(await bank.code(complete(fields))).toBe("ok");
  },
);

test("a cancelled challenge and a wrong code are failures", async () => {
  await using bank = await startTestBank();
  for (const answer of [{ answer: "cancel" }, { code: "1", answer: "submit" }]) {
    const { fields } = await authenticate(bank, {}, answer);
    expect(await bank.ask(resolve(fields))).toMatchObject({ mdStatus: "0", txStatus: "N" });
  }
});

test("calls with a wrong MAC, a wrong Sign, or packets of nobody, of another key and of long ago are refused", async () => {
  await using bank = await startTestBank();
  const { fields } = await authenticate(bank);
  const other = macOf(STORE, XID, "125", "TL");
  expect(await bank.code(resolve(fields, { mac: other }))).toBe("E216");
  expect(await bank.code(complete(fields, { mac: other }))).toBe("E216");
  expect(await bank.code(complete(fields, { mac: "A" }))).toBe("E216");
  expect(await bank.code(resolve(fields, { sign: "0".repeat(32) }))).toBe("0600");
  expect(await bank.code(complete({ ...fields, BankPacket: fields["MerchantPacket"] ?? "" }))).toBe("0600");
  await bank.advance(7_201);
  expect(await bank.code(complete(fields))).toBe("0600");
  expect(await bank.ledger()).toEqual([]);
});

test.each<[Partial<Modes>, object]>([
  [{ mdStatus: "nine" }, { mdStatus: "9", txStatus: "N", mac: ownMac("9") }],
  [{ mdStatus: "empty" }, { mdStatus: "", txStatus: "Y", mac: ownMac("") }],
  [{ macs: "none" }, { mdStatus: "1" }],
])("in the mode %j a resolve has %j", async (modes, expected) => {
  await using bank = await startTestBank({ modes });
  const { fields } = await authenticate(bank);
  const answer = await bank.ask(resolve(fields));
  expect(answer).toMatchObject(expected);
  expect("mac" in answer).toBe(modes.macs !== "none");
});

test("opaque packets are opened and signed by the bank alone, and a payment without a MAC is a payment", async () => {
  await using bank = await startTestBank({ modes: { packets: "opaque", macs: "resolve" } });
  const { fields } = await authenticate(bank);
  expect([opened(fields), isSigned(fields)]).toEqual([undefined, false]);
  expect(await bank.ask(resolve(fields))).toMatchObject({ mac: ownMac("1") });
  const paid = await bank.ask(complete(fields));
  expect([codeOf(paid), paid.mac]).toEqual(["ok", undefined]);
});

test.each([
  ["another digest", { digest: "0".repeat(32) }],
  ["another merchant", { posnetID: "1" }],
  ["a long address", { merchantReturnURL: `${RETURN_URL}?${"x".repeat(255)}` }],
  ["an address of no web", { merchantReturnURL: "javascript:0" }],
  ["another language", { lang: "de" }],
  ["no window", { openANewWindow: "" }],
  ["another packet", { posnetData: "0" }],
])("a form with %s is refused, and leads nowhere", async (_name, changes) => {
  await using bank = await startTestBank();
  const form = gateForm(await bank.ask(begin()), changes);
  const page = await submit(`${bank.url}/3DSWebService/YKBPaymentService`, form);
  expect([page.status, page.action]).toEqual([400, ""]);
});

test("a form is refused two hours after its first step, and in an outage", async () => {
  await using bank = await startTestBank();
  const form = gateForm(await bank.ask(begin()));
  const status = async () => (await submit(`${bank.url}/3DSWebService/YKBPaymentService`, form)).status;
  await bank.modes({ access: "outage" });
  expect(await status()).toBe(503);
  await bank.modes({ access: "open" });
  await bank.advance(7_201);
  expect(await status()).toBe(400);
});

test("faults bend the return: its plain fields, its Sign and its packet", async () => {
  await using bank = await startTestBank();
  const bent = async (behaviour: string) => {
    await bank.fault("enrol", behaviour);
    return (await authenticate(bank)).fields;
  };
  expect(isSigned(await bent("wrong_sign"))).toBe(false);
  expect(await bent("no_sign")).not.toHaveProperty("Sign");
  expect((await bent("other_order"))["Xid"]).toBe(XID.replace(/.$/, "_"));
  expect((await bent("other_account"))["MerchantId"]).toBe("6706598321");
  expect((await bent("wrong_amount"))["Amount"]).toBe("1251");
  const other = await bent("other_packet");
  expect([opened(other)?.[2], other["Amount"], isSigned(other)]).toEqual(["1251", "1250", true]);
  expect(opened(await bent("decline"))?.slice(10, 12)).toEqual(["N", "0"]);
  expect(await bent("error_page")).toEqual({});
});

test("faults bend a resolve: what it says is signed, and is not what was asked", async () => {
  await using bank = await startTestBank();
  const { fields } = await authenticate(bank);
  const bent = async (behaviour: string, call = resolve(fields), operation = "resolve") => {
    await bank.fault(operation, behaviour);
    return readAnswer(await bank.raw(call));
  };
  const dearer = { amount: "1251", mac: macOf(STORE, "1", XID, "1251", "TL") };
  expect(await bent("wrong_amount")).toMatchObject(dearer);
  expect((await bent("other_order")).xid).toBe(XID.replace(/.$/, "_"));
  expect(await bent("contradiction")).toMatchObject({ mdStatus: "1", txStatus: "N", mac: ownMac("1") });
  expect(await bent("no_md_status")).not.toHaveProperty("mdStatus");
  expect((await bent("wrong_mac")).mac).not.toBe(ownMac("1"));
  expect(await bent("no_mac")).not.toHaveProperty("mac");
  expect(codeOf(await bent("unlisted_done"))).toBe("0999");
  expect(codeOf(await bent("system_done", begin(), "begin"))).toBe("E998");
  const paid = await bent("wrong_mac", complete(fields), "complete");
  expect([codeOf(paid), paid.mac === ownMac(paid.hostlogkey ?? "")]).toEqual(["ok", false]);
});
