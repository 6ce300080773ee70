import { expect, test } from "vitest";

import { auth, CLIENT_ID, other, preAuth, startTestBank, type TestBank } from "./test/test-bank.ts";

const credit = (Total: string) => ({ Type: "Credit", OrderId: "o", Total });

test("each day's end leaves a statement of the day's sales, captures and voids", async () => {
  await using bank = await startTestBank();
  const sold = await bank.ask(auth("sale"));
  await bank.ask(preAuth("held"));
  await bank.ask(preAuth("released"));
  await bank.ask({ Type: "Void", OrderId: "released" });
  await bank.ask(preAuth("captured"));
  await bank.ask({ Type: "PostAuth", OrderId: "captured", Total: "10" });
  await bank.ask(auth("voided"));
  await bank.ask({ Type: "Void", OrderId: "voided" });
  await bank.ask(auth("declined", { Cvv2Val: "082" }));
  await bank.endDay();
  const [header = [], first, ...others] = await statement(bank, 1);
  expect(header.map((name, index) => `${name}: ${first?.[index]}`)).toEqual([
    `İşyeri No: ${CLIENT_ID}`,
    "Terminal No: 00990001",
    "Gün Sonu No: 1",
    "İşlem Tarihi: 22.11.2026",
    "İşlem Saati: 12:00:00",
    "Valör Tarihi: 23.11.2026",
    "Kart No: 435508******4358",
    "Kart Tipi: Yurtiçi Visa",
    "İşlem Tipi: Satış",
    "Taksit No: 1",
    "Taksit Sayısı: 1",
    "Para Birimi: TRY",
    "Brüt Tutar: 12,50",
    "Komisyon Oranı: 1,99",
    "Komisyon Tutarı: 0,25",
    "Puan Katkısı: 0,00",
    "Hizmet Bedeli: 0,00",
    "Net Tutar: 12,25",
    "Bloke Çözüm Tarihi: 23.11.2026",
    `Provizyon No: ${sold.AuthCode}`,
    `RRN: ${sold.HostRefNum}`,
    "Sipariş No: sale",
    `İşlem No: ${sold.TransId}`,
  ]);
  expect(others.map((cells) => [cells[21], cells[8], cells[12], cells[17]])).toEqual([
    ["captured", "Satış", "10,00", "9,80"],
    ["voided", "Satış", "12,50", "12,25"],
    ["voided", "İptal", "-12,50", "-12,25"],
    ["", "", "22,50", "22,05"],
  ]);
  const totals = ["TOPLAM", "4", "", "22.11.2026"];
  expect(others.at(-1)?.slice(0, 4)).toEqual(totals);
  expect(others.at(-1)?.[14]).toBe("0,45");
});

test("refunds go from the merchant and voided refunds come back", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.endDay();
  await bank.ask(credit("2.50"));
  await bank.ask({ Type: "Void", OrderId: "o" });
  await bank.ask(credit("1"));
  await bank.endDay();
  const [, ...lines] = await statement(bank, 2);
  expect(lines.map((cells) => [cells[8], cells[12], cells[17]])).toEqual([
    ["İade", "-2,50", "-2,45"],
    ["İptal", "2,50", "2,45"],
    ["İade", "-1,00", "-0,98"],
    ["", "-1,00", "-0,98"],
  ]);
});

test("a sale in installments is paid out month by month, or in one sum where the bank does so", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o", { Taksit: "3", Total: "100.00" }));
  await bank.endDay();
  const [, ...monthly] = await statement(bank, 1);
  expect(monthly.map((cells) => [cells[8], cells[9], cells[10], cells[12], cells[5]])).toEqual([
    ["Taksitli Satış", "1", "3", "33,34", "23.11.2026"],
    ["Taksitli Satış", "2", "3", "33,33", "23.12.2026"],
    ["Taksitli Satış", "3", "3", "33,33", "22.01.2027"],
    ["", "", "", "100,00", ""],
  ]);
  await bank.modes({ installmentPayout: "lump_sum" });
  await bank.ask(auth("p", { Taksit: "3", Total: "100.00" }));
  await bank.endDay();
  const [, ...once] = await statement(bank, 2);
  expect(once.map((cells) => [cells[10], cells[12]])).toEqual([
    ["1", "100,00"],
    ["", "100,00"],
  ]);
});

test("an order id with a semicolon or a quote stays in its cell", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth('a;"b'));
  await bank.endDay();
  const lines = await statement(bank, 1);
  expect(lines[1]?.join(";")).toContain(';"a;""b";');
});

test("each merchant has a statement of its own, in the order of the days", async () => {
  await using bank = await startTestBank({ isShared: true });
  await bank.ask(auth("mine"));
  await bank.ask({ ...auth("theirs"), ...other });
  await bank.endDay();
  await bank.advance(86_400);
  await bank.endDay();
  expect(await (await fetch(`${bank.url}/settlements`)).json()).toEqual({
    settlements: [
      "ekstre-990000001-000001-20261122.csv",
      "ekstre-990000002-000001-20261122.csv",
      "ekstre-990000001-000002-20261123.csv",
      "ekstre-990000002-000002-20261123.csv",
    ],
  });
  const [, mine] = await statement(bank, 1);
  const [, theirs] = await statement(bank, 1, other.ClientId);
  expect([mine?.[21], theirs?.[21]]).toEqual(["mine", "theirs"]);
});

/** The cells of a statement of 22 November, decoded as the answer says. */
async function statement(bank: TestBank, day: number, clientId = CLIENT_ID): Promise<string[][]> {
  const response = await fetch(`${bank.url}/settlements/ekstre-${clientId}-00000${day}-20261122.csv`);
  expect(response.headers.get("content-type")).toBe("text/csv; charset=ISO-8859-9");
  const text = new TextDecoder("iso-8859-9").decode(await response.arrayBuffer());
  return text
    .split("\r\n")
    .slice(0, -1)
    .map((line) => line.split(";"));
}
