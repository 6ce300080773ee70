import { failpoint, startWorkPools, type WorkPools, type WorkPoolsOptions } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { decideCheckout } from "./checkout.ts";
import { closeCheckout } from "./close-checkout.ts";
import {
  checkoutsDueInMs,
  findCheckout,
  findCheckoutsToClose,
  lockCheckout,
  type FoundCheckout,
} from "./checkout-queries.ts";

export type ConcludeCheckoutDeps = {
  db: Kysely<PaymentsDatabase>;
  events: BusinessEvents;
  limits: {
    /** Cards that may be tried on one checkout. */
    checkoutAttemptsMax: number;
  };
};

/**
 * The checkout's present state, after closing it if its payment or its clock requires that. Every read goes
 * through here, so a paid checkout is never shown as OPEN. The periodic rounds below close checkouts that
 * nobody reads.
 *
 * @param merchantId the checkout's merchant, if the caller has to be that merchant.
 */
export async function concludeCheckout(
  deps: ConcludeCheckoutDeps,
  checkoutId: string,
  merchantId?: string,
): Promise<FoundCheckout | undefined> {
  const { db, events, limits } = deps;
  const found = await findCheckout(db, checkoutId, merchantId);
  if (!found || !isToBeClosed(found, limits.checkoutAttemptsMax)) return found;
  await failpoint("payments.before_checkout_close");
  const concluded = await db.transaction().execute(async (trx) => {
    const locked = await lockCheckout(trx, checkoutId);
    if (!locked) return undefined;
    const to = standsAt(locked, limits.checkoutAttemptsMax);
    if (to === "OPEN" || to === locked.row.state) return { closed: false, checkout: locked };
    return await closeCheckout(trx, checkoutId, to);
  });
  if (concluded?.closed && concluded.checkout) events.checkoutClosed(concluded.checkout.row);
  return concluded?.checkout;
}

/** True if its payment or its clock requires that the checkout be closed. */
export function isToBeClosed(found: FoundCheckout, attemptsMax: number): boolean {
  return standsAt(found, attemptsMax) !== found.row.state;
}

function standsAt({ standing, attempt }: FoundCheckout, attemptsMax: number) {
  return decideCheckout(standing, attempt, attemptsMax);
}

/** One round: closes checkouts that are over. Any number of workers may do so side by side. @returns how many it found. */
export async function closeCheckouts(deps: ConcludeCheckoutDeps): Promise<number> {
  const due = await findCheckoutsToClose(deps.db, {
    attemptsMax: deps.limits.checkoutAttemptsMax,
    limit: ROUND_MAX,
  });
  for (const { checkout_id } of due) await concludeCheckout(deps, checkout_id);
  return due.length;
}

const ROUND_MAX = 100;

/**
 * Closes checkouts that are over, for as long as the process runs. Whoever may have ended the payment of one nudges.
 *
 * @param onClosed is called after a round that has found some.
 */
export function startClosingCheckouts(
  deps: ConcludeCheckoutDeps,
  { onClosed, ...options }: ClosingOptions,
): WorkPools {
  let isDue = false;
  return startWorkPools("checkouts", {
    ...options,
    isNudged: true,
    async dueInMs() {
      const inMs = await checkoutsDueInMs(deps.db, deps.limits.checkoutAttemptsMax);
      isDue = inMs !== undefined && inMs <= 0;
      return inMs;
    },
    keys: () => ["all"],
    inFlightMax: () => 1,
    // One item represents all checkouts that have ended.
    lease(all) {
      const items = isDue ? [all] : [];
      isDue = false;
      return Promise.resolve(items);
    },
    async work() {
      if ((await closeCheckouts(deps)) > 0) onClosed();
    },
  });
}

type ClosingOptions = Required<Pick<WorkPoolsOptions<never, never>, "intervalMs" | "clock" | "log">> & {
  onClosed: () => void;
};
