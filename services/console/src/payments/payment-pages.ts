import {
  operations,
  type Chargeback,
  type OperatorPaymentLife,
  type PaymentSettlement,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { OperatorApiProblemError } from "../api/operator-api.ts";
import { renderActions } from "../ui/action-forms.ts";
import { amountDecimal, amountText, cardText, statusBadge, timeElement } from "../ui/format.ts";
import { offersOfPayment, refundableOf } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { paymentList } from "./payment-list.ts";
import { readList } from "../ui/read-list.ts";
import { readAmount } from "../ui/read-number.ts";
import { statementIn } from "../refunds/refund-pages.ts";
import { eventsOfSettlement } from "../settlement/settlement-events.ts";
import { SETTLEMENT_TEXTS } from "../settlement/settlement-texts.ts";
import { facts } from "../ui/table.ts";
import { doneNotice, takeAction, type ActionRequest } from "../ui/take-action.ts";
import { eventsOfPayment, renderTimeline } from "../ui/timeline.ts";

/** The list of payments, and each payment on one timeline with its actions. */
export const paymentPages: Page[] = [
  paymentList,
  {
    audience: "everybody",
    method: "GET",
    path: "/payments/:paymentId",
    answer: (context) => answerPayment(context),
  },
  {
    audience: "staff",
    method: "POST",
    path: "/payments/:paymentId/capture",
    answer: (context) => act(context, { action: "capture", endpoint: operations.capture, body: {} }),
  },
  {
    audience: "staff",
    method: "POST",
    path: "/payments/:paymentId/cancel",
    answer: (context) => act(context, { action: "cancel", endpoint: operations.cancel, body: {} }),
  },
  {
    method: "POST",
    path: "/payments/:paymentId/inquire",
    answer: (context) =>
      act(context, { action: "inquire", endpoint: operations.inquirePayment, body: undefined }),
  },
  {
    method: "POST",
    path: "/payments/:paymentId/reverse",
    answer: (context) =>
      act(context, { action: "reverse", endpoint: operations.reversePayment, body: undefined }),
  },
  {
    method: "POST",
    path: "/payments/:paymentId/resolve",
    answer: (context) =>
      act(context, { action: "resolve", endpoint: operations.resolvePayment, ...statementIn(context) }),
  },
  { audience: "everybody", method: "POST", path: "/payments/:paymentId/refund", answer: requestRefund },
];

async function answerPayment(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { reader, parameters } = context;
  const { texts } = reader;
  const paymentId = parameters["paymentId"]!;
  const [life, chargebacks, settlement] = await Promise.all([
    context.api.read(operations.getOperatorPayment, { path: { paymentId } }),
    readList(context, context.api.read(operations.listChargebacks, { query: { paymentId, limit: "200" } })),
    readSettlement(context, paymentId),
  ]);
  const { payment, resolution } = life;
  const content = html`${facts([...factsOfPayment(reader, life), ...disputesOf(reader, chargebacks.items)])}
  ${
    resolution &&
    html`<p>
      ${texts.proposed(resolution.proposedBy)} ${texts.outcome}: ${statusBadge(reader, resolution.outcome)}
      ${texts.evidence}: ${resolution.evidence}
    </p>`
  }
  ${renderActions(context, offersOfPayment(life, context.session, texts), {
    path: `/payments/${payment.paymentId}`,
    amount: amountText(reader, payment.amount, payment.currency),
    about: texts.cardAndOrder(cardText(payment.pan), payment.orderId, life.merchantName ?? life.merchantId),
    refundable: {
      amount: amountDecimal(refundableOf(payment), payment.currency),
      currency: payment.currency,
    },
  })}
  ${renderTimeline(reader, [
    ...eventsOfPayment(reader, life, chargebacks.items),
    ...(settlement ? eventsOfSettlement(reader, settlement) : []),
  ])}
  ${settlement === undefined && html`<p class="quiet">${SETTLEMENT_TEXTS[reader.language].away}</p>`}`;
  return {
    kind: "page",
    title: `${texts.payment} ${payment.orderId}`,
    content,
    isTest: !payment.livemode,
    notice: notice ?? doneNotice(context),
    ...(status !== undefined && { status }),
  };
}

/** The content of the banks' files is for operators alone: a merchant's part of it is in its statements. */
async function readSettlement(
  { api, session }: PageContext,
  paymentId: string,
): Promise<PaymentSettlement | undefined> {
  if (session.staff) return { lines: [], differences: [], more: false };
  try {
    return await api.read(operations.getPaymentSettlement, { path: { paymentId } });
  } catch (error) {
    // Without the settlement service a payment is shown all the same, and the page says what is missing.
    const isAway = error instanceof OperatorApiProblemError && [404, 503].includes(error.problem.status);
    if (!isAway) throw error;
    return undefined;
  }
}

function factsOfPayment(reader: Reader, life: OperatorPaymentLife) {
  const { texts } = reader;
  const { payment } = life;
  const amount = (value: number | undefined) =>
    value === undefined ? undefined : amountText(reader, value, payment.currency);
  return [
    [texts.amount, amount(payment.amount)],
    [texts.statusWord["CAPTURED"]!, amount(payment.capturedAmount)],
    [texts.refundable, amount(payment.refundableAmount)],
    [texts.status, statusBadge(reader, payment.status)],
    [texts.state, statusBadge(reader, life.state)],
    ["Id", html`<code>${payment.paymentId}</code>`],
    [
      texts.merchant,
      html`<a href="/merchants/${life.merchantId}">${life.merchantName ?? life.merchantId}</a>`,
    ],
    [texts.order, payment.orderId],
    [texts.customer, payment.customerId],
    [texts.card, [payment.cardScheme, cardText(payment.pan)].filter(Boolean).join(" ")],
    [texts.cardHolder, payment.cardHolderName],
    [texts.made, timeElement(reader, payment.paymentDate)],
    [texts.bankReference, payment.externalTransactionId],
    [texts.authCode, payment.authCode],
    [texts.bankSaid, payment.resultMessage ?? payment.resultCode],
    [texts.attempts, life.attempts],
    [texts.lastInquiry, life.lastInquiry],
    [
      texts.nextAttempt,
      life.nextAttemptAt === undefined ? undefined : timeElement(reader, life.nextAttemptAt),
    ],
    [texts.credentialBy, life.credentialIssuedBy],
  ] as const;
}

/** The ways to the payment's disputes. */
function disputesOf(reader: Reader, chargebacks: readonly Chargeback[]): [string, Html][] {
  if (chargebacks.length === 0) return [];
  const links = chargebacks.map(
    ({ chargebackId, amount, currency, status }) =>
      html`<a href="/disputes/${chargebackId}">${amountText(reader, amount, currency)}</a>
        ${statusBadge(reader, status)} `,
  );
  return [[reader.texts.disputes, html`${links}`]];
}

async function requestRefund(context: PageContext): Promise<PageAnswer> {
  const { api, form, parameters, reader } = context;
  const reason = form.get("reason")?.trim() ?? "";
  const { payment } = await api.read(operations.getOperatorPayment, {
    path: { paymentId: parameters["paymentId"]! },
  });
  const amount = readAmount(reader, form.get("amount") ?? "", payment.currency);
  const needs = amount.fault ?? (reason === "" ? reader.texts.needRefundReason : undefined);
  return await act(context, {
    action: "refund",
    endpoint: operations.requestRefundForMerchant,
    body: { amount: Number(amount.value), currency: payment.currency, reason },
    ...(needs !== undefined && { needs }),
  });
}

async function act(context: PageContext, request: Omit<ActionRequest, "path" | "page">): Promise<PageAnswer> {
  const paymentId = context.parameters["paymentId"]!;
  return await takeAction(
    context,
    { ...request, path: { paymentId }, page: `/payments/${encodeURIComponent(paymentId)}` },
    answerPayment,
  );
}
