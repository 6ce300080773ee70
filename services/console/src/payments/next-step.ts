import type { Chargeback, OperatorPaymentLife, PaymentSettlement } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { amountText } from "../ui/format.ts";
import type { PageContext } from "../ui/page-context.ts";
import { PAYMENT_TEXTS } from "./payment-texts.ts";

/**
 * The work that waits for an operator about this payment, the most urgent first, as a button that leads to it: a dispute
 * has a deadline, a refund a buyer who waits. A payment of unknown outcome has its actions below.
 */
export function nextStep(
  { reader, session }: PageContext,
  {
    life,
    chargebacks,
    settlement,
  }: {
    life: OperatorPaymentLife;
    chargebacks: readonly Chargeback[];
    settlement: PaymentSettlement | undefined;
  },
): Html {
  const texts = PAYMENT_TEXTS[reader.language];
  if (session.staff || life.unresolved) return html``;
  const dispute = chargebacks.find(({ status }) => status === "OPEN");
  const refund = life.refunds.findLast(({ state }) => state === "PENDING_APPROVAL");
  const difference = settlement?.differences.find(({ state }) => state === "OPEN" || state === "PROPOSED");
  const steps = [
    dispute && {
      href: `/disputes/${dispute.chargebackId}`,
      text: texts.answerDispute(amountText(reader, dispute.amount, dispute.currency)),
    },
    refund && {
      href: `/refunds/${refund.refundId}`,
      text: texts.decideRefund(amountText(reader, refund.amount, refund.currency)),
    },
    difference && {
      href: `/settlement/differences/${difference.differenceId}`,
      text: texts.workOnDifference,
    },
  ].filter((step) => step !== undefined);
  const [first, ...others] = steps;
  if (!first) return html``;
  return html`<p class="buttons">
    <span class="quiet">${texts.nextStep}:</span>
    <a class="button primary" href="${first.href}">${first.text}</a>
    ${others.map(({ href, text }) => html`<a class="button" href="${href}">${text}</a>`)}
  </p>`;
}
