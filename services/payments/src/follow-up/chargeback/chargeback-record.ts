import {
  nameOf,
  amountToJson,
  currencyExponent,
  isLive,
  merchantIdOf,
  type Chargeback,
  type ChargebackDetail,
  type MerchantChargeback,
} from "@holdfast/contracts";
import type { Selectable } from "kysely";
import type { ChargebackEvidenceTable, ChargebackTable } from "./chargeback-tables.ts";

/** A case, with whether a line of a bank's file reports it, and the order and the currency's decimals of its payment. */
export type CaseRow = Selectable<ChargebackTable> & {
  is_reported: boolean;
  order_id: string;
  payment_exponent: number;
};
export type EvidenceRow = Pick<
  Selectable<ChargebackEvidenceTable>,
  "evidence_id" | "file_name" | "bytes" | "sha256" | "added_by" | "created_at"
>;

/** A case as operators see it. */
export function chargebackRecord(row: CaseRow): Chargeback {
  const exponent = exponentOf(row);
  const { payment_exponent, proposed_outcome, proposed_by, outcome_reason, status } = row;
  return {
    chargebackId: row.chargeback_id,
    paymentId: row.payment_id,
    orderId: row.order_id,
    merchantId: merchantIdOf(row.merchant_id),
    livemode: isLive(row.merchant_id),
    kind: row.kind,
    status,
    amount: amountToJson(row.amount_minor, exponent),
    currency: row.currency,
    countedAmount: amountToJson(row.counted_minor, payment_exponent),
    excessAmount: amountToJson(row.excess_minor, payment_exponent),
    reversedAmount: amountToJson(row.reversed_minor, exponent),
    ...(row.reason_code !== null && { reasonCode: row.reason_code }),
    ...(row.bank_reference !== null && { bankReference: row.bank_reference }),
    ...(row.respond_by !== null && { respondBy: row.respond_by.toISOString() }),
    ...(row.opened_by !== null && { openedBy: row.opened_by }),
    reported: row.is_reported,
    ...(proposed_outcome !== null &&
      status === "OPEN" && {
        proposal: {
          outcome: proposed_outcome,
          reason: outcome_reason ?? "",
          proposedBy: nameOf(proposed_by ?? ""),
        },
      }),
    ...(outcome_reason !== null && status !== "OPEN" && { outcomeReason: outcome_reason }),
    ...(row.decided_by !== null && { decidedBy: nameOf(row.decided_by) }),
    openedAt: row.created_at.toISOString(),
    ...(row.ended_at !== null && { endedAt: row.ended_at.toISOString() }),
  };
}

export function chargebackDetail(row: CaseRow, evidence: readonly EvidenceRow[]): ChargebackDetail {
  return { ...chargebackRecord(row), evidence: evidence.map(evidenceRecord) };
}

export function evidenceRecord(row: EvidenceRow): ChargebackDetail["evidence"][number] {
  return {
    evidenceId: row.evidence_id,
    fileName: row.file_name,
    bytes: row.bytes,
    sha256: row.sha256.toString("hex"),
    addedBy: nameOf(row.added_by),
    addedAt: row.created_at.toISOString(),
  };
}

/** A case as its merchant learns of it. */
export function merchantChargeback(row: CaseRow): MerchantChargeback {
  const { chargebackId, kind, status, amount, currency, reasonCode, respondBy, openedAt } =
    chargebackRecord(row);
  return {
    chargebackId,
    kind,
    status,
    amount,
    currency,
    ...(reasonCode !== undefined && { reasonCode }),
    ...(respondBy !== undefined && { respondBy }),
    openedAt,
  };
}

/** A bank may name a currency that no merchant can be paid in; its amount is then shown in hundredths. */
function exponentOf({ currency }: CaseRow): number {
  return currencyExponent(currency) ?? 2;
}
