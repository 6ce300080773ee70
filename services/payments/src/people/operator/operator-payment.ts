import {
  kindOf,
  nameOf,
  amountToJson,
  isLive,
  merchantIdOf,
  resolutionOf,
  type OperatorPayment,
  type OperatorPaymentDetail,
  type ProposalColumns,
} from "@holdfast/contracts";
import type { Selectable } from "kysely";
import { orderIdOf } from "@holdfast/acquirer";
import { CONNECTORS } from "@holdfast/banks";
import { chargeOf, type BankCall } from "../../bank/ledger/bank-call.ts";
import { operationReference } from "../../bank/ledger/attempts.ts";
import type { PaymentOperationTable } from "../../follow-up/operation/operation-table.ts";
import type { PaymentHistoryTable } from "../../payment/payment-table.ts";
import { isBeingReversed, isUnsettled } from "../../payment/payment.ts";
import { paymentRecord, type PaymentRow, type ShownOperation } from "../../payment/payment-record.ts";
import { reversalOf } from "../../unknown/recovery/reversal.ts";

/** A later inquiry by which the bank carried out a movement that had ended here as not done. */
export type LateSight = { movement_id: string | null; sighted_at: Date };

/** A payment's row with the columns that the operator's view adds. */
export type OperatorPaymentRow = PaymentRow &
  ProposalColumns & {
    last_operation: ShownOperation | null;
    age_ms: number;
    /** The position in the list, see `TimePosition`. */
    created_at_utc: string;
  };

/** @param overdueAfterMs age from which an operator has to settle an unresolved payment. */
export function operatorPayment(row: OperatorPaymentRow, overdueAfterMs: number): OperatorPayment {
  // While a challenge is open the cardholder decides; once recovery has asked in vain it is unresolved.
  const isOverdueSession = row.state === "ENROLLED" && row.recovery_attempts > 0;
  const unresolved = isUnsettled(row.state) || isOverdueSession || row.operation_id !== null;
  return {
    merchantId: merchantIdOf(row.merchant_id),
    livemode: isLive(row.merchant_id),
    accountId: row.account_id,
    payment: paymentRecord(row),
    state: row.state,
    unresolved,
    ageSeconds: Math.floor(row.age_ms / 1_000),
    overdue: unresolved && row.age_ms > overdueAfterMs,
    attempts: row.recovery_attempts,
    ...(row.last_inquiry !== null && { lastInquiry: row.last_inquiry }),
    ...(row.recover_at !== null && { nextAttemptAt: row.recover_at.toISOString() }),
    ...(row.credential_issued_by !== null && { credentialIssuedBy: nameOf(row.credential_issued_by) }),
    ...(row.credential_issued_by !== null &&
      kindOf(row.credential_issued_by) === "staff" && { credentialIssuedByStaff: true as const }),
    ...resolutionOf(row),
  };
}

function shownReversal(
  row: OperatorPaymentRow,
  calls: readonly BankCall[],
): Pick<OperatorPaymentDetail, "reversal"> {
  const reversal = reversalOf(calls);
  if (!reversal && !isBeingReversed(row.state)) return {};
  const { approved_minor = null, refusal_code = null, refusal_message = null } = reversal ?? {};
  const { refused_at = null, settled_at = null } = reversal ?? {};
  const pending = refused_at !== null ? "REFUSED" : settled_at !== null ? "REFUNDING" : "PENDING";
  return {
    reversal: {
      status: isBeingReversed(row.state) || isBooked(row) ? pending : "DONE",
      ...(approved_minor !== null && { approvedAmount: amountToJson(approved_minor, row.currency_exponent) }),
      ...(refusal_code !== null && { resultCode: refusal_code }),
      ...(refusal_message !== null && { resultMessage: refusal_message }),
      ...(refused_at !== null && { refusedAt: refused_at.toISOString() }),
    },
  };
}

/** True for a payment that operators have booked after the bank refused to reverse it. */
function isBooked({ state }: OperatorPaymentRow): boolean {
  return state === "SUCCESS" || state === "CAPTURED";
}

export function operatorPaymentDetail(
  row: OperatorPaymentRow,
  {
    history,
    operations,
    calls,
    late,
    protocol,
    overdueAfterMs,
  }: {
    history: Selectable<PaymentHistoryTable>[];
    operations: Selectable<PaymentOperationTable>[];
    calls: BankCall[];
    late: LateSight[];
    /** The protocol of the payment's account. */
    protocol: string | undefined;
    overdueAfterMs: number;
  },
): OperatorPaymentDetail {
  return {
    ...operatorPayment(row, overdueAfterMs),
    ...shownReversal(row, calls),
    history: history.map(({ version, from_state, to_state, cause, at }) => ({
      version,
      ...(from_state !== null && { from: from_state }),
      to: to_state,
      cause,
      at: at.toISOString(),
    })),
    operations: operations.map((operation) => operationOf(operation, calls, row.currency_exponent)),
    bankCalls: calls.slice(-CALLS_SHOWN_MAX).map((call) => shownCall(call, row.currency_exponent)),
    ...(late.length > 0 && { seenLate: late.flatMap((sight) => shownLate(sight, calls)) }),
    bankOrderId: orderNameAt(protocol, row.payment_id),
    requestIp: row.request_ip,
    requestPort: row.request_port,
  };
}

/** The payment's name as the bank's panel shows it. */
function orderNameAt(protocol: string | undefined, paymentId: string): string {
  const connector = protocol === undefined ? undefined : CONNECTORS.get(protocol);
  return connector?.orderNameOf?.(paymentId) ?? orderIdOf(paymentId);
}

/** Shows it as the call that led to it. */
function shownLate({ movement_id, sighted_at }: LateSight, calls: readonly BankCall[]) {
  const call =
    movement_id === null ? chargeOf(calls) : calls.find((each) => each.movement_id === movement_id);
  if (!call) return [];
  return [
    {
      type: call.kind.toUpperCase() as ShownCall["type"],
      reference: call.reference,
      seenAt: sighted_at.toISOString(),
    },
  ];
}

const CALLS_SHOWN_MAX = 100;
type ShownCall = NonNullable<OperatorPaymentDetail["bankCalls"]>[number];

function shownCall(call: BankCall, exponent: number): ShownCall {
  const { account_id, answered_at, external_transaction_id, auth_code, result_code, result_message } = call;
  const { outcome, approved_minor } = call;
  return {
    number: call.number,
    type: call.kind.toUpperCase() as ShownCall["type"],
    reference: call.reference,
    amount: amountToJson(call.amount_minor, exponent),
    accountId: account_id,
    sentAt: call.sent_at.toISOString(),
    ...(outcome !== null && { outcome: outcome.toUpperCase() as NonNullable<ShownCall["outcome"]> }),
    ...(answered_at !== null && { answeredAt: answered_at.toISOString() }),
    ...(external_transaction_id !== null && { externalTransactionId: external_transaction_id }),
    ...(auth_code !== null && { authCode: auth_code }),
    ...(result_code !== null && { resultCode: result_code }),
    ...(result_message !== null && { resultMessage: result_message }),
    ...(approved_minor !== null && { approvedAmount: amountToJson(approved_minor, exponent) }),
    ...(call.heard_at !== null && { heardAt: call.heard_at.toISOString() }),
  };
}

function operationOf(
  operation: Selectable<PaymentOperationTable>,
  calls: readonly BankCall[],
  exponent: number,
): NonNullable<OperatorPaymentDetail["operations"]>[number] {
  const { reason, result_code, result_message, finished_at } = operation;
  const last = calls.findLast(({ movement_id }) => movement_id === operation.operation_id);
  return {
    operationId: operation.operation_id,
    type: operation.kind,
    status: operation.state === "IN_FLIGHT" ? "PENDING" : operation.state,
    amount: amountToJson(operation.amount_minor, exponent),
    ...(reason !== null && { reason }),
    reference: last?.reference ?? operationReference(operation),
    ...(result_code !== null && { resultCode: result_code }),
    ...(result_message !== null && { resultMessage: result_message }),
    requestedAt: operation.created_at.toISOString(),
    ...(finished_at !== null && { endedAt: finished_at.toISOString() }),
  };
}
