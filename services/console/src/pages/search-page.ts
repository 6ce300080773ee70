import { searchOperator, type SearchAnswer } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { OperatorApiProblemError } from "../operator-api/operator-api.ts";
import { amountText, statusBadge, timeElement } from "./format.ts";
import type { Page, PageAnswer, PageContext, Reader } from "./page-context.ts";
import { table } from "./table.ts";
import { problemText } from "./take-action.ts";

/** One field for any number that somebody has. */
export const searchPage: Page = {
  audience: "everybody",
  method: "GET",
  path: "/search",
  answer: answerSearch,
};

async function answerSearch({ api, reader, query }: PageContext): Promise<PageAnswer> {
  const { texts } = reader;
  const text = query.get("q")?.trim() ?? "";
  if (text === "")
    return { kind: "page", title: texts.search, content: html`<p class="quiet">${texts.searchFirst}</p>` };
  try {
    const found = await api.read(searchOperator, { query: { q: text } });
    const content = html`${found.more && html`<p>${texts.moreFound} <a href="/payments">${texts.payments}</a></p>`}
    ${table(
      `${texts.search}: ${text}`,
      [
        { heading: texts.what, cell: (item: Item) => linkTo(reader, item) },
        { heading: texts.found, cell: ({ matchedBy }) => html`<code>${matchedBy}</code>` },
        { heading: texts.merchant, cell: merchantOf },
        { heading: texts.amount, isNumber: true, cell: (item) => amountOf(reader, item) },
        { heading: texts.status, cell: (item) => statusOf(reader, item) },
        { heading: texts.made, cell: (item) => timeElement(reader, recordOf(item)?.paymentDate) },
      ],
      { rows: found.items, empty: texts.noResults },
    )}`;
    return { kind: "page", title: texts.search, content };
  } catch (error) {
    // Such as a card number that is not masked: said beside the field, and the number is shown to nobody again.
    if (!(error instanceof OperatorApiProblemError) || error.problem.code !== "validation_failed")
      throw error;
    return {
      kind: "page",
      status: 400,
      title: texts.search,
      content: html`<p class="quiet">${texts.searchFirst}</p>`,
      notice: { role: "alert", title: texts.notDone, text: problemText(error.problem) },
    };
  }
}

type Item = SearchAnswer["items"][number];

function recordOf(item: Item) {
  return item.type === "payment" ? item.payment.payment : item.type === "refund" ? item.refund : undefined;
}

function linkTo({ texts }: Reader, item: Item): Html {
  switch (item.type) {
    case "payment":
      return html`${texts.payment}
        <a href="/payments/${item.payment.payment.paymentId}">${item.payment.payment.orderId}</a>`;
    case "refund":
      return html`${texts.refund} <a href="/refunds/${item.refund.refundId}">${item.refund.orderId}</a>`;
    case "merchant":
      return html`${texts.merchant}
        <a href="/merchants/${item.merchant.merchantId}">${item.merchant.name}</a>`;
    default:
      return item satisfies never;
  }
}

function merchantOf(item: Item): string {
  const of = item.type === "payment" ? item.payment : item.type === "refund" ? item.refund : undefined;
  return of ? (of.merchantName ?? of.merchantId) : "–";
}

function amountOf(reader: Reader, item: Item): string {
  const record = recordOf(item);
  return record ? amountText(reader, record.amount, record.currency) : "–";
}

function statusOf(reader: Reader, item: Item): Html {
  const record = recordOf(item);
  return record ? statusBadge(reader, record.status) : html`–`;
}
