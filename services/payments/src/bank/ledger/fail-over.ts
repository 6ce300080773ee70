import type { AcquirerOutcome, Declined, EnrolmentOutcome, Unknown } from "@holdfast/acquirer";
import { certainlyNotCommitted } from "@holdfast/postgres";
import { failpoint } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import { moveCall } from "./call-queries.ts";
import type { RouteStep } from "../account/decide-route.ts";
import type { PaymentsDatabase } from "../../database.ts";
import type { BusinessEvents } from "../../payment/business-events.ts";

type Deps = {
  db: Kysely<PaymentsDatabase>;
  events: Pick<BusinessEvents, "writeFailed">;
  now: () => number;
};

type Leased = {
  payment_id: string;
  merchant_id: string;
  lease_token: string;
  account_id: string;
  recovery_from?: Date | null;
};

/** The answer of the account that was called last, and the soft decline that led to that call. */
type Called<Outcome> = { outcome: Outcome; declined?: Declined };

/**
 * Calls the payment's account, and then the next accounts of its route as long as no connection was made, so
 * that certainly nothing was sent; and once more after a soft decline. Before each further call the payment
 * is stored with the next account and the previous call is closed, so recovery asks the right bank. Any
 * answer, a lost answer, or a refusal to accept the call ends this.
 *
 * @param payment its `account_id` is the last call's account when this resolves.
 * @param given `route` begins with the payment's account. `retryUntil` is the latest time for a call after a
 * soft decline; absent if none is made.
 */
export async function withFailover<Outcome extends AcquirerOutcome | EnrolmentOutcome>(
  { db, events, now }: Deps,
  payment: Leased,
  given: { route: readonly RouteStep[]; deadlineAt: number; retryUntil?: number | undefined },
  call: () => Promise<Outcome>,
): Promise<Called<Outcome | Unknown>> {
  const { deadlineAt, retryUntil } = given;
  let { route } = given;
  let declined: Declined | undefined;
  for (;;) {
    const outcome = await call();
    const called = { outcome, ...(declined && { declined }) };
    route = routeAfter(outcome, route, { mayRetry: retryUntil !== undefined && !declined });
    const [next] = route;
    if (!next || (outcome.kind !== "not_sent" && outcome.kind !== "declined")) return called;
    await failpoint("payments.before_failover");
    if (outcome.kind === "declined") declined = outcome;
    if (now() > ((declined && retryUntil) ?? deadlineAt)) return called;
    try {
      if (!(await moveCall(db, payment, next.accountId, outcome))) return called;
    } catch (error) {
      events.writeFailed("move", payment, error);
      return afterFailedMove(called, error);
    }
    payment.account_id = next.accountId;
    if (declined) payment.recovery_from = new Date(now());
    await failpoint("payments.after_failover");
  }
}

/**
 * The end of a payment that could not be moved to the next account: the last call's outcome, since no further
 * call was made. The statement may have been committed despite its error, and then the open call is at the
 * next account. A decline is therefore not recorded as the answer to it: recovery asks the account that it
 * finds. An outcome that nothing was sent is true of both calls.
 */
export function afterFailedMove<Outcome extends { kind: string }>(
  called: Called<Outcome>,
  error: unknown,
): Called<Outcome | Unknown> {
  const isCertain = called.outcome.kind === "not_sent" || certainlyNotCommitted(error);
  return isCertain ? called : { outcome: LOST };
}

const LOST: Unknown = { kind: "unknown", reason: "connection_lost" };

/**
 * The accounts that may be called after an answer, the first one first: none where it is the end.
 * @param route begins with the account that has answered.
 */
export function routeAfter(
  outcome: { kind: string; reason?: unknown; declineClass?: unknown },
  [answered, ...others]: readonly RouteStep[],
  { mayRetry }: { mayRetry: boolean },
): readonly RouteStep[] {
  if (foundNoConnection(outcome)) return others;
  if (!mayRetry || outcome.kind !== "declined" || outcome.declineClass !== "soft") return [];
  return others.filter(({ accountId }) => answered?.retriesAt.includes(accountId));
}

/** True if certainly nothing was sent, so that another account may be called instead. */
function foundNoConnection(outcome: { kind: string; reason?: unknown }): boolean {
  return outcome.kind === "not_sent" && outcome.reason === undefined;
}
