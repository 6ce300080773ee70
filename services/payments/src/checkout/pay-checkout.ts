/**
 * Pays a checkout with a card: a sale or a pre-authorization as any other, but that its claim takes the checkout, too. Of
 * two forms that arrive at once one claims; the other finds a payment under way and makes none. A payment that fails
 * leaves the checkout open for another card, as often as is allowed; one whose outcome is not known keeps it taken.
 */
import { failpoint } from "@holdfast/failpoints";
import type { CheckoutPage, CommandReply, PayCheckout, SellPayment } from "@holdfast/contracts";
import type { Incoming } from "@holdfast/messaging";
import { authorizePayment, type AuthorizePaymentDeps } from "../authorization/authorize-payment.ts";
import type { ClaimRow } from "../payment/payment-statements.ts";
import { claimWithin, type ClaimedPayment } from "../payment/payment-writes.ts";
import { mayBePaid } from "./checkout.ts";
import { findCheckout, lockCheckout, noteAttempt, type CheckoutRow } from "./checkout-queries.ts";
import { checkoutPage } from "./checkout-record.ts";
import { settleCheckout, type SettleCheckoutDeps } from "./settle-checkout.ts";

export type PayCheckoutDeps = AuthorizePaymentDeps & SettleCheckoutDeps & { leaseMs: number };
type Reply = CommandReply<CheckoutPage>;

export async function payCheckout(deps: PayCheckoutDeps, message: Incoming<PayCheckout>): Promise<Reply> {
  const { checkoutId, installmentCount } = message.payload;
  const { merchantId } = message.context.merchant;
  const found = await findCheckout(deps.db, checkoutId, merchantId);
  if (!found) return NOT_FOUND;
  const { row } = found;
  if (!row.installment_options.includes(installmentCount)) {
    return {
      outcome: "problem",
      code: "installments_not_allowed",
      extra: { allowed: row.installment_options },
    };
  }

  const writes = { ...deps.writes, claim: (claim: ClaimRow) => claimAttempt(deps, checkoutId, claim) };
  const payment = await authorizePayment({ ...deps, writes }, paymentOf(message, row), row.transaction_type);
  await failpoint("payments.after_checkout_payment");
  // Not found is what a payment is that was not claimed: the checkout says why.
  if (payment.outcome === "problem" && payment.code !== "payment_not_found") return payment;
  if (payment.outcome === "not_started" || payment.outcome === "in_doubt") return payment;
  const settled = await settleCheckout(deps, checkoutId);
  if (!settled) return NOT_FOUND;
  const outcome = payment.outcome === "pending" ? "pending" : "done";
  return { outcome, result: checkoutPage(settled, deps.checkoutAttemptsMax) };
}

const NOT_FOUND: Reply = { outcome: "problem", code: "checkout_not_found" };

/** The payment's message, as if the merchant had sent it: what the order is comes from the checkout, not from the page. */
function paymentOf(
  { context, traceparent, payload }: Incoming<PayCheckout>,
  row: CheckoutRow,
): Incoming<SellPayment> {
  const { paymentId, cardHolderName, card, installmentCount, requestIp, requestPort } = payload;
  return {
    context,
    traceparent,
    payload: {
      paymentId,
      orderId: row.order_id,
      amountMinor: row.amount_minor.toString(),
      currency: row.currency,
      cardHolderName,
      card,
      requestIp,
      requestPort,
      ...(row.customer_id !== null && { customerId: row.customer_id }),
      installmentCount,
    },
  };
}

/**
 * The payment's claim and the checkout's, in one transaction on the checkout's locked row.
 * @returns undefined when the payment exists already, or the checkout may not be paid now.
 */
async function claimAttempt(
  { db, leaseMs, checkoutAttemptsMax }: PayCheckoutDeps,
  checkoutId: string,
  claim: ClaimRow,
): Promise<ClaimedPayment | undefined> {
  return await db.transaction().execute(async (trx) => {
    const checkout = await lockCheckout(trx, checkoutId);
    if (!checkout || !mayBePaid(checkout.standing, checkout.attempt, checkoutAttemptsMax)) return undefined;
    const claimed = await claimWithin(trx, claim, { leaseMs });
    // A copy of a message whose payment has failed since.
    if (!claimed) return undefined;
    if (!(await noteAttempt(trx, checkout.row, claim.payment_id))) {
      throw new Error("a locked checkout was changed by somebody else");
    }
    return claimed;
  });
}
