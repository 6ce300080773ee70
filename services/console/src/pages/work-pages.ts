import { listOperatorPayments, listOperatorRefunds } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { amountText, statusBadge, timeElement } from "./format.ts";
import type { Page, PageAnswer, PageContext } from "./page-context.ts";
import { paymentColumns } from "./payment-columns.ts";
import { nextPage, table } from "./table.ts";

/** What waits for people: in short on the first page, and what nobody knows the outcome of. */
export const workPages: Page[] = [
  { audience: "everybody", method: "GET", path: "/", answer: answerOverview },
  { method: "GET", path: "/unresolved", answer: answerUnresolved },
];

async function answerOverview({ api, reader, session }: PageContext): Promise<PageAnswer> {
  const { texts } = reader;
  const [refunds, unresolved] = await Promise.all([
    api.read(listOperatorRefunds, { query: { status: "PENDING_APPROVAL", limit: "200" } }),
    // What the bank has not answered is for operators to work off.
    session.staff ? undefined : readUnresolved(api),
  ]);
  const row = (
    text: string,
    href: string,
    page: { items: unknown[]; nextCursor?: string | undefined },
    oldest?: string,
  ) => ({
    text,
    href,
    count: `${page.items.length}${page.nextCursor === undefined ? "" : "+"}`,
    oldest,
  });
  const content = table(
    texts.waiting,
    [
      { heading: texts.work, cell: ({ text, href }) => html`<a href="${href}">${text}</a>` },
      { heading: texts.count, isNumber: true, cell: ({ count }) => count },
      { heading: texts.oldest, cell: ({ oldest }) => timeElement(reader, oldest) },
    ],
    {
      rows: [
        row(texts.refundQueue, "/refunds", refunds, refunds.items[0]?.paymentDate),
        ...(unresolved
          ? [
              row(
                texts.unresolvedPayments,
                "/unresolved",
                unresolved.payments,
                unresolved.payments.items[0]?.payment.paymentDate,
              ),
              row(
                texts.executingRefunds,
                "/unresolved",
                unresolved.executing,
                unresolved.executing.items[0]?.paymentDate,
              ),
            ]
          : []),
      ],
      empty: texts.noRows,
    },
  );
  return { kind: "page", title: texts.overview, content };
}

async function readUnresolved(api: PageContext["api"]) {
  const [payments, executing] = await Promise.all([
    api.read(listOperatorPayments, { query: { unresolved: "true", limit: "200" } }),
    api.read(listOperatorRefunds, { query: { status: "EXECUTING", limit: "200" } }),
  ]);
  return { payments, executing };
}

async function answerUnresolved({ api, reader, query }: PageContext): Promise<PageAnswer> {
  const { texts } = reader;
  const [payments, refunds] = await Promise.all([
    api.read(listOperatorPayments, {
      query: { unresolved: "true", cursor: query.get("cursor") ?? undefined },
    }),
    api.read(listOperatorRefunds, { query: { status: "EXECUTING" } }),
  ]);
  const content = html`${table(
    texts.unresolvedPayments,
    [
      ...paymentColumns(reader),
      { heading: texts.state, cell: ({ state }) => statusBadge(reader, state) },
      { heading: texts.lastInquiry, cell: ({ lastInquiry }) => lastInquiry ?? "–" },
      { heading: texts.nextAttempt, cell: ({ nextAttemptAt }) => timeElement(reader, nextAttemptAt) },
    ],
    { rows: payments.items, empty: texts.noUnresolved },
  )}
  ${nextPage(texts.nextPage, "/unresolved", query, payments.nextCursor)}
  ${table(
    texts.executingRefunds,
    [
      { heading: texts.made, cell: ({ paymentDate }) => timeElement(reader, paymentDate) },
      {
        heading: texts.refund,
        cell: ({ refundId, orderId }) => html`<a href="/refunds/${refundId}">${orderId}</a>`,
      },
      { heading: texts.merchant, cell: ({ merchantId, merchantName }) => merchantName ?? merchantId },
      {
        heading: texts.amount,
        isNumber: true,
        cell: ({ amount, currency }) => amountText(reader, amount, currency),
      },
      { heading: texts.lastInquiry, cell: ({ lastInquiry }) => lastInquiry ?? "–" },
      { heading: texts.nextAttempt, cell: ({ nextAttemptAt }) => timeElement(reader, nextAttemptAt) },
    ],
    { rows: refunds.items, empty: texts.noUnresolved },
  )}`;
  return { kind: "page", title: texts.unresolved, content };
}
