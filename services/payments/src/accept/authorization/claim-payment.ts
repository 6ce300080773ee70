import type { CommandReply } from "@holdfast/contracts";
import { certainlyNotCommitted } from "@holdfast/postgres";
import { failpoint } from "@holdfast/service-runtime";
import type { BusinessEvents } from "../../payment/business-events.ts";
import { NOT_YET_ANSWERED, type PaymentToConclude } from "../../payment/authorization-outcome.ts";
import type { Claim, ClaimRow } from "../../payment/payment-statements.ts";
import type { Join, PaymentWrites } from "../../payment/payment-writes.ts";
import { orderUndecided } from "../../payment/undecided-order.ts";

type Deps = { writes: Pick<PaymentWrites, "claim">; events: Pick<BusinessEvents, "writeFailed"> };

/**
 * Claims a payment, whose card is sent to the bank next.
 * @param join writes an enrolled payment's session, or a checkout's row, in the same transaction.
 * @returns the payment, or the answer to a request that claims none; `taken` if the payment or its key
 * exists.
 */
export async function claimPayment(
  { writes, events }: Deps,
  row: ClaimRow,
  state: Claim["state"],
  join: Join | undefined,
): Promise<PaymentToConclude | Exclude<CommandReply<never>, { result: unknown }> | "taken"> {
  try {
    await failpoint("payments.before_claim");
    const claimed = await writes.claim({ ...row, state }, join);
    await failpoint(state === "ENROLLING" ? "payments.after_enrolment_claim" : "payments.after_claim");
    if (!claimed) return "taken";
    if ("undecided" in claimed) return orderUndecided(claimed.undecided);
    const { created_at } = claimed;
    return { ...row, ...NOT_YET_ANSWERED, state, version: 1, state_since: created_at, created_at };
  } catch (error) {
    events.writeFailed("claim", row, error);
    return { outcome: certainlyNotCommitted(error) ? "not_started" : "in_doubt" };
  }
}
