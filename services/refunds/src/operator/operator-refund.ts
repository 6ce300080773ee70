import {
  amountToJson,
  currencyExponent,
  kindOf,
  merchantIdOf,
  nameOf,
  resolutionOf,
  type OperatorRefund,
  type OperatorRefundDetail,
  type ProposalColumns,
} from "@holdfast/contracts";
import type { Selectable } from "kysely";
import type { Remaining } from "../payments-port.ts";
import type { RefundApprovalTable, RefundHistoryTable } from "../database.ts";
import { isUnderWay } from "../refund/refund.ts";
import { refundRecord, shownReference, type RefundRow } from "../refund/refund-record.ts";

export type Approval = Selectable<RefundApprovalTable>;
/** A refund's row with the columns that the operator's view adds; ages are by the database's clock. */
export type OperatorRefundRow = RefundRow &
  ProposalColumns & {
    age_ms: number;
    state_age_ms: number;
    /** The position in the list, see `TimePosition`. */
    created_at_utc: string;
  };

export type OperatorView = {
  /** Age from which a refund of unknown outcome needs an operator. */
  overdueAfterMs: number;
};

/** @param remaining the refundable part of the payment by `payments`' present answer, if it answered. */
export function operatorRefund(
  row: OperatorRefundRow,
  { approvals, remaining }: { approvals: Approval[]; remaining: Remaining | undefined },
  { overdueAfterMs }: OperatorView,
): OperatorRefund {
  return {
    ...refundRecord(row),
    refundId: row.refund_id,
    merchantId: merchantIdOf(row.merchant_id),
    state: row.state,
    ageSeconds: Math.floor(row.age_ms / 1_000),
    ...(remaining && { remainingRefundableAmount: remaining.amount, ofPayment: remaining.ofPayment }),
    approvals: approvals.length,
    approvalsRequired: approvalsRequiredFor(row, remaining),
    approvedBy: approvals.map(({ approved_by, note, at }) => ({
      operator: nameOf(approved_by),
      ...(note !== null && { note }),
      at: at.toISOString(),
    })),
    ...(row.requested_by !== null && { requestedBy: nameOf(row.requested_by) }),
    ...(row.requested_by !== null &&
      kindOf(row.requested_by) === "staff" && { requestedByStaff: true as const }),
    ...(row.request_reason !== null && { requestReason: row.request_reason }),
    ...(row.credential_issued_by !== null && { credentialIssuedBy: nameOf(row.credential_issued_by) }),
    ...(row.credential_issued_by !== null &&
      kindOf(row.credential_issued_by) === "staff" && { credentialIssuedByStaff: true as const }),
    ...(row.rejected_by !== null && { rejectedBy: nameOf(row.rejected_by) }),
    ...(row.rejection_reason !== null && { rejectionReason: row.rejection_reason }),
    overdue: isUnderWay(row.state) && row.state_age_ms > overdueAfterMs,
    attempts: row.recovery_attempts,
    ...(row.last_inquiry !== null && { lastInquiry: row.last_inquiry }),
    ...(row.recover_at !== null && { nextAttemptAt: row.recover_at.toISOString() }),
    ...bankOf(row),
    // A proposal that nobody confirmed before the bank answered no longer applies.
    ...(row.state === "EXECUTING" && resolutionOf(row)),
  };
}

/**
 * The required approvals of a pending refund follow its payment; a decided refund keeps the number of its
 * decision.
 */
function approvalsRequiredFor(row: OperatorRefundRow, remaining: Remaining | undefined): number {
  const now = row.state === "PENDING_APPROVAL" ? remaining?.approvalsRequired : undefined;
  return now ?? row.approvals_required ?? 1;
}

/** The call to the bank and its answer; merchants see the answer together with the final state only. */
function bankOf(row: OperatorRefundRow): Pick<OperatorRefund, "bank"> {
  const wasAsked = row.state !== "PENDING_APPROVAL" && row.rejected_by === null;
  if (!wasAsked) return {};
  const { approved_minor, approved_currency, external_transaction_id, auth_code } = row;
  const approved = approved_minor !== null &&
    approved_currency !== null && {
      approvedAmount: amountToJson(
        approved_minor,
        currencyExponent(approved_currency) ?? row.currency_exponent,
      ),
      approvedCurrency: approved_currency,
    };
  return {
    bank: {
      reference: shownReference(row),
      ...approved,
      ...(external_transaction_id !== null && { externalTransactionId: external_transaction_id }),
      ...(auth_code !== null && { authCode: auth_code }),
      ...(row.result_code !== null && { resultCode: row.result_code }),
      ...(row.result_message !== null && { resultMessage: row.result_message }),
    },
  };
}

export function operatorRefundDetail(
  refund: OperatorRefund,
  history: Selectable<RefundHistoryTable>[],
): OperatorRefundDetail {
  return {
    ...refund,
    history: history.map(({ version, from_state, to_state, cause, at }) => ({
      version,
      from: from_state,
      to: to_state,
      cause,
      at: at.toISOString(),
    })),
  };
}
