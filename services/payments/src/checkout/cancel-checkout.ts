import type { CheckoutPage, CommandReply } from "@holdfast/contracts";
import { mayBePaid } from "./checkout.ts";
import { closeCheckout, lockCheckout } from "./checkout-queries.ts";
import { viewCheckout } from "./read-checkout.ts";
import type { SettleCheckoutDeps } from "./settle-checkout.ts";

/** The buyer goes back to the shop. A checkout whose payment is under way, or was made, stays as it is. */
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
