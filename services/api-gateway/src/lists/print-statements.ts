import { createHash } from "node:crypto";
import { currencyExponent, formatAmount, type Statement } from "@holdfast/contracts";
import { html, Html } from "@holdfast/html";

/** The range of a printed page. */
export type PrintedRange = {
  from: string;
  to: string;
  /** True for statements of several merchants, each shown with its merchant; otherwise the merchant stands above all. */
  ofMerchants: boolean;
  /** The merchants' names by id, as far as they are known when a page is printed. */
  names: ReadonlyMap<string, string>;
};

/** The text of the page, piece by piece, so that any number of rows takes the memory of some of them. */
export type StatementPrinter = { head: string; page(items: readonly Statement[]): string; end(): string };

/**
 * Statements as a page to be printed: in the look of the hosted page, without any script, and with a sum for each currency.
 * What is not there to its end has no sums.
 */
export function createStatementPrinter({ from, to, ofMerchants, names }: PrintedRange): StatementPrinter {
  const sums = new Map<string, Sum>();
  const merchant = ofMerchants ? undefined : [...names.values()][0];
  const title = `Statements${merchant === undefined ? "" : ` of ${merchant}`}, ${from} to ${to}`;
  const heading = (name: string) => html`<th scope="col">${name}</th>`;
  const head = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      ${new Html(`<style>${STYLE}</style>`)}
    </head>
    <body>
      <main>
        <h1>Statements${merchant !== undefined && html` of ${merchant}`}</h1>
        <p>${from} to ${to}, by the day on which the bank settles</p>
        <table>
          <thead>
            <tr>
              ${heading("Day")} ${ofMerchants && heading("Merchant")} ${heading("Currency")}
              ${AMOUNTS.map(([, name]) => html`<th scope="col" class="amount">${name}</th>`)}
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
          return row(item, ofMerchants ? (names.get(item.merchantId) ?? item.merchantId) : undefined);
        })
        .join(""),
    end: () => `${closing(sums, ofMerchants)}\n`,
  };
}

/** The fields with amounts, and what they are called here. */
const AMOUNTS = [
  ["salesAmount", "Sales"],
  ["refundsAmount", "Refunds"],
  ["chargebacksAmount", "Chargebacks"],
  ["adjustmentsAmount", "Adjustments"],
  ["commission", "Commission"],
  ["bankFeesAmount", "Bank fees"],
  ["netPayableAmount", "Net payable"],
] as const satisfies [keyof Statement, string][];

/** Minor units, in the order of the fields above. */
type Sum = { minor: bigint[]; statements: number; unpriced: number; incomplete: number };

function add(sums: Map<string, Sum>, item: Statement): void {
  const sum = sums.get(item.currency) ?? {
    minor: AMOUNTS.map(() => 0n),
    statements: 0,
    unpriced: 0,
    incomplete: 0,
  };
  sums.set(item.currency, {
    minor: sum.minor.map((minor, at) => minor + minorOf(item[AMOUNTS[at]![0]], item.currency)),
    statements: sum.statements + 1,
    unpriced: sum.unpriced + item.unpricedLines,
    incomplete: sum.incomplete + (item.complete ? 0 : 1),
  });
}

function row(item: Statement, merchant: string | undefined): string {
  const amounts = AMOUNTS.map(([field]) => minorOf(item[field], item.currency));
  return `${
    html`<tr>
      <th scope="row">${item.day}${!item.complete && html` <strong>not final</strong>`}</th>
      ${merchant !== undefined && html`<td class="id">${merchant}</td>`}
      <td>${item.currency}</td>
      ${cells(amounts, item.currency)}
    </tr>`.text
  }\n`;
}

function closing(sums: ReadonlyMap<string, Sum>, ofMerchants: boolean): string {
  const totals = [...sums].map(
    ([currency, { minor }]) =>
      html`<tr>
        <th scope="row" ${ofMerchants && new Html(`colspan="2"`)}>Sum</th>
        <td>${currency}</td>
        ${cells(minor, currency)}
      </tr>`,
  );
  const all = [...sums.values()];
  const statements = all.reduce((count, sum) => count + sum.statements, 0);
  const unpriced = all.reduce((count, sum) => count + sum.unpriced, 0);
  const incomplete = all.reduce((count, sum) => count + sum.incomplete, 0);
  return html`</tbody>
          <tfoot>${totals}</tfoot>
        </table>
        <p>${statements} statements. What is payable is sales less refunds, chargebacks and commission.</p>
        ${
          incomplete > 0 &&
          html`<p>
            Statements marked "not final" can change: the bank has not reported everything up to their day, or
            a difference or a commission is open. Lines without a known commission: ${unpriced}
          </p>`
        }
      </main>
    </body>
  </html>`.text;
}

function cells(minor: readonly bigint[], currency: string): Html[] {
  return minor.map((each) => html`<td class="amount">${written(each, currency)}</td>`);
}

/** An amount of the API has at most its currency's decimals, so that rounding finds the whole number that it was made of. */
function minorOf(amount: number, currency: string): bigint {
  return BigInt(Math.round(amount * 10 ** exponentOf(currency)));
}

function written(minor: bigint, currency: string): string {
  return `${minor < 0n ? "-" : ""}${formatAmount(minor < 0n ? -minor : minor, exponentOf(currency))}`;
}

function exponentOf(currency: string): number {
  return currencyExponent(currency) ?? 0;
}

/** In the colours and the type of the hosted page. */
const STYLE = `
:root { color-scheme: light; font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans",
  "DejaVu Sans", sans-serif; line-height: 1.5; color: #16212e; }
body { margin: 0; background: #f4f6f8; }
main { max-width: 75rem; margin: 0 auto; padding: 1.5rem 1.25rem; }
h1 { margin: 0; color: #0a5f5b; }
table { width: 100%; margin: 1.5rem 0; border-collapse: collapse; background: #ffffff; font-variant-numeric: tabular-nums; }
th, td { padding: 0.4rem 0.6rem; border-bottom: 1px solid #c9d1da; text-align: left; font-weight: normal; }
thead th, tfoot th, tfoot td { font-weight: 600; }
tfoot tr:first-child > * { border-top: 2px solid #16212e; }
.amount { text-align: right; white-space: nowrap; }
.id { font-size: 0.8rem; overflow-wrap: anywhere; }
strong { color: #b3261e; font-size: 0.8rem; }
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
