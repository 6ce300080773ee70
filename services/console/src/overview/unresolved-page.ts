import { operations } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { causeText } from "../ui/cause-texts.ts";
import { asOf } from "../ui/as-of.ts";
import { statusBadge, timeElement } from "../ui/format.ts";
import { isTestMode, modeOf, type Page, type PageAnswer, type PageContext } from "../ui/page-context.ts";
import { paymentColumns } from "../payments/payment-columns.ts";
import { refundColumns } from "../refunds/refund-columns.ts";
import { pageLinks, table } from "../ui/table.ts";

/** The payments whose outcome is unknown. */
export const unresolvedPage: Page = { method: "GET", path: "/unresolved", answer: answerUnresolved };

async function answerUnresolved(context: PageContext): Promise<PageAnswer> {
  const { api, reader, query } = context;
  const { texts } = reader;
  const [payments, refunds] = await Promise.all([
    api.read(operations.listPaymentsOfMerchants, {
      query: { unresolved: "true", livemode: modeOf(query), cursor: query.get("cursor") ?? undefined },
    }),
    api.read(operations.listRefunds, {
      query: {
        status: "EXECUTING",
        livemode: modeOf(query),
        cursor: query.get("refundsCursor") ?? undefined,
      },
    }),
  ]);
  const content = html`${asOf(context, "/unresolved")}
    ${table(
      texts.unresolvedPayments,
      [
        ...paymentColumns(reader),
        { heading: texts.state, cell: ({ state }) => statusBadge(reader, state) },
        {
          heading: texts.lastInquiry,
          cell: ({ lastInquiry }) => (lastInquiry === undefined ? "–" : causeText(reader, lastInquiry)),
        },
        { heading: texts.nextAttempt, cell: ({ nextAttemptAt }) => timeElement(reader, nextAttemptAt) },
      ],
      { rows: payments.items, empty: texts.noUnresolved },
    )}
    ${pageLinks(reader, { path: "/unresolved", text: texts.nextPayments }, query, payments.nextCursor)}
    <p><a href="/payments.csv?unresolved=true">${texts.csvOf(texts.payments)}</a></p>
    ${table(
      texts.executingRefunds,
      [
        ...refundColumns(reader),
        {
          heading: texts.lastInquiry,
          cell: ({ lastInquiry }) => (lastInquiry === undefined ? "–" : causeText(reader, lastInquiry)),
        },
        { heading: texts.nextAttempt, cell: ({ nextAttemptAt }) => timeElement(reader, nextAttemptAt) },
      ],
      { rows: refunds.items, empty: texts.noUnresolved },
    )}
    ${pageLinks(reader, { path: "/unresolved", text: texts.nextRefunds, name: "refundsCursor" }, query, refunds.nextCursor)}
    <p><a href="/refunds.csv?status=EXECUTING">${texts.csvOf(texts.refunds)}</a></p>`;
  return { kind: "page", title: texts.unresolved, content, isTest: isTestMode(query) };
}
