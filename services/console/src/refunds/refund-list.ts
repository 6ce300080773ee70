import { operations, REFUND_FILTERS, type OperatorRefund, type RefundFilter } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { decisionForms, signInAgain } from "../ui/action-forms.ts";
import { asOf } from "../ui/as-of.ts";
import { faultAt } from "../ui/field-faults.ts";
import { hidden, modeInput, selectField } from "../ui/form-fields.ts";
import { statusBadge, statusWord } from "../ui/format.ts";
import { instantField, instantOf } from "../ui/instant-field.ts";
import { merchantField, readMerchants, type KnownMerchants } from "../ui/merchant-field.ts";
import { offersOfRefund } from "../ui/offers.ts";
import {
  isTestMode,
  withoutNotice,
  type Notice,
  type PageAnswer,
  type PageContext,
} from "../ui/page-context.ts";
import { filterOf, readList } from "../ui/read-list.ts";
import { pageLinks, table, type Column } from "../ui/table.ts";
import { doneNotice } from "../ui/take-action.ts";
import { decidingColumns, type ListedRefund } from "./refund-columns.ts";
import { subjectOf } from "./refund-subject.ts";
import { REFUND_TEXTS } from "./refund-texts.ts";

const FILTERS = ["status", "merchantId", "livemode", "from", "to"] as const;

/**
 * The API's filters, for a page and for a file of all rows. Without a choice they select refunds that wait
 * for a decision.
 */
export function refundFilter(query: URLSearchParams) {
  const { from, to, ...filter } = filterOf(query, FILTERS);
  return { ...filter, status: statusOf(query), from: instantOf(from), to: instantOf(to) };
}

function statusOf(query: URLSearchParams): RefundFilter | undefined {
  const chosen = query.get("status") ?? "PENDING_APPROVAL";
  return REFUND_FILTERS.find((known) => known === chosen);
}

/** The page of the list that the query names. */
export async function readRefunds(context: PageContext) {
  const { api, query } = context;
  const cursor = query.get("cursor") ?? undefined;
  return await readList(
    context,
    api.read(operations.listRefunds, { query: { ...refundFilter(query), cursor } }),
  );
}

/** The refunds of a status; pending ones are decided here, one by one or several together. */
export async function answerList(
  context: PageContext,
  notice?: Notice,
  status?: number,
): Promise<PageAnswer> {
  const { reader, query } = context;
  const { texts } = reader;
  const own = REFUND_TEXTS[reader.language];
  const [page, merchants] = await Promise.all([readRefunds(context), readMerchants(context)]);
  const chosen = statusOf(query);
  const isQueue = chosen === "PENDING_APPROVAL";
  const mayDecide = !context.session.staff && isQueue;
  const decidable =
    mayDecide && context.mayDecide ? page.items.filter((item) => isDecidable(context, item)) : [];
  const caption = isQueue
    ? texts.refundQueue
    : `${texts.refunds}: ${chosen ? statusWord(reader, chosen) : texts.any}`;
  const count = `${caption} (${page.items.length}${page.nextCursor === undefined ? "" : "+"})`;
  const list = table<ListedRefund>(
    page.items.length === 0 ? caption : count,
    [
      ...(decidable.length > 0 ? [selection(context, decidable)] : []),
      ...decidingColumns(reader),
      ...(isQueue
        ? []
        : [{ heading: texts.status, cell: ({ status }: ListedRefund) => statusBadge(reader, status) }]),
      { heading: texts.decision, cell: (refund) => decision(context, refund) },
    ],
    { rows: page.items, empty: isQueue ? texts.noRefunds : own.noRefundMatches },
  );
  const content = html`${asOf(context, "/refunds")} ${filters(context, merchants)}
    ${mayDecide && !context.mayDecide && page.items.length > 0 && signInAgain(context, "/refunds")}
    ${decidable.length > 0 && selectionForm(context)}
    ${!page.refusal && html`<div class="queue">${list}</div>`}
    ${pageLinks(reader, { path: "/refunds" }, query, page.nextCursor)}
    <p><a href="/refunds.csv?${withoutNotice(query).toString()}">${texts.csv}</a></p>`;
  return {
    kind: "page",
    title: texts.refunds,
    content,
    isTest: isTestMode(query),
    notice: notice ?? page.refusal?.notice ?? doneNotice(context),
    status: status ?? page.refusal?.status ?? 200,
  };
}

export function isDecidable({ session, reader }: PageContext, refund: OperatorRefund): boolean {
  return offersOfRefund(refund, session, reader.texts).some(
    ({ action, why }) => why === undefined && (action === "approve" || action === "reject"),
  );
}

const SELECTION = "selection";

/** The boxes belong to the form above the list: each row has forms of its own. */
function selection({ query, reader }: PageContext, decidable: readonly ListedRefund[]): Column<ListedRefund> {
  const own = REFUND_TEXTS[reader.language];
  const areAll = query.get("select") === "all";
  return {
    heading: own.select,
    cell: (refund) =>
      decidable.includes(refund)
        ? html`<label class="pick"
            ><input
              type="checkbox"
              form="${SELECTION}"
              name="refundId"
              value="${refund.refundId}"
              data-amount="${refund.amount}"
              data-currency="${refund.currency}"
              ${areAll && html`checked`}
            /><span class="visually-hidden">${own.selectOrder(refund.orderId)}</span></label
          >`
        : html``,
  };
}

/** Leads to the page that shows the sum of what is selected, and asks once. Its query names the list. */
function selectionForm(context: PageContext): Html {
  const { query, reader } = context;
  const texts = REFUND_TEXTS[reader.language];
  const own = withoutNotice(query);
  const list = own.toString();
  own.set("select", "all");
  return html`<form class="act buttons" id="${SELECTION}" method="post" action="/refunds/review?${list}">
    ${hidden(context)}
    <a class="button" href="/refunds?${own.toString()}" data-select-all>${texts.selectAll}</a>
    <button class="primary">${texts.decideSelected}</button>
    <span class="quiet" aria-live="polite" data-sum="${texts.selectedSum("{count}", "{sum}")}"
      >${texts.selectHint}</span
    >
  </form>`;
}

function filters(context: PageContext, merchants: KnownMerchants): Html {
  const { query, reader, session } = context;
  const { texts } = reader;
  return html`<form class="filters" action="/refunds">
    ${modeInput(query)}
    ${selectField({
      name: "status",
      label: texts.status,
      choices: [
        ...REFUND_FILTERS.map((value) => ({ value, text: statusWord(reader, value) })),
        { value: "", text: texts.any },
      ],
      chosen: query.get("status") ?? "PENDING_APPROVAL",
      fault: faultAt(context, "status"),
    })}
    ${
      !session.staff &&
      merchantField(merchants, {
        label: texts.merchant,
        any: texts.any,
        chosen: query.get("merchantId") || undefined,
        fault: faultAt(context, "merchantId"),
      })
    }
    ${instantField("from", texts.from, query.get("from"), faultAt(context, "from"))}
    ${instantField("to", texts.to, query.get("to"), faultAt(context, "to"))}
    <button>${texts.filter}</button>
  </form>`;
}

/** A row shows the forms, or the first reason why there are none; for a decided refund, who decided. */
function decision(context: PageContext, refund: ListedRefund): Html {
  const { texts } = context.reader;
  const approvers = refund.approvedBy.map(({ operator }) => operator).join(", ");
  if (refund.state !== "PENDING_APPROVAL") return html`${refund.rejectedBy ?? approvers}`;
  const needed =
    refund.approvalsRequired > 1 &&
    html`<p>
      ${texts.approvals(refund.approvals, refund.approvalsRequired)}${approvers !== "" && html` (${approvers})`}
    </p>`;
  const [approve, reject] = offersOfRefund(refund, context.session, texts);
  const possible = [approve, reject].flatMap((offer) =>
    offer && offer.why === undefined ? [offer.action] : [],
  );
  if (possible.length === 0) return html`${needed} ${approve && html`<p class="quiet">${approve.why}</p>`}`;
  const subject = subjectOf(context.reader, refund);
  const name = `${refund.orderId}, ${subject.amount}`;
  return html`${needed} ${context.mayDecide && decisionForms(context, possible, { ...subject, name })}`;
}
