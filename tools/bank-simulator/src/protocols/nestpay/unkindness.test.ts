// The unkindnesses of every bank, and those that a protocol of this kind adds.
import { expect, test } from "vitest";

import { readPage, submit } from "../../core/test/test-bank.ts";
import { auth, CLIENT_ID, NOON, preAuth, startTestBank, STORE_KEY } from "./test/test-bank.ts";
import { gateForm } from "./test/test-browser.ts";
import { ver3Hash, type Parameter } from "./ver3-hash.ts";
import { encodeIso88599 } from "../../core/index.ts";

const credit = (Total: string) => ({ Type: "Credit", OrderId: "o", Total });

test("a clock that is off, or of another zone, is in every time of the history and of the answer", async () => {
  await using bank = await startTestBank();
  await bank.modes({ clockOffsetSeconds: -180, zone: "Europe/Belgrade" });
  const sold = await bank.ask(auth("o"));
  expect([sold["Extra/TRXDATE"], sold["Extra/HOSTDATE"]]).toEqual(["20261122 09:57:00", "1122-095700"]);
  expect((await bank.history("o"))[0]?.[4]).toBe("2026-11-22 09:57:00.000");
  expect((await bank.ledger())[0]?.at).toBe(new Date(NOON).toISOString());
});

test("a second equal movement in the duplicate window has the first one's name and no effect", async () => {
  let nowMs = NOON;
  await using bank = await startTestBank({ modes: { sameDayCredit: true }, machineNow: () => nowMs });
  await bank.modes({ duplicateWindowSeconds: 60 });
  const sold = await bank.ask(auth("o"));
  expect((await bank.ask(auth("o"))).TransId).toBe(sold.TransId);
  const first = await bank.ask(credit("2"));
  expect(await bank.ask(credit("2"))).toMatchObject({ Response: "Approved", TransId: first.TransId });
  expect((await bank.ask(credit("3"))).TransId).not.toBe(first.TransId);
  nowMs += 60_000;
  const second = await bank.ask(credit("2"));
  expect(second.Response).toBe("Approved");
  expect(second.TransId).not.toBe(first.TransId);
  expect((await bank.ledger()).map(({ operation }) => operation)).toEqual([
    "sale",
    "refund",
    "refund",
    "refund",
  ]);
});

test("a window over card and amount takes another order's charge or refund for a copy, under its own order id", async () => {
  await using bank = await startTestBank({ modes: { sameDayCredit: true } });
  const sold = [await bank.ask(auth("o")), await bank.ask(auth("p"))];
  expect(sold[1]?.TransId).not.toBe(sold[0]?.TransId);
  await bank.modes({ duplicateWindowSeconds: 60, duplicateWindowOf: "card" });
  const copy = await bank.ask(auth("q"));
  expect(copy).toMatchObject({ Response: "Approved", OrderId: "q", TransId: sold[0]?.TransId });
  expect((await bank.ask(auth("r", { Total: "3" }))).TransId).not.toBe(sold[0]?.TransId);
  const other = await bank.ask(auth("s", { Number: "5406675406675403" }));
  expect(sold.map(({ TransId }) => TransId)).not.toContain(other.TransId);
  const first = await bank.ask(credit("2"));
  expect(await bank.ask({ ...credit("2"), OrderId: "p" })).toMatchObject({
    OrderId: "p",
    TransId: first.TransId,
  });
  expect((await bank.ledger()).map(({ operation, orderId }) => `${operation} ${orderId}`)).toEqual([
    "sale o",
    "sale p",
    "sale r",
    "sale s",
    "refund o",
  ]);
});

test("a history that lags shows each movement when it is old enough, and judges by all of them", async () => {
  let nowMs = NOON;
  await using bank = await startTestBank({ machineNow: () => nowMs });
  await bank.modes({ historyLagSeconds: 60 });
  const shown = async () => (await bank.history("o")).map((row) => row.slice(0, 4).join(" "));
  await bank.ask(preAuth("o"));
  expect(await shown()).toEqual([]);
  expect((await bank.status("o"))["Extra/TRANS_STAT"]).toBeUndefined();
  nowMs += 30_000;
  const captured = await bank.ask({ Type: "PostAuth", OrderId: "o", Total: "10" });
  expect(captured.Response).toBe("Approved");
  nowMs += 30_000;
  expect(await shown()).toEqual(["S A 1250 "]);
  nowMs += 30_000;
  expect(await shown()).toEqual(["S C 1000 1000"]);
  await bank.ask({ Type: "Void", OrderId: "o", TransId: captured.TransId! });
  expect(await shown()).toEqual(["S C 1000 1000"]);
  nowMs += 60_000;
  expect((await shown())[0]).toMatch(/^S V/);
});

test("a payment that is carried out twice stands twice in its order, and one name is answered", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "twice");
  const sold = await bank.ask(auth("o"));
  const rows = await bank.history("o");
  expect(rows.map((row) => row.slice(0, 4).join(" "))).toEqual(["S C 1250 1250", "S C 1250 1250"]);
  expect(rows.map((row) => row.at(-1)).filter((name) => name === sold.TransId)).toHaveLength(1);
  await bank.fault("sale", "twice");
  await bank.ask(auth("declined", { Cvv2Val: "082" }));
  expect(await bank.history("declined")).toHaveLength(1);
});

test("in the panel a person voids one of two that stand, and the ledger says who made which", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "twice");
  await bank.ask(auth("o"));
  const [, second] = await bank.ledger();
  const voidOf = async (name: string) =>
    (await bank.call("POST", "/panel/voids", { order: "o", name })).status;
  expect([await voidOf(second!.transactionId), await voidOf("none")]).toEqual([200, 409]);
  expect(
    (await bank.ledger()).map(({ operation, outcome, uncalled }) => [operation, outcome, uncalled]),
  ).toEqual([
    ["sale", "approved", undefined],
    ["sale", "approved", "again"],
    ["void", "approved", "panel"],
    ["void", "declined", "panel"],
  ]);
  expect((await bank.history("o")).map((row) => row.slice(0, 2).join(" "))).toEqual(["S V", "S C"]);
});

test("a capture may take a part, which only an inquiry shows", async () => {
  await using bank = await startTestBank();
  await bank.ask(preAuth("o"));
  await bank.fault("capture", "partial");
  expect((await bank.ask({ Type: "PostAuth", OrderId: "o", Total: "10" })).Response).toBe("Approved");
  expect((await bank.history("o"))[0]?.slice(0, 4)).toEqual(["S", "C", "500", "500"]);
});

test("a refund in the panel is a row like any other, within the bank's rules", async () => {
  await using bank = await startTestBank({ modes: { sameDayCredit: true } });
  await bank.ask(auth("o"));
  const refund = async (amountMinor: number) =>
    (await bank.call("POST", "/panel/refunds", { order: "o", amountMinor })).status;
  expect(await refund(250)).toBe(200);
  expect(await refund(1_001)).toBe(409);
  expect((await bank.history("o")).map((row) => row.slice(0, 3))).toEqual([
    ["C", "D", "1001"],
    ["C", "C", "250"],
    ["S", "C", "1250"],
  ]);
});

test("a statement may have padded amounts, counts of two digits, and dashes", async () => {
  await using bank = await startTestBank();
  await bank.modes({ cells: "odd" });
  await bank.ask(auth("o"));
  await bank.ask(auth("parts", { Taksit: "3" }));
  await bank.ask({ Type: "Void", OrderId: "o" });
  await bank.endDay();
  const rows = await statement(bank, 1);
  const cells = (name: string) => rows.slice(1).map((row) => row[rows[0]!.indexOf(name)]);
  expect(cells("Brüt Tutar").slice(0, 2)).toEqual(["000000000000012,50", "000000000000004,18"]);
  expect(cells("Brüt Tutar").at(-2)).toBe("-000000000000012,50");
  expect(cells("Taksit No").slice(0, 4)).toEqual(["00", "01", "02", "03"]);
  expect(cells("Taksit Sayısı").slice(0, 4)).toEqual(["00", "03", "03", "03"]);
  expect(cells("Provizyon No")[0]).toBe("-");
});

test("chargebacks and their reversals are lines of the payment on the day on which they come", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.endDay();
  for (const kind of ["chargeback", "reversal", "chargeback"]) {
    await bank.call("POST", "/disputes", { order: "o", amountMinor: 1_250, kind });
    await bank.endDay();
  }
  const [header = [], ...lines] = await statement(bank, 2);
  const again = await statement(bank, 4);
  const named = (row: string[] = []) => Object.fromEntries(header.map((name, index) => [name, row[index]]));
  expect(named(lines[0])).toMatchObject({
    "İşlem Tipi": "Harcama İtirazı",
    "Brüt Tutar": "-12,50",
    "Sipariş No": "o",
    "Gün Sonu No": "2",
  });
  expect(named((await statement(bank, 3))[1])).toMatchObject({
    "İşlem Tipi": "Harcama İtirazı İadesi",
    "Brüt Tutar": "12,50",
  });
  expect(again[1]?.toSpliced(2, 1)).toEqual(lines[0]?.toSpliced(2, 1));
  expect(await (await fetch(`${bank.url}/payouts`)).text()).toMatch(/12\.25.*CRDT.*>1<[^]*12\.50.*DBIT.*>2</);
});

test("a return may have unsigned fields, and be hashed and posted in ISO-8859-9", async () => {
  const merchantName = "ÇİĞKÖFTE ŞUBESİ";
  await using bank = await startTestBank({ options: { merchantName } });
  await bank.modes({ unsignedReturnFields: true, returnCharset: "iso-8859-9", hashCharset: "iso-8859-9" });
  const { html, fields } = await submit(`${bank.url}/fim/est3Dgate`, gateForm({ pan: "4000000000003055" }));
  expect(html).toContain('accept-charset="iso-8859-9"');
  expect(readPage(html).fields).toMatchObject({
    merchantName,
    NATIONALIDNO: "",
    countdown: "5",
    bankCampaignCode: "B17",
  });
  const unsigned = new Set(["NATIONALIDNO", "countdown", "bankCampaignCode"]);
  const signed: Parameter[] = Object.entries(fields).filter(([name]) => !unsigned.has(name));
  expect(fields["HASH"]).toBe(ver3Hash(signed, STORE_KEY, encodeIso88599));
  expect(fields["HASH"]).not.toBe(ver3Hash(signed, STORE_KEY));
});

async function statement(bank: Pick<Awaited<ReturnType<typeof startTestBank>>, "url">, day: number) {
  const name = `ekstre-${CLIENT_ID}-${String(day).padStart(6, "0")}-20261122.csv`;
  const file = await fetch(`${bank.url}/settlements/${name}`);
  const text = new TextDecoder("iso-8859-9").decode(await file.arrayBuffer());
  return text
    .trim()
    .split("\r\n")
    .map((line) => line.split(";"));
}
