import type { ShownTimes } from "./bank-clock.ts";
import type { BankLine } from "./bank-line.ts";
import type { EndedDay } from "./book.ts";
import type { Dispute, ReportedDay } from "./day-ends.ts";
import { csvRow, decimalAmount, shareOf } from "./money.ts";
import type { Payout } from "./payouts.ts";
import type { SettlementFile } from "./settlement-folder.ts";
import { DAY_MS, statementTime, transactionDate } from "./turkish-time.ts";
import { cellsOf, type Cells, type Unkindness } from "./unkindness.ts";
import { encodeIso88599 } from "./xml.ts";

/** The merchant of a statement, by its id in the bank's book. */
export type Payee = {
  id: string;
  terminalId: string;
  /** The bank's commission, in hundredths of a per cent of the gross amount. */
  commissionBasisPoints: number;
  /** Days from a movement to its value date; each further installment comes 30 days later. */
  blockedDays: number;
};

type Day = ReportedDay<BankLine>;
type Reported = Pick<EndedDay<BankLine>["movements"][number], "line" | "row">;

export const STATEMENT_TYPE = "text/csv; charset=ISO-8859-9";

/** The form of a bank's statements. */
export type StatementForm = {
  payout: "monthly" | "lump_sum";
  modes: Readonly<Unkindness>;
  clock: ShownTimes;
};

/** The file of one merchant's day. Its name has the merchant, the number of the day's end and its date. */
export function statementFile(day: Day, merchant: Payee, form: StatementForm): SettlementFile {
  const date = transactionDate(form.clock, day.endedAtMs).slice(0, 8);
  const number = String(day.day).padStart(6, "0");
  return {
    name: `ekstre-${merchant.id}-${number}-${date}.csv`,
    content: () => encodeIso88599(statementText(day, merchant, form)),
    payouts: () => payoutsOf(day, partsOfDay(day, merchant, form)),
  };
}

/**
 * One merchant's statement of a day: semicolons, decimal commas, dates as `dd.MM.yyyy`, a header and a last line of
 * totals. Amounts that go from the merchant are negative; gross minus commission is net in every line.
 */
function statementText(day: Day, merchant: Payee, form: StatementForm): string {
  const parts = partsOfDay(day, merchant, form);
  const columns = Object.entries(COLUMNS);
  const cells = cellsOf(form.modes);
  const rows = parts.map((part) =>
    columns.map(([, cell]) => cell(part, { merchant, day, cells, clock: form.clock })),
  );
  const totals = totalsOf(parts, cells, statementTime(form.clock, day.endedAtMs).date);
  const header = columns.map(([name]) => name);
  return [header, ...rows, header.map((name) => totals[name] ?? "")].map((row) => csvRow(row, ";")).join("");
}

function partsOfDay(day: Day, merchant: Payee, form: StatementForm): Part[] {
  const movements = day.movements.filter(
    ({ posting, line }) => posting.merchant === merchant.id && isReported(line),
  );
  const disputes = day.disputes.filter(({ order }) => order.merchant === merchant.id);
  return [
    ...movements.flatMap((movement) => partsOf(movement, merchant, form)),
    ...disputes.flatMap((dispute) => partsOfDispute(dispute, day, merchant, form)),
  ];
}

/** The batch, which is the name of the day's payout in its file, in each currency. */
function payoutsOf({ day }: Day, parts: readonly Part[]): Payout[] {
  const currencies = [...new Set(parts.map(({ movement }) => movement.line.currency))];
  return currencies.map((currency) => ({
    id: String(day),
    currency,
    netMinor: parts
      .filter(({ movement }) => movement.line.currency === currency)
      .reduce((sum, { grossMinor, commissionMinor }) => sum + grossMinor - commissionMinor, 0n),
  }));
}

/** A movement, or an installment of it. */
type Part = {
  movement: Reported;
  kind: string;
  index: number;
  count: number;
  grossMinor: bigint;
  commissionMinor: bigint;
  valueDate: string;
};

/** Holds move no money. */
function isReported({ operation, voided }: BankLine): boolean {
  return operation !== "authorize" && voided !== "hold";
}

/** A sale in installments has a part for each where they are paid out month by month. */
function partsOf(movement: Reported, payee: Payee, { payout, clock }: StatementForm): Part[] {
  const { line, row } = movement;
  const sign =
    line.operation === "refund" || (line.operation === "void" && row?.kind !== "refund") ? -1n : 1n;
  const count = hasInstallments(movement) && payout === "monthly" ? (row?.line.installments ?? 1) : 1;
  const partMinor = BigInt(line.amountMinor) / BigInt(count);
  // The remainder goes into the first part.
  const firstMinor = BigInt(line.amountMinor) - partMinor * BigInt(count - 1);
  return Array.from({ length: count }, (_, index) => {
    const amountMinor = index === 0 ? firstMinor : partMinor;
    const days = payee.blockedDays + index * DAYS_BETWEEN;
    return {
      movement,
      kind: kindOf(movement),
      index,
      count,
      grossMinor: sign * amountMinor,
      commissionMinor: sign * shareOf(amountMinor, payee.commissionBasisPoints),
      valueDate: statementTime(clock, Date.parse(line.at) + days * DAY_MS).date,
    };
  });
}

/** The payment's line once more, on the day on which the card's issuer takes the money or gives it back. */
function partsOfDispute(
  { kind, order, amountMinor }: Dispute<BankLine>,
  { endedAtMs }: Day,
  payee: Payee,
  { clock }: StatementForm,
): Part[] {
  const row = order.rows.find((each) => each.kind === "payment" && each.capturedMinor > 0n);
  if (!row) return [];
  return [
    {
      movement: { line: row.capture ?? row.line, row },
      kind: kind === "chargeback" ? "Harcama İtirazı" : "Harcama İtirazı İadesi",
      index: 0,
      count: 1,
      grossMinor: kind === "chargeback" ? -amountMinor : amountMinor,
      commissionMinor: 0n,
      valueDate: statementTime(clock, endedAtMs + payee.blockedDays * DAY_MS).date,
    },
  ];
}

function hasInstallments({ row }: Reported): boolean {
  return row?.kind === "payment" && row.line.installments > 1;
}

function kindOf(movement: Reported): string {
  const { operation } = movement.line;
  if (operation === "void") return "İptal";
  if (operation === "refund") return "İade";
  return hasInstallments(movement) ? "Taksitli Satış" : "Satış";
}

function totalsOf(parts: readonly Part[], { amount }: Cells, date: string): Record<string, string> {
  const grossMinor = parts.reduce((sum, part) => sum + part.grossMinor, 0n);
  const commissionMinor = parts.reduce((sum, part) => sum + part.commissionMinor, 0n);
  return {
    "İşyeri No": "TOPLAM",
    "Terminal No": String(parts.length),
    "İşlem Tarihi": date,
    "Brüt Tutar": amount(decimal(grossMinor)),
    "Komisyon Tutarı": amount(decimal(commissionMinor)),
    "Net Tutar": amount(decimal(grossMinor - commissionMinor)),
  };
}

/** All currencies of this bank have two decimals. */
function decimal(minor: bigint | number): string {
  return decimalAmount(minor, "", ",");
}

const timeOf = ({ movement }: Part, clock: ShownTimes) => statementTime(clock, Date.parse(movement.line.at));
const cardOf = ({ movement }: Part) => movement.row?.line.pan ?? "";

type In = { merchant: Payee; day: Day; cells: Cells; clock: ShownTimes };

const COLUMNS: Record<string, (part: Part, of: In) => string> = {
  "İşyeri No": (_, { merchant }) => merchant.id,
  "Terminal No": (_, { merchant }) => merchant.terminalId,
  "Gün Sonu No": (_, { day }) => String(day.day),
  "İşlem Tarihi": (part, { clock }) => timeOf(part, clock).date,
  "İşlem Saati": (part, { clock }) => timeOf(part, clock).time,
  "Valör Tarihi": ({ valueDate }) => valueDate,
  "Kart No": cardOf,
  "Kart Tipi": (part) => (cardOf(part).startsWith("4") ? "Yurtiçi Visa" : "Yurtiçi Diğer"),
  "İşlem Tipi": ({ kind }) => kind,
  "Taksit No": ({ index, count }, { cells }) => cells.count(index + 1, count === 1),
  "Taksit Sayısı": ({ count }, { cells }) => cells.count(count, count === 1),
  "Para Birimi": ({ movement }) => movement.line.currency,
  "Brüt Tutar": ({ grossMinor }, { cells }) => cells.amount(decimal(grossMinor)),
  "Komisyon Oranı": (_, { merchant }) => decimal(merchant.commissionBasisPoints),
  "Komisyon Tutarı": ({ commissionMinor }, { cells }) => cells.amount(decimal(commissionMinor)),
  "Puan Katkısı": () => decimal(0),
  "Hizmet Bedeli": () => decimal(0),
  "Net Tutar": ({ grossMinor, commissionMinor }, { cells }) =>
    cells.amount(decimal(grossMinor - commissionMinor)),
  "Bloke Çözüm Tarihi": ({ valueDate }) => valueDate,
  "Provizyon No": ({ movement }, { cells }) => cells.optional(movement.row?.line.authCode ?? ""),
  RRN: ({ movement }) => movement.row?.line.hostReference ?? "",
  "Sipariş No": ({ movement }) => movement.line.orderId,
  "İşlem No": ({ movement }) => movement.line.transactionId,
};
const DAYS_BETWEEN = 30;
