import type {
  CancelCheckoutOfMerchant,
  CheckoutPage,
  CheckoutRecord,
  CommandReply,
} from "@holdfast/contracts";
import { fingerprintRequest } from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { underEachKey } from "../fingerprint/keyed-hash.ts";
import { decideCheckout, mayBePaid } from "./checkout.ts";
import { lockCheckout, type FoundCheckout } from "./checkout-queries.ts";
import { checkoutRecord } from "./checkout-record.ts";
import { closeCheckout } from "./close-checkout.ts";
import { viewCheckout } from "./read-checkout.ts";
import { concludeCheckout, type ConcludeCheckoutDeps } from "./conclude-checkout.ts";
import { withIdempotencyKey } from "./with-idempotency-key.ts";

/**
 * Cancels a checkout whose buyer goes back to the shop. A checkout whose payment is under way, or was made,
 * stays unchanged.
 */
export async function cancelCheckout(
  deps: ConcludeCheckoutDeps,
  checkoutId: string,
): Promise<CommandReply<CheckoutPage>> {
  const cancelled = await deps.db.transaction().execute((trx) => cancelLocked(deps, trx, checkoutId));
  if (cancelled.hasClosed) deps.events.checkoutClosed(cancelled.checkout!.row);
  return await viewCheckout(deps, checkoutId);
}

/**
 * Cancels a checkout for its merchant. A payment that is being claimed has locked the checkout: the second of
 * the two finds the first one's commit, and changes nothing.
 */
export async function cancelCheckoutOfMerchant(
  deps: ConcludeCheckoutDeps & { fingerprintKeys: KeyRing },
  { context, payload: { checkoutId, requestId } }: Incoming<CancelCheckoutOfMerchant>,
): Promise<CommandReply<CheckoutRecord>> {
  const found = await concludeCheckout(deps, checkoutId, context.merchant.merchantId);
  if (!found) return { outcome: "problem", code: "checkout_not_found" };
  const { hash, older } = underEachKey(deps.fingerprintKeys, (key) => fingerprintRequest(key, [checkoutId]));
  const taking = { fingerprint: hash, older, resourceId: requestId };
  let closed: FoundCheckout | undefined;
  const reply = await withIdempotencyKey(
    deps.db,
    context,
    taking,
    async (trx) => {
      const { checkout, hasClosed, isUnderWay } = await cancelLocked(deps, trx, checkoutId);
      if (hasClosed) closed = checkout;
      return answerOf(checkout, isUnderWay);
    },
    (refused) => refused.outcome === "problem" && refused.code === "operation_in_progress",
  );
  if (closed) deps.events.checkoutClosed(closed.row);
  return reply;
}

function answerOf(checkout: FoundCheckout | undefined, isUnderWay: boolean): CommandReply<CheckoutRecord> {
  if (!checkout) return { outcome: "problem", code: "checkout_not_found" };
  if (isUnderWay) return { outcome: "problem", code: "operation_in_progress", detail: UNDER_WAY };
  if (checkout.row.state !== "CANCELLED") {
    const detail = `It is ${checkout.row.state}.`;
    return { outcome: "problem", code: "checkout_not_open", detail };
  }
  return { outcome: "done", result: checkoutRecord(checkout) };
}

const UNDER_WAY = "A payment of the checkout is under way; it is cancelled or stays as that payment decides.";

/** Cancels a checkout on its locked row, if it may be cancelled now; closes it if it has ended otherwise. */
async function cancelLocked(
  deps: ConcludeCheckoutDeps,
  trx: Transaction<PaymentsDatabase>,
  checkoutId: string,
): Promise<{ checkout: FoundCheckout | undefined; hasClosed: boolean; isUnderWay: boolean }> {
  const locked = await lockCheckout(trx, checkoutId);
  const unchanged = { checkout: locked, hasClosed: false, isUnderWay: false };
  if (!locked || locked.row.state !== "OPEN") return unchanged;
  const stands = decideCheckout(locked.standing, locked.attempt, deps.limits.checkoutAttemptsMax);
  const may = mayBePaid(locked.standing, locked.attempt, deps.limits.checkoutAttemptsMax);
  if (stands === "OPEN" && !may) return { ...unchanged, isUnderWay: true };
  const to = stands === "OPEN" ? "CANCELLED" : stands;
  const { closed, checkout } = await closeCheckout(trx, checkoutId, to);
  return { checkout, hasClosed: closed, isUnderWay: false };
}
