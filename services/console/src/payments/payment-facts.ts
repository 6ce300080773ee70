import {
  chargedAmount,
  MERCHANT_FIELDS,
  RESULT_CODES,
  type Chargeback,
  type OperatorPaymentLife,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import type { Movement } from "../settlement/bank-lines.ts";
import { causeText } from "../ui/cause-texts.ts";
import {
  amountText,
  cardText,
  modeText,
  statusBadge,
  statusWord,
  testBadge,
  timeElement,
} from "../ui/format.ts";
import type { PageContext, Reader } from "../ui/page-context.ts";
import { REFUND_TEXTS } from "../refunds/refund-texts.ts";
import { PAYMENT_TEXTS } from "./payment-texts.ts";

/** The facts of a payment. @param account the name of its account at the bank. */
export function factsOfPayment(reader: Reader, life: OperatorPaymentLife, account: string | undefined) {
  const { texts } = reader;
  const own = PAYMENT_TEXTS[reader.language];
  const { payment } = life;
  const amount = (value: number | undefined) =>
    value === undefined ? undefined : amountText(reader, value, payment.currency);
  const types: Record<string, string> = { PAYMENT: own.sale, PRE_AUTHORIZATION: own.preAuthorization };
  const kindOfCard = [payment.cardType, payment.domInt].map((code) => code && statusWord(reader, code));
  const card = [payment.cardScheme, cardText(payment.pan), ...kindOfCard];
  return [
    [texts.amount, amount(payment.amount)],
    [texts.statusWord["CAPTURED"]!, amount(payment.capturedAmount)],
    [texts.refundable, amount(payment.refundableAmount)],
    [own.commission, amount(payment.merchantCommission)],
    [own.type, types[payment.transactionType ?? ""]],
    [own.installments, payment.installmentCount],
    [own.installmentTotal, amount(payment.installmentTotal)],
    [
      texts.merchant,
      html`<a href="/merchants/${life.merchantId}">${life.merchantName ?? life.merchantId}</a>`,
    ],
    [texts.order, payment.orderId],
    ...MERCHANT_FIELDS.map((field) => [own.merchantFields[field], payment[field]] as const),
    [texts.card, card.filter(Boolean).join(" ")],
    [texts.cardHolder, payment.cardHolderName],
    [own.buyerAddress, life.requestIp],
    [texts.made, timeElement(reader, payment.paymentDate)],
    [texts.mode, modeText(reader, payment.livemode)],
    [own.account, life.accountId && (account ?? life.accountId)],
    [own.bankOrder, life.bankOrderId && html`<code>${life.bankOrderId}</code>`],
    [texts.bankReference, payment.externalTransactionId],
    [texts.authCode, payment.authCode],
    [texts.bankSaid, saidOf(reader, payment)],
    ["Id", html`<code>${payment.paymentId}</code>`],
    [texts.attempts, life.unresolved ? life.attempts : undefined],
    [texts.lastInquiry, life.lastInquiry && causeText(reader, life.lastInquiry)],
    [
      texts.nextAttempt,
      life.nextAttemptAt === undefined ? undefined : timeElement(reader, life.nextAttemptAt),
    ],
    [texts.credentialBy, life.credentialIssuedBy],
  ] as const;
}

/** The reason in words: of the gateway's own codes in the reader's language, and otherwise the bank's. */
function saidOf(reader: Reader, { resultCode, resultMessage }: OperatorPaymentLife["payment"]) {
  const isOwn = resultCode !== undefined && Object.hasOwn(RESULT_CODES, resultCode);
  if (isOwn) return causeText(reader, resultCode);
  return resultMessage ?? resultCode;
}

/** Badges for the status, and for facts that the status does not show. */
export function badges(reader: Reader, life: OperatorPaymentLife, chargebacks: readonly Chargeback[]): Html {
  const own = PAYMENT_TEXTS[reader.language];
  const { payment } = life;
  const badge = (isSo: boolean, look: string, text: string) =>
    isSo && html`<span class="badge ${look}">${text}</span>`;
  const isOpen = ({ status }: { status: string }) => status === "OPEN";
  return html`<p class="badges">
    ${statusBadge(reader, payment.status)} ${life.state !== payment.status && statusBadge(reader, life.state)}
    ${badge(life.unresolved, "open", own.outcomeUnknown)} ${badge(life.overdue, "bad", own.overdue)}
    ${badge((payment.pendingRefundAmount ?? 0) > 0, "open", own.refundPending)}
    ${badge(chargebacks.some(isOpen), "bad", REFUND_TEXTS[reader.language].disputedPart)}
    ${testBadge(reader, payment.livemode)}
  </p>`;
}

/** The payment and its refunds, as the bank's lines name them. */
export function movementsOf(reader: Reader, { payment, refunds }: OperatorPaymentLife): Movement[] {
  const { texts } = reader;
  return [
    {
      id: payment.paymentId,
      name: texts.payment,
      amount: payment.capturedAmount ?? chargedAmount(payment),
      currency: payment.currency,
    },
    ...refunds.map(({ refundId, amount, currency }) => ({
      id: refundId,
      name: html`<a href="/refunds/${refundId}">${texts.refund}</a>`,
      amount: -amount,
      currency,
    })),
  ];
}

/** The ways to the payment's refunds. */
export function refundsOf(reader: Reader, { refunds }: OperatorPaymentLife): [string, Html][] {
  if (refunds.length === 0) return [];
  const links = refunds.map(
    ({ refundId, amount, currency, status }) =>
      html`<a href="/refunds/${refundId}">${amountText(reader, amount, currency)}</a>
        ${statusBadge(reader, status)} `,
  );
  return [[reader.texts.refunds, html`${links}`]];
}

/** The payment's disputes, with the ways to them for those who work on them. */
export function disputesOf(
  { reader, session }: PageContext,
  chargebacks: readonly Chargeback[],
): [string, Html][] {
  if (chargebacks.length === 0) return [];
  const links = chargebacks.map(
    ({ chargebackId, amount, currency, status }) =>
      html`${
        session.staff
          ? amountText(reader, amount, currency)
          : html`<a href="/disputes/${chargebackId}">${amountText(reader, amount, currency)}</a>`
      }
      ${statusBadge(reader, status)} `,
  );
  return [[reader.texts.disputes, html`${links}`]];
}
