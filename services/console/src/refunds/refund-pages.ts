import { operations, type OperatorRefund, type OperatorRefundDetail } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { causeText } from "../ui/cause-texts.ts";
import { actOn } from "../ui/act-on.ts";
import { renderActions } from "../ui/action-forms.ts";
import { csvPage } from "../ui/csv-page.ts";
import { needsOf } from "../ui/field-faults.ts";
import { amountText, cardText, statusBadge, timeElement } from "../ui/format.ts";
import { offersOfRefund } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { merchantName, readMerchants } from "../ui/merchant-field.ts";
import { approveSelected, rejectSelected, review } from "./decide-several.ts";
import { takenAlready } from "./refund-columns.ts";
import { answerList, refundFilter } from "./refund-list.ts";
import { subjectOf } from "./refund-subject.ts";
import { facts } from "../ui/table.ts";
import { doneNotice, type ActionRequest } from "../ui/take-action.ts";
import { eventsOfRefund, renderTimeline } from "../ui/timeline.ts";
import { REFUND_TEXTS } from "./refund-texts.ts";

/** The queue of refunds that wait for a decision, and each refund with its actions. */
export const refundPages: Page[] = [
  { audience: "everybody", method: "GET", path: "/refunds", answer: (context) => answerQueue(context) },
  { method: "POST", path: "/refunds/review", answer: (context) => review(context) },
  { method: "POST", path: "/refunds/approve-selected", answer: approveSelected },
  { method: "POST", path: "/refunds/reject-selected", answer: rejectSelected },
  csvPage("/refunds.csv", operations.listRefunds, { audience: "everybody", filter: refundFilter }),
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
        page: queueAfter(context),
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
        page: queueAfter(context),
        endpoint: operations.rejectRefund,
        body: { reason },
        needs: needsOf({ reason: reason === "" && context.reader.texts.needReason }),
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

/** The list, or the selection of it to which a person returns after a sign-in. */
async function answerQueue(context: PageContext): Promise<PageAnswer> {
  return await (context.form.has("refundId") ? review(context) : answerList(context));
}

/** The refunds that are left, with the way back to the one that was decided. */
function queueAfter({ parameters }: PageContext): string {
  return `/refunds?about=${parameters["refundId"]}`;
}

/** The outcome and the evidence of a form, with the faults of missing ones. */
export function statementIn({ form, reader }: PageContext): Pick<ActionRequest, "body" | "needs"> {
  const { needEvidence, needOutcome } = reader.texts;
  const body = { outcome: form.get("outcome") ?? "", evidence: form.get("evidence")?.trim() ?? "" };
  const needs = needsOf({
    outcome: body.outcome === "" && needOutcome,
    evidence: body.evidence === "" && needEvidence,
  });
  return { body, needs };
}

async function answerRefund(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { reader, parameters } = context;
  const { texts } = reader;
  const [read, merchants] = await Promise.all([
    context.api.read(operations.getOperatorRefund, { path: { refundId: parameters["refundId"]! } }),
    readMerchants(context),
  ]);
  const refund = { ...read, merchantName: merchantName(merchants, read.merchantId) };
  const content = html`${facts(factsOfRefund(reader, refund))}
  ${
    refund.resolution &&
    html`<p>
      ${texts.proposed(refund.resolution.proposedBy)} ${texts.outcome}:
      ${statusBadge(reader, refund.resolution.outcome)} ${texts.evidence}: ${refund.resolution.evidence}
    </p>`
  }
  ${renderActions(
    context,
    offersOfRefund(refund, context.session, texts).filter(
      ({ action, why }) =>
        why === undefined || refund.state === "EXECUTING" || action === "approve" || action === "reject",
    ),
    subjectOf(reader, refund),
  )}
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

function factsOfRefund(reader: Reader, refund: OperatorRefundDetail & { merchantName?: string }) {
  const { texts } = reader;
  const own = REFUND_TEXTS[reader.language];
  return [
    [texts.amount, amountText(reader, refund.amount, refund.currency)],
    [texts.status, statusBadge(reader, refund.status)],
    [texts.state, statusBadge(reader, refund.state)],
    ["Id", html`<code>${refund.refundId}</code>`],
    [
      texts.merchant,
      html`<a href="/merchants/${refund.merchantId}">${refund.merchantName ?? refund.merchantId}</a>`,
    ],
    [
      texts.payment,
      refund.parentPaymentId === undefined
        ? undefined
        : html`<a href="/payments/${refund.parentPaymentId}">${refund.orderId}</a>`,
    ],
    [own.ofPayment, refund.ofPayment && amountText(reader, refund.ofPayment.amount, refund.currency)],
    [own.takenAlready, takenAlready(reader, refund)],
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
    [texts.lastInquiry, refund.lastInquiry && causeText(reader, refund.lastInquiry)],
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

const act = actOn({ list: "/refunds", id: "refundId" }, answerRefund);
