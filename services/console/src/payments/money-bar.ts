import {
  chargedAmount,
  currencyExponent,
  type ApiPaymentResponse,
  type OperatorRefund,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { amountText } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import { REFUND_TEXTS } from "../refunds/refund-texts.ts";
import { PAYMENT_TEXTS } from "./payment-texts.ts";

type Payment = Pick<
  ApiPaymentResponse,
  | "amount"
  | "capturedAmount"
  | "chargedBackAmount"
  | "currency"
  | "installmentTotal"
  | "pendingRefundAmount"
  | "refundableAmount"
  | "refundedAmount"
  | "status"
  | "transactionType"
>;

/** The payment's amounts beside each of its refunds. */
type OfPayment = OperatorRefund["ofPayment"];

/**
 * The parts of a payment's money, in minor units: `kept`, `pending`, `refunded` and `disputed` add up to
 * `whole` plus `beyond`.
 */
export type MoneyParts = Record<"whole" | "kept" | "pending" | "refunded" | "disputed", number> & {
  /** The amount by which refunds and chargebacks exceed the whole. */
  beyond: number;
};

/** The parts of the charged or reserved amount; undefined if there is none. */
export function moneyParts(payment: Payment, ofPayment?: OfPayment): MoneyParts | undefined {
  const { status, capturedAmount, currency } = payment;
  const amount = chargedAmount(payment);
  if (status !== "SUCCESS" && status !== "CAPTURED") return undefined;
  const unit = 10 ** (currencyExponent(currency) ?? 2);
  const minor = (value: number | undefined) => Math.round((value ?? 0) * unit);
  const whole = minor(status === "CAPTURED" ? (capturedAmount ?? amount) : amount);
  const [pending, disputed] = [minor(payment.pendingRefundAmount), minor(payment.chargedBackAmount)];
  // The record has no such amounts without refunds and chargebacks.
  const kept = payment.refundableAmount === undefined ? whole : minor(payment.refundableAmount);
  // Releases count as refunds: those before a capture were never charged.
  const releasedMax = status === "CAPTURED" ? minor(amount) - whole : 0;
  const paid =
    status === "CAPTURED" && ofPayment
      ? minor(ofPayment.refundedAmount)
      : minor(payment.refundedAmount) - releasedMax;
  const rest = Math.max(0, whole - kept - pending - disputed);
  // A dispute may be about what was refunded already: then the rest is less than was paid.
  const refunded = kept > 0 ? rest : Math.max(rest, paid);
  const beyond = Math.max(0, kept + pending + refunded + disputed - whole);
  return { whole, kept, pending, refunded, disputed, beyond };
}

/** One bar of what is kept, waits to be refunded, is refunded and is disputed, with the amounts below it. */
export function moneyBar(reader: Reader, payment: Payment, ofPayment?: OfPayment): Html {
  const parts = moneyParts(payment, ofPayment);
  if (!parts) return html``;
  const texts = { ...REFUND_TEXTS[reader.language], ...PAYMENT_TEXTS[reader.language] };
  const unit = 10 ** (currencyExponent(payment.currency) ?? 2);
  const text = (minor: number) => amountText(reader, minor / unit, payment.currency);
  const isReserved = payment.status === "SUCCESS" && payment.transactionType === "PRE_AUTHORIZATION";
  const shown = [
    { name: isReserved ? texts.reservedPart : texts.keptPart, look: "kept", value: parts.kept },
    { name: texts.pendingPart, look: "pending", value: parts.pending },
    { name: texts.refundedPart, look: "refunded", value: parts.refunded },
    { name: texts.disputedPart, look: "disputed", value: parts.disputed },
  ];
  const sum = Math.max(1, parts.whole + parts.beyond);
  let from = 0;
  return html`<section class="money">
    <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      ${shown.map(({ look, value }) => {
        const width = Math.round((value / sum) * 10_000) / 100;
        const part = html`<rect class="${look}" x="${from}" width="${width}" height="4" />`;
        from += width;
        return part;
      })}
    </svg>
    <ul>
      ${shown.map(
        ({ name, look, value }) =>
          html`<li><span class="swatch ${look}"></span>${name} <strong>${text(value)}</strong></li>`,
      )}
    </ul>
    ${parts.beyond > 0 && html`<p class="fault">${texts.beyond(text(parts.beyond))}</p>`}
  </section>`;
}
