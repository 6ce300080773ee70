import type { ListedStatement } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { createStatementPrinter, type PrintedRange } from "./print-statements.ts";

const STATEMENT = {
  merchantId: "0199aaaa-0000-7000-8000-000000000001",
  day: "2026-03-11",
  currency: "TRY",
  salesAmount: 0.07,
  refundsAmount: 100,
  chargebacksAmount: 0,
  adjustmentsAmount: 0,
  commission: -0.5,
  bankFeesAmount: 0,
  netPayableAmount: -99.43,
  lines: 3,
  unpricedLines: 0,
  complete: true,
};
const EN = { language: "en", locale: "en-GB" } as const;
const RANGE: PrintedRange = {
  from: "2026-03-11",
  to: "2026-03-12",
  issuer: undefined,
  locale: EN,
  now: new Date("2026-04-01T06:30:00Z"),
};
const ADA = { merchantId: STATEMENT.merchantId, name: "Ada & Söhne" };

function printed(items: ListedStatement[], range = RANGE): string {
  const printer = createStatementPrinter(range);
  return printer.head + items.map((item) => printer.page([item])).join("") + printer.end();
}

test("what is in a statement is text, whatever it is", () => {
  const page = printed([{ ...STATEMENT, merchantId: "<img src=x onerror=alert(1)>", day: "<b>&" }], {
    ...RANGE,
    to: `"><script>`,
  });
  expect(page).toContain("&lt;img src=x onerror=alert(1)&gt;");
  expect(page).toContain("&lt;b&gt;&amp;");
  expect(page).not.toMatch(/<(img|b|script)[ >]/);
});

test("amounts have their currency's decimals and sign, and each currency its sum", () => {
  const page = printed([
    STATEMENT,
    { ...STATEMENT, day: "2026-03-12" },
    { ...STATEMENT, currency: "JPY", salesAmount: 12, commission: 0, netPayableAmount: -88 },
  ]);
  for (const amount of ["0.07", "−0.50", "−99.43", "0.14", "200.00", "−198.86", "12", "−88"])
    expect(page).toContain(`<td class="amount">${amount}</td>`);
  expect(page).toContain("Days and currencies: 3.");
});

test("a statement that is not final says so, and so does the page", () => {
  const page = printed([STATEMENT, { ...STATEMENT, unpricedLines: 2, complete: false }]);
  expect(page.match(/<strong>not final<\/strong>/g)).toHaveLength(1);
  expect(page).toContain("Lines without a known commission: 2");
  expect(printed([STATEMENT])).not.toContain("not final</strong>");
});

test("without statements it has no sums", () => {
  expect(printed([])).toContain("<tfoot></tfoot>");
});

test("a merchant is shown by its name: above its own statements, and beside each of several merchants'", () => {
  const own = printed([STATEMENT], { ...RANGE, merchant: ADA });
  expect(own).toContain("<dd>Ada &amp; Söhne</dd>");
  expect(own).not.toContain('class="id"');
  const all = printed([{ ...STATEMENT, merchantName: ADA.name }]);
  expect(all).toContain('<td class="id">Ada &amp; Söhne</td>');
  for (const page of [own, all]) expect(page).not.toContain(STATEMENT.merchantId);
});

test("a document names its issuer, its period, when it was printed, and one number however often it is", () => {
  const range = { ...RANGE, merchant: ADA, issuer: "Paycorp <A.Ş.>" };
  const page = printed([STATEMENT], range);
  const facts = [...page.matchAll(/<dd>([^<]*)<\/dd>/g)].map(([, fact]) => fact);
  expect(facts).toEqual([
    "Paycorp &lt;A.Ş.&gt;",
    "Ada &amp; Söhne",
    "20260311-20260312-00000001",
    "11 Mar 2026 to 12 Mar 2026",
    "1 Apr 2026, 06:30 UTC",
  ]);
  expect(printed([], { ...range, now: new Date("2026-05-01T00:00:00Z") })).toContain(facts[2]);
  // A list of several merchants is no document to send.
  expect(printed([STATEMENT])).not.toContain("20260311");
});

test("a Turkish reader gets Turkish words, numbers and days", () => {
  const locale = { language: "tr", locale: "tr-TR" } as const;
  const page = printed([{ ...STATEMENT, salesAmount: 21_232.18 }], { ...RANGE, merchant: ADA, locale });
  for (const text of ['<html lang="tr">', "Hesap özeti", "11 Mar 2026", '<td class="amount">21.232,18</td>'])
    expect(page).toContain(text);
  expect(page).not.toContain("Sales");
});

test("a document has a number of its own for each merchant, mode and currency", () => {
  const test = { ...ADA, merchantId: ADA.merchantId.replace("-7000-", "-8000-") };
  const numberIn = (range: Partial<PrintedRange>) =>
    /20260311-20260312-[-\w]+/.exec(printed([STATEMENT], { ...RANGE, ...range }))?.[0];
  expect([
    numberIn({ merchant: ADA }),
    numberIn({ merchant: ADA, currency: "EUR" }),
    numberIn({ merchant: test }),
  ]).toEqual([
    "20260311-20260312-00000001",
    "20260311-20260312-00000001-EUR",
    "20260311-20260312-00000001-TEST",
  ]);
  expect(printed([STATEMENT], { ...RANGE, merchant: test })).toContain("Test: no money was moved");
  expect(printed([STATEMENT], { ...RANGE, merchant: ADA })).not.toContain("Test: no money was moved");
});
