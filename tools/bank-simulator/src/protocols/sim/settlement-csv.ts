import {
  cellsOf,
  csvRow,
  decimalAmount,
  kindness,
  type Cells,
  type Dispute,
  type Payout,
  type ReportedDay,
  type SettlementFile,
  type ShownTimes,
  type Unkindness,
} from "../../core/index.ts";
import type { Entry, LedgerLine } from "./ledger-line.ts";

/**
 * The ledger's movements of money: a row for each approved sale, capture, refund, and voided or reversed sale, as a
 * bank reports it to a merchant. Amounts are decimal text, negative where the merchant pays back; this bank takes no
 * fee.
 */
export async function* settlementCsv(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const reported = new ReportedRows(cellsOf(kindness));
  yield csvRow(COLUMNS, ",");
  for await (const text of lines) {
    const row = reported.of(JSON.parse(text) as LedgerLine);
    if (row) yield csvRow(row, ",");
  }
}

/** The file of one day's lines. A sale can be voided only on its day. */
export function dayFile(
  { day, endedAtMs, movements, disputes }: ReportedDay<Entry>,
  modes: Readonly<Unkindness>,
  clock: ShownTimes,
): SettlementFile {
  const date = new Date(endedAtMs).toISOString().slice(0, 10);
  const rows = () => {
    const reported = new ReportedRows(cellsOf(modes), clock);
    return [
      ...movements.map(({ line }) => reported.of(line)),
      ...disputes.map((dispute) => reported.ofDispute(dispute, date)),
    ].filter((row) => row !== undefined);
  };
  return {
    name: `settlement-${date}-${day}.csv`,
    content: () => [[...COLUMNS], ...rows()].map((row) => csvRow(row, ",")).join(""),
    payouts: () => payoutsOf(rows()),
  };
}

/** The sums of the rows under each payout's name. */
function payoutsOf(rows: readonly string[][]): Payout[] {
  const sums = new Map<string, Payout>();
  for (const row of rows) {
    const cell = (name: (typeof COLUMNS)[number]) => row[COLUMNS.indexOf(name)] ?? "";
    const [id, currency] = [cell("payout_id"), cell("currency")];
    const { netMinor = 0n } = sums.get(`${id} ${currency}`) ?? {};
    // All digits are there, so without the sign of decimals they are minor units.
    const ownMinor = BigInt(cell("net").replace(".", ""));
    sums.set(`${id} ${currency}`, { id, currency, netMinor: netMinor + ownMinor });
  }
  return [...sums.values()];
}

const COLUMNS = [
  "kind",
  "reference",
  "bank_reference",
  "auth_code",
  "card",
  "gross",
  "fee",
  "net",
  "currency",
  "transacted_at",
  "settles_on",
  "payout_id",
] as const;

class ReportedRows {
  readonly #sales = new Set<string>();
  readonly #cells: Cells;
  readonly #clock: ShownTimes | undefined;

  constructor(cells: Cells, clock?: ShownTimes) {
    this.#cells = cells;
    this.#clock = clock;
  }

  /** Undefined for a line that is not reported. */
  of(line: Entry): string[] | undefined {
    if (line.outcome !== "approved") return undefined;
    if (line.operation === "sale") this.#sales.add(line.reference);
    const kind = kindOf(line, this.#sales);
    return kind && this.#rowOf(line, kind);
  }

  /** A dispute has the names of its payment, and the day on which it is settled. Undefined for an order without money. */
  ofDispute({ kind, order, amountMinor }: Dispute<Entry>, day: string): string[] | undefined {
    const paid = order.rows.find((row) => row.kind === "payment" && row.capturedMinor > 0n);
    if (!paid) return undefined;
    const line = { ...paid.line, amountMinor: Number(amountMinor) };
    return this.#rowOf(line, kind === "chargeback" ? "CHARGEBACK" : "CHARGEBACK_REVERSAL", day);
  }

  /** A movement's row. By default its times are UTC, and its money is paid out on the day of the movement. */
  #rowOf(line: Entry, kind: Kind, settlesOn?: string): string[] {
    const isPaidBack = PAID_BACK.has(kind);
    const amount = `${isPaidBack ? "-" : ""}${decimalAmount(line.amountMinor, line.currency)}`;
    const { date, time } = this.#clock?.wall(Date.parse(line.at)) ?? utcOf(line.at);
    const day = settlesOn ?? date;
    return [
      kind,
      // A void has its sale's reference, which identifies their payment.
      kind === "VOID" ? line.parentReference! : line.reference,
      line.externalTransactionId,
      this.#cells.optional(line.authCode ?? ""),
      line.pan ?? "",
      this.#cells.amount(amount),
      decimalAmount(0, line.currency),
      this.#cells.amount(amount),
      line.currency,
      `${date}T${time.slice(0, 8)}`,
      day,
      `P-${day}`,
    ];
  }
}

function utcOf(at: string) {
  return { date: at.slice(0, 10), time: at.slice(11) };
}

type Kind = "SALE" | "CAPTURE" | "REFUND" | "VOID" | "CHARGEBACK" | "CHARGEBACK_REVERSAL";
const PAID_BACK = new Set<Kind>(["REFUND", "VOID", "CHARGEBACK"]);

/** @returns undefined for an operation that moves no money, such as an authorization and its end */
function kindOf({ operation, parentReference }: Entry, sales: ReadonlySet<string>): Kind | undefined {
  switch (operation) {
    case "sale":
      return "SALE";
    case "capture":
      return "CAPTURE";
    case "refund":
      return "REFUND";
    case "cancel":
    case "reverse":
      return parentReference !== null && sales.has(parentReference) ? "VOID" : undefined;
    case "authorize":
    case "release":
      return undefined;
    default:
      return operation satisfies never;
  }
}
