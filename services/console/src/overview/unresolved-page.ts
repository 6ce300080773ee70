import { operations } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { causeText } from "../ui/cause-texts.ts";
import { asOf } from "../ui/as-of.ts";
import { faultAt } from "../ui/field-faults.ts";
import { modeInput } from "../ui/form-fields.ts";
import { statusBadge, timeElement } from "../ui/format.ts";
import { instantField, instantOf } from "../ui/instant-field.ts";
import { isTestMode, modeOf, type Page, type PageAnswer, type PageContext } from "../ui/page-context.ts";
import { paymentColumns } from "../payments/payment-columns.ts";
import { refundColumns } from "../refunds/refund-columns.ts";
import { filterOf, readList } from "../ui/read-list.ts";
import { pageLinks, table } from "../ui/table.ts";
import { proposalSection, readProposals } from "./proposal-section.ts";
import { listIn } from "./waiting-table.ts";

/**
 * Payments and refunds with an unknown outcome, which may be filtered by the time they were made, and
 * proposals that wait for a second person.
 */
export const unresolvedPage: Page = { method: "GET", path: "/unresolved", answer: answerUnresolved };

async function answerUnresolved(context: PageContext): Promise<PageAnswer> {
  const { query, reader } = context;
  const { texts } = reader;
  const [payments, refunds, proposals] = await Promise.all([
    readPayments(context),
    readRefunds(context),
    readProposals(context, { cursor: query.get("proposalsCursor") ?? undefined }),
  ]);
  const content = html`${asOf(context, "/unresolved")}
    <form class="filters" action="/unresolved">
      ${modeInput(query)} ${instantField("from", texts.from, query.get("from"), faultAt(context, "from"))}
      ${instantField("to", texts.to, query.get("to"), faultAt(context, "to"))}
      <button>${texts.filter}</button>
    </form>
    ${!payments.refusal && paymentSection(context, payments)} ${refundSection(context, refunds)}
    ${proposalSection(context, proposals)}`;
  const { notice, status = 200 } = payments.refusal ?? {};
  return { kind: "page", title: texts.unresolved, content, notice, status, isTest: isTestMode(query) };
}

const FILTERS = ["from", "to"] as const;

async function readPayments(context: PageContext) {
  const { api, query } = context;
  const { from, to } = filterOf(query, FILTERS);
  const asked = { unresolved: "true", livemode: modeOf(query), from: instantOf(from), to: instantOf(to) };
  const cursor = query.get("cursor") ?? undefined;
  return await readList(
    context,
    api.read(operations.listPaymentsOfMerchants, { query: { ...asked, cursor } }),
  );
}

async function readRefunds({ api, query }: PageContext) {
  const cursor = query.get("refundsCursor") ?? undefined;
  return await api.read(operations.listRefunds, {
    query: { status: "EXECUTING", livemode: modeOf(query), cursor },
  });
}

function paymentSection(
  context: PageContext,
  { items, nextCursor }: Awaited<ReturnType<typeof readPayments>>,
): Html {
  const { query, reader } = context;
  const { texts } = reader;
  const file = listIn(context, "/payments.csv", { unresolved: "true", ...filterOf(query, FILTERS) });
  return html`${table(
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
      { rows: items, empty: texts.noUnresolved },
    )}
    ${pageLinks(reader, { path: "/unresolved", text: texts.nextPayments }, query, nextCursor)}
    <p><a href="${file}">${texts.csvOf(texts.payments)}</a></p>`;
}

function refundSection(
  context: PageContext,
  { items, nextCursor }: Awaited<ReturnType<typeof readRefunds>>,
): Html {
  const { query, reader } = context;
  const { texts } = reader;
  const links = { path: "/unresolved", text: texts.nextRefunds, name: "refundsCursor" };
  return html`${table(
      texts.executingRefunds,
      [
        ...refundColumns(reader),
        {
          heading: texts.approvedBy,
          cell: ({ approvedBy }) => approvedBy.map(({ operator }) => operator).join(", ") || "–",
        },
        {
          heading: texts.lastInquiry,
          cell: ({ lastInquiry }) => (lastInquiry === undefined ? "–" : causeText(reader, lastInquiry)),
        },
        { heading: texts.nextAttempt, cell: ({ nextAttemptAt }) => timeElement(reader, nextAttemptAt) },
      ],
      { rows: items, empty: texts.noUnresolved },
    )}
    ${pageLinks(reader, links, query, nextCursor)}
    <p>
      <a href="${listIn(context, "/refunds.csv", { status: "EXECUTING" })}">${texts.csvOf(texts.refunds)}</a>
    </p>`;
}
