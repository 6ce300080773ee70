/**
 * Pays a checkout with a card: a sale or a pre-authorization like any other, except that its claim also
 * updates the checkout's row. Of two forms that arrive together one claims the checkout. The other finds a
 * payment under way and creates none. After a failed payment the checkout stays open for another card, up to
 * the allowed number of attempts. A payment with an unknown outcome blocks the checkout.
 */
import { orNotStarted } from "@holdfast/postgres";
import { failpoint } from "@holdfast/service-runtime";
import type { CheckoutPage, CommandReply, PayCheckout, SellPayment } from "@holdfast/contracts";
import type { Incoming } from "@holdfast/messaging";
import type { Transaction } from "kysely";
import type { OfCheckout } from "../authorization/admit-payment.ts";
import type { Authorization } from "../authorization/authorize-payment.ts";
import type { PaymentsDatabase } from "../../database.ts";
import type { ThreeDs } from "../three-ds/three-ds-handlers.ts";
import { openCheckoutDetails, type CheckoutDetailsDeps } from "./checkout-details.ts";
import { refuseCardInCheckout } from "./card-in-checkout.ts";
import { mayBePaid } from "./checkout.ts";
import {
  findCheckout,
  lockCheckout,
  recordAttempt,
  type CheckoutRow,
  type FoundCheckout,
} from "./checkout-queries.ts";
import { isTriedOut, takePaymentLink } from "./payment-link-queries.ts";
import { describeForPage } from "./read-checkout.ts";
import { concludeCheckout, type ConcludeCheckoutDeps } from "./conclude-checkout.ts";

export type PayCheckoutDeps = CheckoutDetailsDeps &
  ConcludeCheckoutDeps & {
    /** The two ways to pay, without and with 3-D Secure. */
    paying: Authorization & Pick<ThreeDs, "enrol">;
    /** `linkAttemptsMax`: cards that may be tried on one payment link within an hour without being charged. */
    limits: { linkAttemptsMax: number };
  };
type Reply = CommandReply<CheckoutPage>;

export async function payCheckout(deps: PayCheckoutDeps, message: Incoming<PayCheckout>): Promise<Reply> {
  const { checkoutId, installmentCount } = message.payload;
  const { merchantId } = message.context.merchant;
  const found = await orNotStarted(() => findCheckout(deps.db, checkoutId, merchantId));
  if (!found) return NOT_FOUND;
  if ("outcome" in found) return found;
  const { row } = found;
  if (!row.installment_options.includes(installmentCount)) {
    return {
      outcome: "problem",
      code: "installments_not_allowed",
      extra: { allowed: row.installment_options },
    };
  }
  const { payment_link_id: linkId } = row;
  const isOut = await orNotStarted(
    async () => linkId !== null && (await isTriedOut(deps.db, linkId, deps.limits.linkAttemptsMax)),
  );
  if (isOut === true) return { outcome: "problem", code: "rate_limited" };
  if (isOut !== false) return isOut;
  const ordered = openCheckoutDetails(deps, { checkoutId, merchantId, details: row.sealed_details });
  if (ordered === "sealed") return { outcome: "problem", code: "internal_error" };
  const refused = refuseCardInCheckout(deps, message, row, ordered);
  if (refused) return refused;

  const ofCheckout: OfCheckout = {
    ...(ordered && { ordered }),
    join: (trx) => takeCheckout(deps, trx, message.payload),
  };
  const payment = row.three_ds
    ? await deps.paying.enrol(enrolmentOf(message, row), ofCheckout)
    : await deps.paying.authorize(paymentOf(message, row), row.transaction_type, ofCheckout);
  await failpoint("payments.after_checkout_payment");
  if (payment.outcome === "problem" && !isShownByCheckout(payment)) return payment;
  if (payment.outcome === "not_started" || payment.outcome === "in_doubt") return payment;
  const concluded = await concludeCheckout(deps, checkoutId);
  if (!concluded) return NOT_FOUND;
  if (payment.outcome === "problem" && !isExplainedBy(concluded, payment)) return payment;
  const outcome = payment.outcome === "pending" ? "pending" : "done";
  return { outcome, result: await describeForPage(deps, concluded) };
}

/** The fields of the form that a claim needs. */
type TakingForm = Pick<
  PayCheckout,
  "checkoutId" | "paymentId" | "installmentCount" | "installmentTotalMinor"
>;

type Problem = Extract<CommandReply<unknown>, { outcome: "problem" }>;

/**
 * True if the checkout shows the reason: its payment was not claimed, or its order has an undecided payment.
 */
function isShownByCheckout({ code }: Problem): boolean {
  return code === "payment_not_found" || code === "order_undecided";
}

/** An undecided payment of the same order is shown by the checkout where it is its own, or of the same payment link. */
function isExplainedBy({ row }: FoundCheckout, { code, extra }: Problem): boolean {
  return (
    code !== "order_undecided" || extra?.["paymentId"] === row.payment_id || row.payment_link_id !== null
  );
}

const NOT_FOUND: Reply = { outcome: "problem", code: "checkout_not_found" };

/** The message of a payment with 3-D Secure, whose cardholder returns to the checkout's page in any case. */
function enrolmentOf(message: Incoming<PayCheckout>, row: CheckoutRow) {
  const { context, traceparent, payload } = paymentOf(message, row);
  const { session, checkoutUrl } = message.payload;
  const terms = {
    ...session,
    transactionType: row.transaction_type,
    successUrl: checkoutUrl,
    failureUrl: checkoutUrl,
  };
  return { context, traceparent, payload: { ...payload, ...terms } };
}

/**
 * The payment's message, as if the merchant had sent it: the order, and who issued the merchant's credential, come from the
 * checkout and not from the page.
 */
function paymentOf(
  { context, traceparent, payload }: Incoming<PayCheckout>,
  row: CheckoutRow,
): Incoming<SellPayment> {
  const { paymentId, cardHolderName, card, details, installmentCount, requestIp, requestPort } = payload;
  const merchant = { ...context.merchant, credentialIssuedBy: row.credential_issued_by ?? undefined };
  return {
    context: { ...context, merchant },
    traceparent,
    payload: {
      paymentId,
      orderId: row.order_id,
      amountMinor: row.amount_minor.toString(),
      currency: row.currency,
      cardHolderName,
      card,
      details,
      requestIp,
      requestPort,
      ...(row.customer_id !== null && { customerId: row.customer_id }),
      installmentCount,
      ...totalOf(payload, row),
    },
  };
}

/**
 * The total that the buyer saw, if the checkout's buyers pay for installments. A form without a total has
 * shown the price, which is compared like any other total.
 */
function totalOf(
  { installmentCount, installmentTotalMinor }: TakingForm,
  { installment_prices, amount_minor }: CheckoutRow,
): Pick<SellPayment, "installmentTotalMinor"> {
  if (!installment_prices || installmentCount === 1) return {};
  return { installmentTotalMinor: installmentTotalMinor ?? amount_minor.toString() };
}

/**
 * Updates the checkout for the payment whose first row is written in this transaction, on its locked row: of
 * two forms, the second finds the first one's payment.
 * @returns false if the checkout may not be paid now.
 */
async function takeCheckout(
  { limits: { checkoutAttemptsMax, linkAttemptsMax } }: PayCheckoutDeps,
  trx: Transaction<PaymentsDatabase>,
  form: TakingForm,
): Promise<boolean> {
  const { checkoutId, paymentId, installmentCount } = form;
  const checkout = await lockCheckout(trx, checkoutId);
  if (!checkout || !mayBePaid(checkout.standing, checkout.attempt, checkoutAttemptsMax)) return false;
  const { payment_link_id: linkId } = checkout.row;
  const link = linkId !== null && { paymentLinkId: linkId, paymentId };
  if (link && !(await takePaymentLink(trx, link, linkAttemptsMax))) return false;
  const totalMinor = BigInt(totalOf(form, checkout.row).installmentTotalMinor ?? checkout.row.amount_minor);
  if (await recordAttempt(trx, checkout.row, { paymentId, installmentCount, totalMinor })) return true;
  throw new Error("a locked checkout was changed by somebody else");
}
