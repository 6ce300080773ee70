import { csvRow, decimalAmount } from "../../core/index.ts";
import type { Entry, LedgerLine } from "./ledger-line.ts";

/**
 * The ledger's movements of money: a row for each approved sale, capture, refund, and voided or reversed sale, as a
 * bank reports it to a merchant. Amounts are decimal text, negative where the merchant pays back; this bank takes no
 * fee.
 */
export async function* settlementCsv(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const rows = new SettlementRows();
  yield rows.head;
  for await (const text of lines) yield rows.of(JSON.parse(text) as LedgerLine);
}

/** The same of one day's lines. A sale is voided on its own day only. */
export function dayCsv(lines: readonly Entry[]): string {
  const rows = new SettlementRows();
  return rows.head + lines.map((line) => rows.of(line)).join("");
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

class SettlementRows {
  readonly head = csvRow(COLUMNS, ",");
  readonly #sales = new Set<string>();

  /** Empty for a line that is not reported. */
  of(line: Entry): string {
    if (line.outcome !== "approved") return "";
    if (line.operation === "sale") this.#sales.add(line.reference);
    const kind = kindOf(line, this.#sales);
    return kind === undefined ? "" : csvRow(rowOf(line, kind), ",");
  }
}

type Kind = "SALE" | "CAPTURE" | "REFUND" | "VOID";

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

function rowOf(line: Entry, kind: Kind): string[] {
  const isPaidBack = kind === "REFUND" || kind === "VOID";
  const amount = `${isPaidBack ? "-" : ""}${decimalAmount(line.amountMinor, line.currency)}`;
  // Times are of UTC, and money is there on the day on which it moved.
  const day = line.at.slice(0, 10);
  return [
    kind,
    // A void has the reference of its sale, by which both stand for one payment.
    kind === "VOID" ? line.parentReference! : line.reference,
    line.externalTransactionId,
    line.authCode ?? "",
    line.pan ?? "",
    amount,
    decimalAmount(0, line.currency),
    amount,
    line.currency,
    line.at.slice(0, 19),
    day,
    `P-${day}`,
  ];
}
