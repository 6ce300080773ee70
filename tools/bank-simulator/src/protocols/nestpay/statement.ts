import { csvRow, decimalAmount, shareOf, type EndedDay, type Movement } from "../../core/index.ts";
import { DAY_MS, statementTime, transactionDate } from "./bank-time.ts";
import type { Entry } from "./ledger-line.ts";
import type { Merchant } from "./merchants.ts";
import type { Rules } from "./modes.ts";

export const STATEMENT_TYPE = "text/csv; charset=ISO-8859-9";

/** The name has the merchant, the number of the day's end and its date. */
export function statementName({ day, endedAtMs }: EndedDay<Entry>, { clientId }: Merchant): string {
  const date = transactionDate(endedAtMs).slice(0, 8);
  return `ekstre-${clientId}-${String(day).padStart(6, "0")}-${date}.csv`;
}

/**
 * One merchant's statement of a day: semicolons, decimal commas, dates as `dd.MM.yyyy`, a header and a last line of
 * totals. Amounts that go from the merchant are negative; gross minus commission is net in every line.
 */
export function statementText(day: EndedDay<Entry>, merchant: Merchant, payout: Payout): string {
  const parts = day.movements
    .filter(({ line }) => line.clientId === merchant.clientId && isReported(line))
    .flatMap((movement) => partsOf(movement, merchant, payout));
  const columns = Object.entries(COLUMNS);
  const rows = parts.map((part) => columns.map(([, cell]) => cell(part, merchant, day)));
  const totals = totalsOf(parts, day);
  const header = columns.map(([name]) => name);
  return [header, ...rows, header.map((name) => totals[name] ?? "")].map((row) => csvRow(row, ";")).join("");
}

type Payout = Rules["installmentPayout"];

/** A movement, or an installment of it. */
type Part = {
  movement: Movement<Entry>;
  index: number;
  count: number;
  grossMinor: bigint;
  commissionMinor: bigint;
  valueDate: string;
};

/** Holds move no money. */
function isReported({ operation, voided }: Entry): boolean {
  return operation !== "authorize" && voided !== "hold";
}

/** A sale in installments has a part for each where they are paid out month by month. */
function partsOf(movement: Movement<Entry>, { options }: Merchant, payout: Payout): Part[] {
  const { line, row } = movement;
  const sign =
    line.operation === "refund" || (line.operation === "void" && row?.kind !== "refund") ? -1n : 1n;
  const count = hasInstallments(movement) && payout === "monthly" ? (row?.line.installments ?? 1) : 1;
  const partMinor = BigInt(line.amountMinor) / BigInt(count);
  // The remainder goes into the first part.
  const firstMinor = BigInt(line.amountMinor) - partMinor * BigInt(count - 1);
  return Array.from({ length: count }, (_, index) => {
    const amountMinor = index === 0 ? firstMinor : partMinor;
    const days = options.blockedDays + index * DAYS_BETWEEN;
    return {
      movement,
      index,
      count,
      grossMinor: sign * amountMinor,
      commissionMinor: sign * shareOf(amountMinor, options.commissionBasisPoints),
      valueDate: statementTime(Date.parse(line.at) + days * DAY_MS).date,
    };
  });
}

function hasInstallments({ row }: Movement<Entry>): boolean {
  return row?.kind === "payment" && row.line.installments > 1;
}

function kindOf(movement: Movement<Entry>): string {
  const { operation } = movement.line;
  if (operation === "void") return "İptal";
  if (operation === "refund") return "İade";
  return hasInstallments(movement) ? "Taksitli Satış" : "Satış";
}

function totalsOf(parts: readonly Part[], { endedAtMs }: EndedDay<Entry>): Record<string, string> {
  const grossMinor = parts.reduce((sum, part) => sum + part.grossMinor, 0n);
  const commissionMinor = parts.reduce((sum, part) => sum + part.commissionMinor, 0n);
  return {
    "İşyeri No": "TOPLAM",
    "Terminal No": String(parts.length),
    "İşlem Tarihi": statementTime(endedAtMs).date,
    "Brüt Tutar": decimal(grossMinor),
    "Komisyon Tutarı": decimal(commissionMinor),
    "Net Tutar": decimal(grossMinor - commissionMinor),
  };
}

/** All currencies of this bank have two decimals. */
function decimal(minor: bigint | number): string {
  return decimalAmount(minor, "", ",");
}

const timeOf = ({ movement }: Part) => statementTime(Date.parse(movement.line.at));
const cardOf = ({ movement }: Part) => movement.row?.line.pan ?? "";

const COLUMNS: Record<string, (part: Part, merchant: Merchant, day: EndedDay<Entry>) => string> = {
  "İşyeri No": (_, { clientId }) => clientId,
  "Terminal No": (_, { options }) => options.terminalId,
  "Gün Sonu No": (_, __, { day }) => String(day),
  "İşlem Tarihi": (part) => timeOf(part).date,
  "İşlem Saati": (part) => timeOf(part).time,
  "Valör Tarihi": ({ valueDate }) => valueDate,
  "Kart No": cardOf,
  "Kart Tipi": (part) => (cardOf(part).startsWith("4") ? "Yurtiçi Visa" : "Yurtiçi Diğer"),
  "İşlem Tipi": ({ movement }) => kindOf(movement),
  "Taksit No": ({ index }) => String(index + 1),
  "Taksit Sayısı": ({ count }) => String(count),
  "Para Birimi": ({ movement }) => movement.line.currency,
  "Brüt Tutar": ({ grossMinor }) => decimal(grossMinor),
  "Komisyon Oranı": (_, { options }) => decimal(options.commissionBasisPoints),
  "Komisyon Tutarı": ({ commissionMinor }) => decimal(commissionMinor),
  "Puan Katkısı": () => decimal(0),
  "Hizmet Bedeli": () => decimal(0),
  "Net Tutar": ({ grossMinor, commissionMinor }) => decimal(grossMinor - commissionMinor),
  "Bloke Çözüm Tarihi": ({ valueDate }) => valueDate,
  "Provizyon No": ({ movement }) => movement.row?.line.authCode ?? "",
  RRN: ({ movement }) => movement.row?.line.hostReference ?? "",
  "Sipariş No": ({ movement }) => movement.line.orderId,
  "İşlem No": ({ movement }) => movement.line.transactionId,
};
const DAYS_BETWEEN = 30;
