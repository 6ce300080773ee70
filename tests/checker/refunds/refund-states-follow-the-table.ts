import type { Found, Ledgers, RefundHistoryRow, RefundRow } from "../ledgers.ts";

/**
 * Invariant 8, for refunds. A refund's history is one chain from its reservation to its state, with each step
 * in the table; SUCCESS, FAILED and REJECTED are final. (Readers' views of refunds are compared together with
 * payments.)
 */
export function refundStatesFollowTheTable({ refunds, refundHistory }: Ledgers): Found[] {
  const steps = Map.groupBy(refundHistory, ({ refundId }) => refundId);
  return refunds.flatMap((refund) =>
    faultsOf(refund, steps.get(refund.refundId) ?? []).map((what) => ({ ids: [refund.refundId], what })),
  );
}

function faultsOf({ state, version }: RefundRow, steps: RefundHistoryRow[]): string[] {
  const ordered = steps.toSorted((a, b) => a.version - b.version);
  const faults = ordered.flatMap((step, index) => {
    const before = ordered[index - 1]?.to ?? "RESERVING";
    const name = `step ${step.version} from ${step.from} to ${step.to} (${step.cause})`;
    if (step.version !== index + 1 || step.from !== before) return [`${name} does not follow ${before}`];
    return FOLLOWERS[step.from]?.includes(step.to) ? [] : [`${name} is not in the table`];
  });
  const last = ordered.at(-1);
  const isEnd = last ? last.to === state && last.version === version : state === "RESERVING";
  return isEnd ? faults : [...faults, `is ${state}, its history ends otherwise`];
}

/** The checker's own copy of the state machine (product.md, section 4). */
const FOLLOWERS: Record<string, readonly string[]> = {
  RESERVING: ["PENDING_APPROVAL"],
  PENDING_APPROVAL: ["EXECUTING", "REJECTING"],
  EXECUTING: ["SETTLING", "FAILING"],
  SETTLING: ["SUCCESS"],
  FAILING: ["FAILED"],
  REJECTING: ["REJECTED"],
};
