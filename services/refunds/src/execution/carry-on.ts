import type { RefundRow } from "../refund/refund-record.ts";
import type { LeasedRefund } from "../refund/refund-queries.ts";
import { endRefund, ENDS, type EndingState } from "./end-refund.ts";
import { executeRefund, resumeExecution, type ExecuteDeps } from "./execute-refund.ts";

/**
 * Takes a decided refund as far as it will go now, phase by phase, each committed before the next.
 * @param resumed whether somebody may have asked the bank before.
 */
export async function carryOn(
  deps: ExecuteDeps,
  refund: LeasedRefund,
  { resumed }: { resumed: boolean },
): Promise<void> {
  let current: RefundRow | undefined = refund;
  if (refund.state === "EXECUTING") {
    current = await (resumed ? resumeExecution(deps, refund) : executeRefund(deps, refund));
  }
  if (current && isEnding(current)) await endRefund(deps, current);
}

function isEnding(refund: RefundRow): refund is LeasedRefund & { state: EndingState } {
  return refund.state in ENDS && refund.lease_token !== null;
}
