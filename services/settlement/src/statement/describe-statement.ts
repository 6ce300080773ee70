import type { Statement } from "@holdfast/contracts";
import { amountIn } from "../amount-in.ts";
import type { StatementRow } from "./statement-queries.ts";

/** Deductions are positive here. The bank's fees are the operator's, and are no part of the payable amount. */
export function describeStatement(row: StatementRow): Statement {
  const amount = (minor: bigint) => amountIn(minor, row.currency);
  return {
    merchantId: row.merchant_id,
    day: row.day,
    currency: row.currency,
    salesAmount: amount(row.sales),
    refundsAmount: amount(-row.refunds),
    chargebacksAmount: amount(-row.chargebacks),
    adjustmentsAmount: amount(row.adjustments),
    commission: amount(row.commission),
    bankFeesAmount: amount(row.bank_fees),
    netPayableAmount: amount(row.sales + row.refunds + row.chargebacks + row.adjustments - row.commission),
    lines: row.lines,
    unpricedLines: row.unknown_commissions,
    complete: row.complete,
    ...(row.revision !== null && { revision: row.revision }),
  };
}
