import { DAY_MS, statementTime } from "../bank-time.ts";
import type { Merchant } from "../merchants.ts";
import { majorUnits } from "../money.ts";
import type { DayMovement } from "./bank.ts";
import type { EndedDay } from "./business-day.ts";

/** The payout of a merchant's sales in installments. */
type Payout = "monthly" | "lump_sum";

/**
 * One merchant's statement of a day: semicolons, decimal commas, dates as `dd.MM.yyyy`, a header and a last line of
 * totals. A sale in installments has a line for each where they are paid out month by month; amounts that go from the
 * merchant are negative; gross minus commission is net in every line.
 */
export function statementText(
  { batch, closedAtMs, movements }: EndedDay,
  merchant: Merchant,
  payout: Payout,
): string {
  const lines = movements
    .filter(({ line }) => line.clientId === merchant.clientId)
    .flatMap((movement) => statementLines(movement, batch, merchant, payout));
  const totals = totalsLine(lines, closedAtMs);
  return [HEADER, ...lines.map(({ cells }) => cells), totals]
    .map((cells) => `${cells.join(";")}\r\n`)
    .join("");
}

type StatementLine = { cells: string[]; grossMinor: bigint; commissionMinor: bigint };

function statementLines(
  { line, row }: DayMovement,
  batch: number,
  { clientId, options }: Merchant,
  payout: Payout,
): StatementLine[] {
  const atMs = Date.parse(line.at);
  const { date, time } = statementTime(atMs);
  const sign = line.operation === "refund" || (line.operation === "void" && row.kind !== "credit") ? -1n : 1n;
  const hasInstallments = row.kind === "payment" && row.installments > 1;
  const parts = split(
    BigInt(line.amountMinor),
    hasInstallments && payout === "monthly" ? row.installments : 1,
  );
  return parts.map((part, index) => {
    const grossMinor = sign * part;
    const commissionMinor = sign * commissionOf(part, options.commissionBasisPoints);
    const value = statementTime(atMs + (options.blockedDays + index * DAYS_BETWEEN) * DAY_MS).date;
    const cells = [
      clientId,
      options.terminalId,
      String(batch),
      date,
      time,
      value,
      row.pan ?? "",
      row.pan?.startsWith("4") ? "Yurtiçi Visa" : "Yurtiçi Diğer",
      kindOf(line.operation, hasInstallments),
      String(index + 1),
      String(parts.length),
      line.currency,
      majorUnits(grossMinor, ","),
      majorUnits(BigInt(options.commissionBasisPoints), ","),
      majorUnits(commissionMinor, ","),
      "0,00",
      "0,00",
      majorUnits(grossMinor - commissionMinor, ","),
      value,
      row.authCode ?? "",
      row.hostReference ?? "",
      line.orderId,
      line.transactionId,
    ];
    return { cells: cells.map(cell), grossMinor, commissionMinor };
  });
}

function totalsLine(lines: StatementLine[], closedAtMs: number): string[] {
  const sum = (pick: (line: StatementLine) => bigint) =>
    lines.reduce((total, line) => total + pick(line), 0n);
  const grossMinor = sum((line) => line.grossMinor);
  const commissionMinor = sum((line) => line.commissionMinor);
  const cells = HEADER.map(() => "");
  cells[0] = "TOPLAM";
  cells[1] = String(lines.length);
  cells[3] = statementTime(closedAtMs).date;
  cells[GROSS] = majorUnits(grossMinor, ",");
  cells[GROSS + 2] = majorUnits(commissionMinor, ",");
  cells[GROSS + 5] = majorUnits(grossMinor - commissionMinor, ",");
  return cells;
}

/** Divides an amount into equal parts; the remainder goes into the first. */
function split(amountMinor: bigint, count: number): bigint[] {
  const part = amountMinor / BigInt(count);
  const first = amountMinor - part * BigInt(count - 1);
  return [first, ...Array.from({ length: count - 1 }, () => part)];
}

/** Half a minor unit is rounded up. */
function commissionOf(amountMinor: bigint, basisPoints: number): bigint {
  return (amountMinor * BigInt(basisPoints) + 5_000n) / 10_000n;
}

function kindOf(operation: string, hasInstallments: boolean): string {
  if (operation === "void") return "İptal";
  if (operation === "refund") return "İade";
  return hasInstallments ? "Taksitli Satış" : "Satış";
}

/** Order ids are the merchant's: what would end a cell, or begin a formula, is quoted as spreadsheets do. */
function cell(text: string): string {
  return /[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const HEADER = [
  "İşyeri No",
  "Terminal No",
  "Gün Sonu No",
  "İşlem Tarihi",
  "İşlem Saati",
  "Valör Tarihi",
  "Kart No",
  "Kart Tipi",
  "İşlem Tipi",
  "Taksit No",
  "Taksit Sayısı",
  "Para Birimi",
  "Brüt Tutar",
  "Komisyon Oranı",
  "Komisyon Tutarı",
  "Puan Katkısı",
  "Hizmet Bedeli",
  "Net Tutar",
  "Bloke Çözüm Tarihi",
  "Provizyon No",
  "RRN",
  "Sipariş No",
  "İşlem No",
];
const GROSS = HEADER.indexOf("Brüt Tutar");
const DAYS_BETWEEN = 30;
