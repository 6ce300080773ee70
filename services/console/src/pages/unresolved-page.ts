import { listOperatorPayments, listOperatorRefunds } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { statusBadge, timeElement } from "./format.ts";
import type { Page, PageAnswer, PageContext } from "./page-context.ts";
import { paymentColumns } from "./payment-columns.ts";
import { refundColumns } from "./refund-columns.ts";
import { nextPage, table } from "./table.ts";

/** What nobody knows the outcome of. */
export const unresolvedPage: Page = { method: "GET", path: "/unresolved", answer: answerUnresolved };

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
      ...refundColumns(reader),
      { heading: texts.lastInquiry, cell: ({ lastInquiry }) => lastInquiry ?? "–" },
      { heading: texts.nextAttempt, cell: ({ nextAttemptAt }) => timeElement(reader, nextAttemptAt) },
    ],
    { rows: refunds.items, empty: texts.noUnresolved },
  )}`;
  return { kind: "page", title: texts.unresolved, content };
}
