import type { OperatorRefund } from "./http/operator-refunds.ts";

/**
 * True if a decided refund waits for people to agree again, since `payments` does not know of their consent.
 */
export function waitsForConsent({
  state,
  lastInquiry,
}: Pick<OperatorRefund, "state" | "lastInquiry">): boolean {
  return state === "EXECUTING" && lastInquiry === "refund_not_agreed";
}
