import {
  chargedAmount,
  operations,
  RANGE_DAYS_MAX,
  type ApiPaymentResponse,
  type SearchAnswer,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { OperatorApiProblemError } from "../api/operator-api.ts";
import { DELIVERY_TEXTS } from "../deliveries/delivery-texts.ts";
import { amountText, modeText, statusBadge, testBadge, timeElement } from "../ui/format.ts";
import { merchantName, readMerchants } from "../ui/merchant-field.ts";
import { isTestMode, type Page, type PageAnswer, type PageContext, type Reader } from "../ui/page-context.ts";
import { lastDays } from "../payments/payment-list.ts";
import { SETTLEMENT_TEXTS } from "../settlement/settlement-texts.ts";
import { table } from "../ui/table.ts";
import { problemText } from "../ui/problem-text.ts";
import { decimalField } from "../ui/read-number.ts";
import { amountIn } from "./amount-in.ts";

/** One field for every kind of number. */
export const searchPage: Page = {
  audience: "everybody",
  method: "GET",
  path: "/search",
  answer: answerSearch,
};

async function answerSearch(context: PageContext): Promise<PageAnswer> {
  const { api, reader, query } = context;
  const { texts } = reader;
  const text = query.get("q")?.trim() ?? "";
  if (text === "")
    return { kind: "page", title: texts.search, content: html`<p class="quiet">${texts.searchFirst}</p>` };
  try {
    const livemode = isTestMode(query) ? "false" : "true";
    const [found, ofAmount] = await Promise.all([
      api.read(operations.search, { query: { q: text, livemode } }),
      findAmount(context, text),
    ]);
    const rows = [...found.items.map((item) => rowOf(reader, item)), ...ofAmount.rows];
    const content = html`${found.more && html`<p>${texts.moreFound} <a href="/payments">${texts.payments}</a></p>`}
    ${table(
      `${texts.search}: ${text}`,
      [
        { heading: texts.record, cell: ({ link }: Row) => link },
        { heading: texts.found, cell: ({ foundAs }) => foundAs },
        { heading: texts.merchant, cell: ({ merchant }) => merchant ?? "–" },
        { heading: texts.amount, isNumber: true, cell: ({ amount }) => amount ?? "–" },
        { heading: texts.status, cell: ({ status }) => (status ? statusBadge(reader, status) : "–") },
        { heading: texts.made, cell: ({ at }) => timeElement(reader, at) },
      ],
      { rows: rows.length === 0 ? await otherThings(context, text) : rows, empty: texts.noResults },
    )}
    ${ofAmount.link} ${otherMode(context, text)}`;
    return { kind: "page", title: texts.search, content, isTest: isTestMode(query) };
  } catch (error) {
    // The text is invalid, such as an unmasked card number: the page says so at the field, and never repeats
    // the number.
    if (!(error instanceof OperatorApiProblemError) || error.problem.code !== "validation_failed")
      throw error;
    return {
      kind: "page",
      status: 400,
      title: texts.search,
      content: html`<p class="quiet">${texts.searchFirst}</p>`,
      notice: { role: "alert", title: texts.notDone, text: problemText(reader, error.problem) },
    };
  }
}

/** The link to the results in the other mode. */
function otherMode({ reader, query }: PageContext, text: string): Html {
  const livemode = isTestMode(query);
  const asked = new URLSearchParams({ q: text, livemode: `${livemode}` });
  return html`<p>
    <a href="/search?${asked.toString()}">${reader.texts.searchIn(modeText(reader, livemode))}</a>
  </p>`;
}

/** The payments of an amount, such as 12.50 TRY, in the longest span that a list answers, and the way to that list. */
async function findAmount({ api, now, query, reader }: PageContext, text: string) {
  const { currency, amount } = amountIn(reader, text) ?? {};
  if (currency === undefined || amount === undefined) return { rows: [], link: html`` };
  const livemode = isTestMode(query) ? "false" : "true";
  const filter = { currency, amountFrom: amount, amountTo: amount, ...lastDays(now), livemode };
  const { items } = await api.read(operations.listPaymentsOfMerchants, { query: { ...filter, limit: "20" } });
  const { texts } = reader;
  const foundAs = texts.amountFound(RANGE_DAYS_MAX);
  const rows = items.map((payment) => ({ ...paymentRow(reader, payment), foundAs }));
  // The list reads an amount as the reader writes it.
  const written = decimalField(reader, amount);
  const listed = { ...filter, amountFrom: written, amountTo: written };
  const href = `/payments?${new URLSearchParams(listed).toString()}`;
  return { rows, link: html`<p><a href="${href}">${texts.payments}: ${foundAs}</a></p>` };
}

/** One thing that was found. */
type Row = {
  link: Html;
  foundAs: string;
  merchant?: string;
  amount?: string;
  status?: string;
  at?: string;
};

type Item = SearchAnswer["items"][number];

function rowOf(reader: Reader, item: Item): Row {
  const { texts } = reader;
  const foundAs = texts.foundAs[item.matchedBy];
  switch (item.type) {
    case "payment":
      return { foundAs, ...paymentRow(reader, item.payment) };
    case "refund": {
      const { refundId, orderId, livemode } = item.refund;
      const link = html`${texts.refund}
        <a class="order" href="/refunds/${refundId}">${orderId}</a>${testBadge(reader, livemode)}`;
      return { link, foundAs, ...recordOf(reader, item.refund, item.refund) };
    }
    case "merchant": {
      const { merchantId, name } = item.merchant;
      return { link: html`${texts.merchant} <a href="/merchants/${merchantId}">${name}</a>`, foundAs };
    }
    default:
      return item satisfies never;
  }
}

function paymentRow(reader: Reader, item: Extract<Item, { type: "payment" }>["payment"]) {
  const { payment } = item;
  const link = html`${reader.texts.payment}
    <a class="order" href="/payments/${payment.paymentId}">${payment.orderId}</a
    >${testBadge(reader, payment.livemode)}`;
  return { link, ...recordOf(reader, item, payment) };
}

function recordOf(
  reader: Reader,
  { merchantId, merchantName }: { merchantId: string; merchantName?: string | undefined },
  record: Pick<ApiPaymentResponse, "amount" | "installmentTotal" | "currency" | "status" | "paymentDate">,
) {
  return {
    merchant: merchantName ?? merchantId,
    amount: amountText(reader, chargedAmount(record), record.currency),
    status: record.status,
    at: record.paymentDate,
  };
}

/** The other things whose ids stand in a log, a header or a report: a webhook, and for operators a bank's file. */
async function otherThings(context: PageContext, text: string): Promise<Row[]> {
  const { api, reader, session } = context;
  if (!UUID.test(text)) return [];
  const foundAs = reader.texts.foundAs.id;
  const [webhook, file] = await Promise.all([
    unlessMissing(api.read(operations.getWebhookDelivery, { path: { eventId: text } })),
    session.staff
      ? undefined
      : unlessMissing(api.read(operations.getSettlement, { path: { importId: text } })),
  ]);
  const rows: Row[] = [];
  if (webhook) {
    const { eventId, eventType, merchantId, livemode, occurredAt, status } = webhook;
    const { delivery } = DELIVERY_TEXTS[reader.language];
    const link = html`${delivery}
      <a href="/deliveries/${eventId}">${eventType}</a>${testBadge(reader, livemode)}`;
    const merchant = merchantName(await readMerchants(context), merchantId);
    rows.push({ link, foundAs, merchant, status, at: occurredAt });
  }
  if (file) {
    const { importId, fileName, state, createdAt } = file;
    const { bankFile } = SETTLEMENT_TEXTS[reader.language];
    const link = html`${bankFile} <a href="/settlement/imports/${importId}">${fileName}</a>`;
    rows.push({ link, foundAs, status: state, at: createdAt });
  }
  return rows;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

async function unlessMissing<Answer>(reading: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof OperatorApiProblemError && error.problem.status === 404) return undefined;
    throw error;
  }
}
