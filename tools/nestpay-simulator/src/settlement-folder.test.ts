import { readFile, rm, writeFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { auth, CLIENT_ID, preAuth, startTestBank, type TestBank } from "../test/test-bank.ts";
import { merchantsSchema } from "./merchants.ts";

const NAME = `ekstre-${CLIENT_ID}-000001-20261122.csv`;

test("each day's end leaves a statement of the day's sales, refunds and voids", async () => {
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
  const lines = await statement(bank, NAME);
  expect(lines.map((line) => [line["Sipariş No"], line["İşlem Tipi"], line["Brüt Tutar"]])).toEqual([
    ["sale", "Satış", "12,50"],
    ["captured", "Satış", "10,00"],
    ["voided", "Satış", "12,50"],
    ["voided", "İptal", "-12,50"],
    ["", "", "22,50"],
  ]);
  expect(lines[0]).toEqual({
    "İşyeri No": CLIENT_ID,
    "Terminal No": "00990001",
    "Gün Sonu No": "1",
    "İşlem Tarihi": "22.11.2026",
    "İşlem Saati": "12:00:00",
    "Valör Tarihi": "23.11.2026",
    "Kart No": "435508******4358",
    "Kart Tipi": "Yurtiçi Visa",
    "İşlem Tipi": "Satış",
    "Taksit No": "1",
    "Taksit Sayısı": "1",
    "Para Birimi": "TRY",
    "Brüt Tutar": "12,50",
    "Komisyon Oranı": "1,99",
    "Komisyon Tutarı": "0,25",
    "Puan Katkısı": "0,00",
    "Hizmet Bedeli": "0,00",
    "Net Tutar": "12,25",
    "Bloke Çözüm Tarihi": "23.11.2026",
    "Provizyon No": sold.AuthCode,
    RRN: sold.HostRefNum,
    "Sipariş No": "sale",
    "İşlem No": sold.TransId,
  });
  expect(lines.at(-1)).toMatchObject({
    "İşyeri No": "TOPLAM",
    "Terminal No": "4",
    "Brüt Tutar": "22,50",
    "Komisyon Tutarı": "0,45",
    "Net Tutar": "22,05",
  });
});

test("refunds go from the merchant and voided refunds come back", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.endDay();
  await bank.ask({ Type: "Credit", OrderId: "o", Total: "2.50" });
  await bank.ask({ Type: "Void", OrderId: "o" });
  await bank.ask({ Type: "Credit", OrderId: "o", Total: "1" });
  await bank.endDay();
  const lines = await statement(bank, `ekstre-${CLIENT_ID}-000002-20261122.csv`);
  expect(lines.map((line) => [line["İşlem Tipi"], line["Brüt Tutar"], line["Net Tutar"]])).toEqual([
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
  const monthly = await statement(bank, NAME);
  expect(
    monthly.map((line) => [
      line["Taksit No"],
      line["Taksit Sayısı"],
      line["Brüt Tutar"],
      line["Valör Tarihi"],
    ]),
  ).toEqual([
    ["1", "3", "33,34", "23.11.2026"],
    ["2", "3", "33,33", "23.12.2026"],
    ["3", "3", "33,33", "22.01.2027"],
    ["", "", "100,00", ""],
  ]);
  expect(monthly[0]?.["İşlem Tipi"]).toBe("Taksitli Satış");
  await bank.modes({ installmentPayout: "lump_sum" });
  await bank.ask(auth("p", { Taksit: "3", Total: "100.00" }));
  await bank.endDay();
  expect(await statement(bank, `ekstre-${CLIENT_ID}-000002-20261122.csv`)).toMatchObject([
    { "Taksit Sayısı": "1", "Brüt Tutar": "100,00" },
    { "İşyeri No": "TOPLAM" },
  ]);
});

test("an order id with a semicolon or a quote stays in its cell", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth('a;"b'));
  await bank.endDay();
  expect(await (await fetch(`${bank.url}/settlements/${NAME}`)).text()).toContain(';"a;""b";');
});

test("each merchant has a statement of its own, in the order of the days", async () => {
  const other = { ClientId: "990000002", Name: "apiuser", Password: "other" };
  const merchants = merchantsSchema.parse([
    { clientId: CLIENT_ID, name: "apiuser", password: "s3cret-pass", storeKey: "a" },
    { clientId: other.ClientId, name: other.Name, password: other.Password, storeKey: "b" },
  ]);
  await using bank = await startTestBank({ merchants });
  expect((await bank.control("GET", "/settlements")).body).toEqual({ settlements: [] });
  await bank.ask(auth("mine"));
  await bank.ask({ ...auth("theirs"), ...other });
  await bank.endDay();
  await bank.advance(86_400);
  await bank.endDay();
  const theirs = `ekstre-${other.ClientId}-000001-20261122.csv`;
  expect((await bank.control("GET", "/settlements")).body).toEqual({
    settlements: [
      NAME,
      theirs,
      `ekstre-${CLIENT_ID}-000002-20261123.csv`,
      `ekstre-${other.ClientId}-000002-20261123.csv`,
    ],
  });
  expect((await statement(bank, NAME))[0]?.["Sipariş No"]).toBe("mine");
  expect((await statement(bank, theirs)).map((line) => line["Sipariş No"])).toEqual(["theirs", ""]);
});

test("a statement that a crash has kept from being written is written at the next start, as it would have been", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.endDay();
  const path = `${bank.ledgerFile}.settlement/${NAME}`;
  const before = await readFile(path);
  await bank.ask(auth("next-day"));
  await rm(path);
  await bank.restart();
  expect((await readFile(path)).equals(before)).toBe(true);
});

test("a statement that is there is not written again", async () => {
  await using bank = await startTestBank();
  await bank.modes({ installmentPayout: "lump_sum" });
  await bank.ask(auth("o", { Taksit: "3" }));
  await bank.endDay();
  const before = await statement(bank, NAME);
  await bank.restart();
  expect(await statement(bank, NAME)).toEqual(before);
});

test.each(["..%2Fledger.ndjson", "ledger.ndjson", `ekstre-${CLIENT_ID}-000009-20261122.csv`])(
  "there is no statement %s",
  async (name) => {
    await using bank = await startTestBank();
    expect((await bank.control("GET", `/settlements/${name}`)).status).toBe(404);
  },
);

test("the newest thousand statements are listed, and other files are none", async () => {
  await using bank = await startTestBank();
  await bank.endDay();
  const folder = `${bank.ledgerFile}.settlement`;
  await writeFile(`${folder}/other.csv`, "");
  const later = Array.from(
    { length: 1_000 },
    (_, n) => `ekstre-1-${String(n + 2).padStart(6, "0")}-20261123.csv`,
  );
  await Promise.all(later.map((name) => writeFile(`${folder}/${name}`, "")));
  expect((await bank.control("GET", "/settlements")).body).toEqual({ settlements: later });
  expect((await bank.control("GET", "/settlements/other.csv")).status).toBe(404);
});

test("GET /business-day answers when the last day ended, after a restart, too", async () => {
  await using bank = await startTestBank();
  expect((await bank.control("GET", "/business-day")).body).toEqual({ closedAt: null });
  await bank.endDay();
  const closed = { closedAt: "2026-11-22T09:00:00.000Z" };
  expect((await bank.control("GET", "/business-day")).body).toEqual(closed);
  await bank.restart();
  expect((await bank.control("GET", "/business-day")).body).toEqual(closed);
});

test("what is judged while days end belongs to one of them, in memory and after a restart", async () => {
  await using bank = await startTestBank();
  const orders = Array.from({ length: 40 }, (_, index) => `o-${index}`);
  await Promise.all(
    orders.map(async (order, index) => {
      await bank.ask(auth(order));
      if (index % 8 === 0) await bank.endDay();
    }),
  );
  const batches = () =>
    Promise.all(orders.map(async (order) => (await bank.status(order))["Extra/SETTLEID"]));
  const before = await batches();
  await bank.restart();
  expect(await batches()).toEqual(before);
  await bank.endDay();
  const { body } = await bank.control("GET", "/settlements");
  const shown: (string | undefined)[] = [];
  for (const name of (body as { settlements: string[] }).settlements) {
    shown.push(...(await statement(bank, name)).slice(0, -1).map((line) => line["Sipariş No"]));
  }
  expect(shown.toSorted()).toEqual(orders.toSorted());
});

test("a ledger that lacks the lines before a day's end is refused", async () => {
  await using bank = await startTestBank();
  await bank.ask(auth("o"));
  await bank.endDay();
  await rm(bank.ledgerFile);
  await expect(bank.restart()).rejects.toMatchObject({ code: "ledger_corrupt" });
});

/** The lines of a statement by the names of its header, decoded as the answer says. */
async function statement(bank: TestBank, name: string): Promise<Record<string, string>[]> {
  const response = await fetch(`${bank.url}/settlements/${name}`);
  expect(response.headers.get("content-type")).toBe("text/csv; charset=ISO-8859-9");
  const text = new TextDecoder("iso-8859-9").decode(await response.arrayBuffer());
  const [header = [], ...lines] = text
    .split("\r\n")
    .slice(0, -1)
    .map((line) => line.split(";"));
  return lines.map((cells) => Object.fromEntries(header.map((title, index) => [title, cells[index] ?? ""])));
}
