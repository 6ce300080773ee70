import { cardBin } from "../bank/card-bins.ts";
import { sumOf } from "../bank/commission.ts";
import { istanbulDate, istanbulTime } from "./istanbul-time.ts";
import type { SettlementLine } from "./settlement-lines.ts";

export type SettlementHead = { merchantId: string; number: number; closedAtMs: number };

/** The name of the file of a merchant's day; `number` tells days apart that are closed on one date. */
export function settlementName({ merchantId, number, closedAtMs }: SettlementHead): string {
  return `settlement-${merchantId}-${compactDate(closedAtMs)}-${number}.csv`;
}

/**
 * The settlement file of a merchant and a day: UTF-8, commas, decimal points, times of Istanbul, and a last row with the
 * total (iyzico protocol, settlement files). Amounts are in `settlementCurrency`, also where the column's name says TRY.
 */
export function settlementCsv(head: SettlementHead, lines: readonly SettlementLine[]): string {
  const rows = lines.map((line) => columns.map(([, value]) => value(line, head)));
  const total = columns.map(([name], index) => {
    if (name === TOTAL) return decimal(sumOf(lines.map(({ netMinor }) => netMinor)));
    return index === 0 ? "TOTAL" : "";
  });
  return [columns.map(([name]) => name), ...rows, total]
    .map((row) => `${row.map((value) => quoted(value)).join(",")}\r\n`)
    .join("");
}

/** A time in epoch milliseconds as `yyyy-MM-dd HH:mm:ss`: a day that is closed today is paid out tomorrow. */
export function resolvedAt(closedAtMs: number): string {
  return istanbulTime(closedAtMs + DAY_MS);
}

const DAY_MS = 86_400_000;
const TOTAL = "totalMerchantPayoutAmount";

type Column = readonly [name: string, value: (line: SettlementLine, head: SettlementHead) => string];

const columns: readonly Column[] = [
  ["transactionDate", ({ at }) => istanbulTime(Date.parse(at))],
  ["transactionStatus", ({ kind }) => kind],
  ["afterSettlement", ({ isAfterSettlement }) => (isAfterSettlement ? "1" : "0")],
  ["paymentTxId", ({ item }) => item.paymentTransactionId],
  ["conversationId", ({ conversationId }) => conversationId],
  ["paymentIP", ({ payment }) => payment.ip],
  ["paymentGid", ({ payment }) => payment.paymentId],
  ["price", ({ item }) => decimal(item.priceMinor)],
  ["paidPrice", ({ grossMinor }) => decimal(grossMinor)],
  ["installment", ({ payment }) => String(payment.installment)],
  ["binNumber", ({ payment }) => payment.pan.slice(0, 6)],
  ["cardFamily", ({ payment }) => cardBin(payment.pan).cardFamily],
  ["cardAssoc", ({ payment }) => cardBin(payment.pan).cardAssociation],
  ["cardType", ({ payment }) => cardBin(payment.pan).cardType],
  ["isThreeD", ({ payment }) => (payment.threeDs ? "1" : "0")],
  // The simulator keeps no names: what stands here shows that an import drops these columns.
  ["buyerId", ({ payment }) => payment.buyerId],
  ["buyerName", () => "BUYER-NAME"],
  ["buyerSurname", () => "BUYER-SURNAME"],
  ["buyerEmail", () => "buyer@example.com"],
  ["buyerPhone", () => "+905350000000"],
  ["paymentTxOwner", ({ payment }) => payment.merchantId],
  ["iyziCommissionRate", ({ rateMinor }) => decimal(rateMinor)],
  ["iyziCommissionFee", ({ feeMinor }) => decimal(feeMinor)],
  ["paidPriceTRY", ({ grossMinor }) => decimal(grossMinor)],
  ["settlementPriceTRY", ({ netMinor }) => decimal(netMinor)],
  ["basketId", ({ payment }) => payment.basketId],
  ["settlementCurrency", ({ payment }) => payment.currency],
  ["settlementReferenceCode", (_line, head) => referenceCode(head)],
  ["settlementResolveDate", (_line, head) => resolvedAt(head.closedAtMs)],
  [TOTAL, () => ""],
];

function referenceCode({ merchantId, number, closedAtMs }: SettlementHead): string {
  return `S-${merchantId}-${compactDate(closedAtMs)}-${number}`;
}

function compactDate(epochMs: number): string {
  return istanbulDate(epochMs).replaceAll("-", "");
}

/** Minor units with two decimals. */
function decimal(minor: bigint): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, "0");
  return `${minor < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** RFC 4180: a field with a comma, a quote or a line break stands in quotes, in which quotes are doubled. */
function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
