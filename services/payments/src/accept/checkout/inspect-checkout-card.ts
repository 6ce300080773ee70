import type { CommandReply } from "@holdfast/contracts";
import { findBin } from "../bins/bin-table.ts";
import type { CurrentBins } from "../bins/current-bins.ts";
import { decideCheckout } from "./checkout.ts";
import { settleCheckout, type SettleCheckoutDeps } from "./settle-checkout.ts";

/** The scheme of a card, and the checkout's installments that its programme allows. */
export async function inspectCheckoutCard(
  deps: SettleCheckoutDeps & { bins: CurrentBins["table"] },
  { checkoutId, bin }: { checkoutId: string; bin: string },
): Promise<CommandReply<{ cardScheme?: string; installmentCounts: number[] }>> {
  const found = await settleCheckout(deps, checkoutId);
  // Only a page that can still be paid gets an answer: others must not be used to read the BIN table.
  if (!found || decideCheckout(found.standing, found.attempt, deps.checkoutAttemptsMax) !== "OPEN")
    return { outcome: "problem", code: "checkout_not_found" };
  const bins = deps.bins();
  if (!bins) return { outcome: "not_started" };
  const card = findBin(bins, bin);
  const installmentsMax = card?.installmentsMax ?? 1;
  const installmentCounts = found.row.installment_options.filter((count) => count <= installmentsMax);
  return { outcome: "done", result: { ...(card && { cardScheme: card.cardScheme }), installmentCounts } };
}
