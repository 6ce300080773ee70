import type { CommandReply, PaymentLinkPage } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { insertCheckout } from "./checkout-queries.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { findPaymentLink, linkStatus, type FoundLink } from "./payment-link-queries.ts";
import { paymentLinkPage } from "./payment-link-record.ts";

type Deps = { db: Kysely<PaymentsDatabase>; limits: { checkoutExpiresAfterMs: number } };
type Reply = CommandReply<PaymentLinkPage>;

const NOT_FOUND = { outcome: "problem", code: "payment_link_not_found" } as const;

export async function viewPaymentLink({ db }: Deps, paymentLinkId: string): Promise<Reply> {
  const found = await findPaymentLink(db, paymentLinkId);
  return found ? { outcome: "done", result: paymentLinkPage(found) } : NOT_FOUND;
}

/**
 * Opens a buyer's own checkout of the link's order, if the link is active. It reserves nothing: a one-time
 * link belongs to the buyer who pays first.
 */
export async function beginPaymentLink(
  { db, limits }: Deps,
  { paymentLinkId, checkoutId }: { paymentLinkId: string; checkoutId: string },
): Promise<Reply> {
  return await db.transaction().execute(async (trx): Promise<Reply> => {
    const link = await findPaymentLink(trx, paymentLinkId);
    if (!link) return NOT_FOUND;
    if (linkStatus(link) === "ACTIVE") {
      await insertCheckout(trx, checkoutOf(link, checkoutId), limits.checkoutExpiresAfterMs);
    }
    return { outcome: "done", result: paymentLinkPage(link) };
  });
}

function checkoutOf(link: FoundLink, checkoutId: string) {
  return {
    checkout_id: checkoutId,
    merchant_id: link.merchant_id,
    transaction_type: "PAYMENT" as const,
    // An order has at most one undecided payment, so each payment of a link for many has an order of its own.
    order_id: link.single_use ? link.order_id : `${link.order_id}-${checkoutId.slice(0, 13)}`,
    customer_id: null,
    amount_minor: link.amount_minor,
    currency: link.currency,
    currency_exponent: link.currency_exponent,
    installment_options: link.installment_options,
    three_ds: link.three_ds,
    success_url: link.return_url,
    failure_url: link.return_url,
    payment_link_id: link.payment_link_id,
    credential_issued_by: link.credential_issued_by,
    sealed_details: null,
  };
}
