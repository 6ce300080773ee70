import type { ApprovalRow, AuditRow, Found, Ledgers, RefundRow } from "../ledgers.ts";

/**
 * Invariant 13. No person approves their own request, nor decides about a request of a credential that they
 * issued. A refund that is carried out has as many approvers as its amount requires, and every decision is in
 * the audit log, once.
 */
export function refundsAreDecidedByOthers({ refunds, approvals, audit, rules }: Ledgers): Found[] {
  const approvalsOf = Map.groupBy(approvals, ({ refundId }) => refundId);
  const auditOf = Map.groupBy(
    audit.filter(({ service }) => service === "refunds"),
    ({ subject }) => subject,
  );
  return refunds.flatMap((refund) => {
    const { refundId, amountMinor, currency } = refund;
    const above = rules.twoApproversAbove[currency];
    const required = above !== undefined && amountMinor > above ? 2 : 1;
    const approved = approvalsOf.get(refundId) ?? [];
    const doubts = [
      ...doubtsAbout(refund, approved, required),
      ...auditDoubts(refund, approved, auditOf.get(refundId) ?? []),
    ];
    return doubts.map((what) => ({ ids: [refundId], what }));
  });
}

function doubtsAbout(
  { state, requestedBy, credentialIssuedBy, rejectedBy }: RefundRow,
  approvals: ApprovalRow[],
  required: number,
) {
  const approvers = new Set(approvals.map(({ approvedBy }) => approvedBy));
  const isRejected = state === "REJECTING" || state === "REJECTED";
  return [
    ...(requestedBy !== null && approvers.has(requestedBy) ? [`${requestedBy} approved their own`] : []),
    ...(credentialIssuedBy !== null &&
    (approvers.has(credentialIssuedBy) || rejectedBy === credentialIssuedBy)
      ? [`${credentialIssuedBy} decided about what their credential asked for`]
      : []),
    ...(CARRIED_OUT.has(state) && approvers.size < required
      ? [`is ${state} with ${approvers.size} of ${required} approvals`]
      : []),
    ...(isRejected === (rejectedBy !== null) ? [] : [`is ${state}, rejected by ${rejectedBy}`]),
  ];
}

const CARRIED_OUT: ReadonlySet<string> = new Set(["EXECUTING", "SETTLING", "FAILING", "SUCCESS", "FAILED"]);

function auditDoubts({ requestedBy, rejectedBy }: RefundRow, approvals: ApprovalRow[], audit: AuditRow[]) {
  const expected = [
    ...approvals.map(({ approvedBy }) => `${nameIn(approvedBy)} refund.approved`),
    ...(rejectedBy === null ? [] : [`${nameIn(rejectedBy)} refund.rejected`]),
    ...(requestedBy === null ? [] : [`${nameIn(requestedBy)} refund.requested`]),
  ];
  const written = audit
    .filter(({ action }) => !action.endsWith("_refused"))
    .map(({ actor, action }) => `${actor} ${action}`);
  if (expected.toSorted().join() === written.toSorted().join()) return [];
  return [`the audit log says ${written.join() || "nothing"}, its rows ${expected.join() || "nothing"}`];
}

/** The name in a recorded person, who is a kind, an issuer and a subject; the audit log has the name. */
function nameIn(person: string): string {
  return person.replace(/^(operator|staff) \S+ /, "");
}
