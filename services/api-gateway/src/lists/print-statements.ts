import { createHash } from "node:crypto";
import {
  currencyExponent,
  formatAmount,
  isLive,
  type ListedStatement,
  type Statement,
} from "@holdfast/contracts";
import { html, Html, keepFormatters, localeOf, type BuyerLocale } from "@holdfast/html";
import { PRINTED_TEXTS } from "./printed-texts.ts";

/** The subject of a printed page, and its reader. */
export type PrintedRange = {
  from: string;
  to: string;
  /** The one currency of the page; without it, all. */
  currency?: string | undefined;
  /** The company that owes the printed sums, if the installation names it. */
  issuer: string | undefined;
  /** The one merchant of the page. Without it, each statement is printed with its merchant. */
  merchant?: { merchantId: string; name: string };
  locale: BuyerLocale;
  now: Date;
};

/** The text of the page, piece by piece, so that any number of rows takes the memory of some of them. */
export type StatementPrinter = {
  head: string;
  page(items: readonly ListedStatement[]): string;
  end(): string;
};

/**
 * Statements as a document to be printed or sent: in the look of the hosted page, without any script, and with a sum for
 * each currency. An answer that was cut off has no sums.
 */
export function createStatementPrinter(range: PrintedRange): StatementPrinter {
  const { from, to, currency, issuer, merchant, now } = range;
  const { language, locale } = range.locale;
  const texts = PRINTED_TEXTS[language];
  const sums = new Map<string, Sum>();
  const period = texts.period(dayText(locale, from), dayText(locale, to));
  const heading = (name: string) => html`<th scope="col">${name}</th>`;
  const fact = (name: string, value: string | undefined) =>
    value !== undefined &&
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  const head = html`<html lang="${language}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${[texts.title, merchant?.name, period].filter((part) => part !== undefined).join(", ")}</title>
      ${new Html(`<style>${STYLE}</style>`)}
    </head>
    <body>
      <main>
        <h1>${texts.title}</h1>
        <dl>
          ${fact(texts.issuer, issuer)} ${fact(texts.merchant, merchant?.name)}
          ${fact(texts.number, merchant && numberOf(range, merchant.merchantId))} ${fact(texts.days, period)}
          ${fact(texts.currency, currency)} ${fact(texts.mode, isTest(range) ? texts.test : undefined)}
          ${fact(texts.printed, momentText(locale, now))}
        </dl>
        <table>
          <thead>
            <tr>
              ${heading(texts.day)} ${!merchant && heading(texts.merchant)} ${heading(texts.currency)}
              ${AMOUNTS.map((field) => html`<th scope="col" class="amount">${texts[field]}</th>`)}
              <th scope="col" class="amount">${texts.lines}</th>
            </tr>
          </thead>
          <tbody></tbody>
        </table>
      </main>
    </body>
  </html>`.text;
  const opening = head.slice(0, head.indexOf("</tbody>")).trimEnd();
  return {
    head: `<!doctype html>\n${opening}\n`,
    page: (items) =>
      items
        .map((item) => {
          add(sums, item);
          return row(range, item);
        })
        .join(""),
    end: () => `${closing(range, sums)}\n`,
  };
}

/** One document for each merchant, mode, currency and range of days, however often it is printed. */
function numberOf(range: PrintedRange, merchantId: string): string {
  const days = [range.from, range.to].map((day) => day.replaceAll("-", ""));
  const merchant = merchantId.slice(-8).toUpperCase();
  return [...days, merchant, range.currency, isTest(range) && "TEST"].filter((part) => part).join("-");
}

function isTest({ merchant }: PrintedRange): boolean {
  return merchant !== undefined && !isLive(merchant.merchantId);
}

/** The fields with amounts, in their columns' order. */
const AMOUNTS = [
  "salesAmount",
  "refundsAmount",
  "chargebacksAmount",
  "adjustmentsAmount",
  "commission",
  "bankFeesAmount",
  "netPayableAmount",
] as const satisfies (keyof Statement)[];

/** Minor units, in the order of the fields above. */
type Sum = { minor: bigint[]; statements: number; lines: number; unpriced: number; incomplete: number };

function add(sums: Map<string, Sum>, item: Statement): void {
  const sum = sums.get(item.currency) ?? {
    minor: AMOUNTS.map(() => 0n),
    statements: 0,
    lines: 0,
    unpriced: 0,
    incomplete: 0,
  };
  sums.set(item.currency, {
    minor: sum.minor.map((minor, at) => minor + minorOf(item[AMOUNTS[at]!], item.currency)),
    statements: sum.statements + 1,
    lines: sum.lines + item.lines,
    unpriced: sum.unpriced + item.unpricedLines,
    incomplete: sum.incomplete + (item.complete ? 0 : 1),
  });
}

function row({ locale: { language, locale }, merchant }: PrintedRange, item: ListedStatement): string {
  const amounts = AMOUNTS.map((field) => minorOf(item[field], item.currency));
  const mark = !item.complete && html` <strong>${PRINTED_TEXTS[language].notFinal}</strong>`;
  return `${
    html`<tr>
      <th scope="row">${dayText(locale, item.day)}${mark}</th>
      ${!merchant && html`<td class="id">${item.merchantName ?? item.merchantId}</td>`}
      <td>${item.currency}</td>
      ${cells(locale, item.currency, { minor: amounts, lines: item.lines })}
    </tr>`.text
  }\n`;
}

function closing(
  { locale: { language, locale }, merchant }: PrintedRange,
  sums: ReadonlyMap<string, Sum>,
): string {
  const texts = PRINTED_TEXTS[language];
  const totals = [...sums].map(
    ([currency, sum]) =>
      html`<tr>
        <th scope="row" ${!merchant && new Html(`colspan="2"`)}>${texts.sum}</th>
        <td>${currency}</td>
        ${cells(locale, currency, sum)}
      </tr>`,
  );
  const all = [...sums.values()];
  const [statements, unpriced, incomplete] = (["statements", "unpriced", "incomplete"] as const).map((name) =>
    all.reduce((count, sum) => count + sum[name], 0),
  );
  return html`</tbody>
          <tfoot>${totals}</tfoot>
        </table>
        <p>${texts.statements(statements!)} ${texts.settles} ${texts.payable}</p>
        ${incomplete! > 0 && html`<p>${texts.open(unpriced!)}</p>`}
      </main>
    </body>
  </html>`.text;
}

function cells(
  locale: string,
  currency: string,
  { minor, lines }: { minor: readonly bigint[]; lines: number },
): Html {
  const amounts = minor.map((each) => html`<td class="amount">${written(locale, each, currency)}</td>`);
  return html`${amounts}
    <td class="amount">${numberFormatter(locale, 0).format(lines)}</td>`;
}

/** An amount of the API has at most its currency's decimals, so that rounding finds the whole number that it was made of. */
function minorOf(amount: number, currency: string): bigint {
  return BigInt(Math.round(amount * 10 ** exponentOf(currency)));
}

/** An amount without its currency, which has a column of its own. */
function written(locale: string, minor: bigint, currency: string): string {
  const exponent = exponentOf(currency);
  const amount = formatAmount(minor < 0n ? -minor : minor, exponent) as `${number}`;
  const text = numberFormatter(locale, exponent).format(amount);
  return minor < 0n ? `−${text}` : text;
}

const numberFormatter = keepFormatters(
  (locale: string, decimals: number) =>
    new Intl.NumberFormat(localeOf(locale), {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }),
);

/** @param day `2026-11-20` */
function dayText(locale: string, day: string): string {
  const at = new Date(day);
  return Number.isNaN(at.getTime()) ? day : dayFormatter(locale).format(at);
}

const dayFormatter = keepFormatters(
  (locale: string) => new Intl.DateTimeFormat(localeOf(locale), { dateStyle: "medium", timeZone: "UTC" }),
);

function momentText(locale: string, at: Date): string {
  return `${momentFormatter(locale).format(at)} UTC`;
}

const momentFormatter = keepFormatters(
  (locale: string) =>
    new Intl.DateTimeFormat(localeOf(locale), { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
);

function exponentOf(currency: string): number {
  return currencyExponent(currency) ?? 0;
}

/** The style of the hosted page. */
const STYLE = `
:root { color-scheme: light; font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans",
  "DejaVu Sans", sans-serif; line-height: 1.5; color: #16212e; }
body { margin: 0; background: #f4f6f8; }
main { max-width: 75rem; margin: 0 auto; padding: 1.5rem 1.25rem; }
h1 { margin: 0; color: #0a5f5b; }
dl { display: flex; flex-wrap: wrap; gap: 0.75rem 2.5rem; margin: 1rem 0 0; }
dt { font-size: 0.8rem; color: #4a5767; }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
table { width: 100%; margin: 1.5rem 0; border-collapse: collapse; background: #ffffff; font-variant-numeric: tabular-nums; }
th, td { padding: 0.4rem 0.6rem; border-bottom: 1px solid #c9d1da; text-align: left; font-weight: normal; }
thead th, tfoot th, tfoot td { font-weight: 600; }
thead .amount { white-space: normal; }
tfoot tr:first-child > * { border-top: 2px solid #16212e; }
.amount { text-align: right; white-space: nowrap; }
.id { font-size: 0.8rem; overflow-wrap: anywhere; }
strong { color: #b3261e; font-size: 0.85em; }
@media (max-width: 60rem) { main { padding: 1rem 0.5rem; } table { font-size: 0.75rem; } th, td { padding: 0.25rem; } }
@media (max-width: 45rem) { table { font-size: 0.65rem; } th, td { padding: 0.2rem; } .id { font-size: 0.6rem; } }
@media (max-width: 38rem) { th, td { overflow-wrap: anywhere; } .amount { white-space: normal; } }
@media print { body { background: #ffffff; } main { max-width: none; padding: 0; } table { font-size: 8pt; }
  thead { display: table-header-group; } tfoot { display: table-row-group; } tr { break-inside: avoid; } }
`;

/** The page has one style, which is named by its hash, and nothing else: no script, no picture, no form, no frame. */
export const PRINTED_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Frame-Options": "DENY",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
};
