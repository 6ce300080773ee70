import { operations, type OperatorRefund, type OperatorRefundDetail } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { decisionForms, renderActions, signInAgain, type Subject } from "../ui/action-forms.ts";
import { asOf } from "../ui/as-of.ts";
import { amountText, cardText, statusBadge, timeElement } from "../ui/format.ts";
import { offersOfRefund } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { refundColumns } from "./refund-columns.ts";
import { facts, nextPage, table } from "../ui/table.ts";
import { doneNotice, takeAction, type ActionRequest } from "../ui/take-action.ts";
import { eventsOfRefund, renderTimeline } from "../ui/timeline.ts";

/** The queue of refunds that wait for a decision, and each refund with its actions. */
export const refundPages: Page[] = [
  { audience: "everybody", method: "GET", path: "/refunds", answer: answerQueue },
  {
    audience: "everybody",
    method: "GET",
    path: "/refunds/:refundId",
    answer: (context) => answerRefund(context),
  },
  {
    method: "POST",
    path: "/refunds/:refundId/approve",
    answer: (context) => {
      const [amount, currency] = [context.form.get("amount"), context.form.get("currency")];
      return act(context, {
        action: "approve",
        endpoint: operations.approveRefund,
        body: amount && currency ? { amount: Number(amount), currency } : {},
      });
    },
  },
  {
    method: "POST",
    path: "/refunds/:refundId/reject",
    answer: (context) => {
      const reason = context.form.get("reason")?.trim() ?? "";
      return act(context, {
        action: "reject",
        endpoint: operations.rejectRefund,
        body: { reason },
        ...(reason === "" && { needs: context.reader.texts.needReason }),
      });
    },
  },
  {
    method: "POST",
    path: "/refunds/:refundId/inquire",
    answer: (context) =>
      act(context, { action: "inquire", endpoint: operations.inquireRefund, body: undefined }),
  },
  {
    method: "POST",
    path: "/refunds/:refundId/resolve",
    answer: (context) =>
      act(context, { action: "resolve", endpoint: operations.resolveRefund, ...statementIn(context) }),
  },
];

/** The outcome and the evidence in a form, or the missing one. */
export function statementIn({ form, reader }: PageContext): Pick<ActionRequest, "body" | "needs"> {
  const body = { outcome: form.get("outcome") ?? "", evidence: form.get("evidence")?.trim() ?? "" };
  const isWhole = body.outcome !== "" && body.evidence !== "";
  return { body, ...(!isWhole && { needs: reader.texts.needEvidence }) };
}

async function answerQueue(context: PageContext): Promise<PageAnswer> {
  const { reader, query } = context;
  const { texts } = reader;
  const page = await context.api.read(operations.listRefunds, {
    query: { status: "PENDING_APPROVAL", cursor: query.get("cursor") ?? undefined },
  });
  const signIn =
    !context.session.staff && !context.mayDecide && page.items.length > 0
      ? signInAgain(texts, "/refunds")
      : html``;
  const queue = table(
    texts.refundQueue,
    [
      ...refundColumns(reader),
      { heading: texts.askedBy, cell: (refund) => askedBy(reader, refund) },
      {
        heading: texts.decision,
        cell: (refund) =>
          html`<p>
              ${texts.approvals(refund.approvals, refund.approvalsRequired)}${
                refund.approvedBy.length > 0 && html` (${approvers(refund)})`
              }
            </p>
            ${decision(context, refund)}`,
      },
    ],
    { rows: page.items, empty: texts.noRefunds },
  );
  const content = html`${asOf(context, "/refunds")} ${signIn} ${queue}
    ${nextPage(texts.nextPage, "/refunds", query, page.nextCursor)}
    <p><a href="/refunds.csv?status=PENDING_APPROVAL">${texts.csv}</a></p>`;
  return { kind: "page", title: texts.refunds, content, notice: doneNotice(context) };
}

/** A row has room for the forms, or for the first reason why there is none. */
function decision(context: PageContext, refund: OperatorRefund): Html {
  const offers = offersOfRefund(refund, context.session, context.reader.texts);
  if (offers.length === 0) return html``;
  const [approve, reject] = offers;
  const possible = [approve!, reject!].flatMap(({ action, why }) => (why === undefined ? [action] : []));
  if (possible.length === 0) return html`<p class="quiet">${approve!.why}</p>`;
  return context.mayDecide ? decisionForms(context, possible, subjectOf(context, refund)) : html``;
}

function subjectOf(
  { reader }: PageContext,
  refund: OperatorRefund & { merchantName?: string | undefined },
): Subject {
  const { texts } = reader;
  const { amount, currency, pan, orderId, merchantName, merchantId } = refund;
  return {
    path: `/refunds/${refund.refundId}`,
    amount: amountText(reader, amount, currency),
    seen: { amount, currency },
    about: texts.cardAndOrder(cardText(pan), orderId, merchantName ?? merchantId),
  };
}

async function answerRefund(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { reader, parameters } = context;
  const { texts } = reader;
  const refund = await context.api.read(operations.getOperatorRefund, {
    path: { refundId: parameters["refundId"]! },
  });
  const content = html`${facts(factsOfRefund(reader, refund))}
  ${
    refund.resolution &&
    html`<p>
      ${texts.proposed(refund.resolution.proposedBy)} ${texts.outcome}:
      ${statusBadge(reader, refund.resolution.outcome)} ${texts.evidence}: ${refund.resolution.evidence}
    </p>`
  }
  ${renderActions(context, offersOfRefund(refund, context.session, texts), subjectOf(context, refund))}
  ${renderTimeline(reader, eventsOfRefund(reader, refund))}`;
  return {
    kind: "page",
    title: `${texts.refund} ${refund.orderId}`,
    content,
    isTest: !refund.livemode,
    notice: notice ?? doneNotice(context),
    ...(status !== undefined && { status }),
  };
}

function factsOfRefund(reader: Reader, refund: OperatorRefundDetail) {
  const { texts } = reader;
  return [
    [texts.amount, amountText(reader, refund.amount, refund.currency)],
    [texts.status, statusBadge(reader, refund.status)],
    [texts.state, statusBadge(reader, refund.state)],
    ["Id", html`<code>${refund.refundId}</code>`],
    [texts.merchant, html`<a href="/merchants/${refund.merchantId}">${refund.merchantId}</a>`],
    [
      texts.payment,
      refund.parentPaymentId === undefined
        ? undefined
        : html`<a href="/payments/${refund.parentPaymentId}">${refund.parentPaymentId}</a>`,
    ],
    [texts.card, cardText(refund.pan)],
    [texts.cardHolder, refund.cardHolderName],
    [texts.made, timeElement(reader, refund.paymentDate)],
    [texts.deliveries, html`<a href="/deliveries?paymentId=${refund.refundId}">${texts.webhooksAboutIt}</a>`],
    [texts.askedBy, askedBy(reader, refund)],
    [texts.reason, refund.requestReason],
    [texts.credentialBy, refund.credentialIssuedBy],
    [texts.decision, texts.approvals(refund.approvals, refund.approvalsRequired)],
    [texts.approvedBy, refund.approvedBy.length > 0 ? approvers(refund) : undefined],
    [texts.rejectedBy, refund.rejectedBy],
    [texts.bankReference, refund.bank && html`<code>${refund.bank.reference}</code>`],
    [texts.bankSaid, refund.bank?.resultMessage ?? refund.bank?.resultCode],
    [texts.lastInquiry, refund.lastInquiry],
    [
      texts.nextAttempt,
      refund.nextAttemptAt === undefined ? undefined : timeElement(reader, refund.nextAttemptAt),
    ],
  ] as const;
}

function askedBy({ texts }: Reader, { requestedBy }: OperatorRefund): string {
  return requestedBy ?? texts.askedByMerchant;
}

function approvers({ approvedBy }: OperatorRefund): string {
  return approvedBy.map(({ operator }) => operator).join(", ");
}

async function act(context: PageContext, request: Omit<ActionRequest, "path" | "page">): Promise<PageAnswer> {
  const refundId = context.parameters["refundId"]!;
  return await takeAction(
    context,
    { ...request, path: { refundId }, page: `/refunds/${encodeURIComponent(refundId)}` },
    answerRefund,
  );
}
