import { expect, test } from "vitest";
import { createStatementPrinter } from "./print-statements.ts";

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
const NAMES: ReadonlyMap<string, string> = new Map();
const RANGE = { from: "2026-03-11", to: "2026-03-12", ofMerchants: true, names: NAMES };

function printed(items: (typeof STATEMENT)[], range = RANGE): string {
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
  for (const amount of ["0.07", "-0.50", "-99.43", "0.14", "200.00", "-198.86", "12", "-88"])
    expect(page).toContain(`<td class="amount">${amount}</td>`);
  expect(page).toContain("<p>3 statements.");
});

test("a statement that is not final says so, and so does the page", () => {
  const page = printed([STATEMENT, { ...STATEMENT, unpricedLines: 2, complete: false }]);
  expect(page.match(/<strong>not final<\/strong>/g)).toHaveLength(1);
  expect(page).toContain("Lines without a known commission: 2");
  expect(printed([STATEMENT])).not.toContain("not final</strong>");
});

test("of one merchant it names no merchant, and without statements it has no sums", () => {
  const page = printed([STATEMENT], { ...RANGE, ofMerchants: false });
  expect(page).not.toContain(STATEMENT.merchantId);
  expect(printed([])).toContain("<tfoot></tfoot>");
});

test("a merchant is shown by its name: above its own statements, and beside each of several merchants'", () => {
  const names = new Map([[STATEMENT.merchantId, "Ada & Söhne"]]);
  const own = printed([STATEMENT], { ...RANGE, ofMerchants: false, names });
  expect(own).toContain("<h1>Statements of Ada &amp; Söhne</h1>");
  const all = printed([STATEMENT], { ...RANGE, names });
  expect(all).toContain('<td class="id">Ada &amp; Söhne</td>');
  for (const page of [own, all]) expect(page).not.toContain(STATEMENT.merchantId);
});
