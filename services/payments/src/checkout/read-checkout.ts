import type { CheckoutPage, CheckoutRecord, CommandReply } from "@holdfast/contracts";
import { findBin } from "../card-bins/bin-table.ts";
import type { CurrentBins } from "../card-bins/current-bins.ts";
import { decideCheckout, mayBePaid } from "./checkout.ts";
import { closeCheckout, lockCheckout, type FoundCheckout } from "./checkout-queries.ts";
import { checkoutPage, checkoutRecord } from "./checkout-record.ts";
import { findSession } from "../three-ds/session-queries.ts";
import { challengeOf } from "../three-ds/session-state.ts";
import { settleCheckout, type SettleCheckoutDeps } from "./settle-checkout.ts";

const NOT_FOUND = { outcome: "problem", code: "checkout_not_found" } as const;

/** One checkout of the merchant that asks. */
export async function readCheckout(
  deps: SettleCheckoutDeps,
  merchantId: string,
  checkoutId: string,
): Promise<CommandReply<CheckoutRecord>> {
  const found = await settleCheckout(deps, checkoutId, merchantId);
  return found ? { outcome: "done", result: checkoutRecord(found) } : NOT_FOUND;
}

/** What the page shows to whoever knows the id. */
export async function viewCheckout(
  deps: SettleCheckoutDeps,
  checkoutId: string,
): Promise<CommandReply<CheckoutPage>> {
  const found = await settleCheckout(deps, checkoutId);
  return found ? { outcome: "done", result: await describeForPage(deps, found) } : NOT_FOUND;
}

/** With the way to the challenge, while its cardholder has one to pass. */
export async function describeForPage(
  { db, checkoutAttemptsMax }: SettleCheckoutDeps,
  found: FoundCheckout,
): Promise<CheckoutPage> {
  const page = checkoutPage(found, checkoutAttemptsMax);
  if (found.payment?.state !== "ENROLLED") return page;
  const session = await findSession(db, { paymentId: found.payment.payment_id });
  const challenge = session && challengeOf(session);
  return { ...page, ...(challenge && { challengeUrl: challenge.pageUrl }) };
}

/** The buyer goes back. A payment that is under way, or was made, stands: the checkout then stays as it is. */
export async function cancelCheckout(
  deps: SettleCheckoutDeps,
  checkoutId: string,
): Promise<CommandReply<CheckoutPage>> {
  const cancelled = await deps.db.transaction().execute(async (trx) => {
    const locked = await lockCheckout(trx, checkoutId);
    if (!locked || !mayBePaid(locked.standing, locked.attempt, deps.checkoutAttemptsMax)) return undefined;
    return (await closeCheckout(trx, checkoutId, "CANCELLED")) ? locked.row : undefined;
  });
  if (cancelled) deps.events.checkoutClosed({ ...cancelled, state: "CANCELLED" });
  return await viewCheckout(deps, checkoutId);
}

/** The scheme of a card, and the checkout's installments that its programme allows. */
export async function inspectCheckoutCard(
  deps: SettleCheckoutDeps & { bins: CurrentBins["table"] },
  { checkoutId, bin }: { checkoutId: string; bin: string },
): Promise<CommandReply<{ cardScheme?: string; installmentCounts: number[] }>> {
  const found = await settleCheckout(deps, checkoutId);
  // Only for whoever is about to pay: the table is not to be read through a page that is over.
  if (!found || decideCheckout(found.standing, found.attempt, deps.checkoutAttemptsMax) !== "OPEN")
    return NOT_FOUND;
  const bins = deps.bins();
  if (!bins) return { outcome: "not_started" };
  const card = findBin(bins, bin);
  const installmentsMax = card?.installmentsMax ?? 1;
  const installmentCounts = found.row.installment_options.filter((count) => count <= installmentsMax);
  return { outcome: "done", result: { ...(card && { cardScheme: card.cardScheme }), installmentCounts } };
}
