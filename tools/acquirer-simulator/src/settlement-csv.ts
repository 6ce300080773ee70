import { decimalAmount } from "./decimal-amount.ts";
import type { LedgerLine } from "./ledger-entry.ts";

/**
 * The ledger's movements of money: a row for each approved sale, capture, refund, and voided or reversed sale, as a
 * bank reports it to a merchant. Amounts are decimal text, negative where the merchant pays back; this bank takes no
 * fee.
 */
export async function* settlementCsv(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const sales = new Set<string>();
  yield `${COLUMNS.join(",")}\r\n`;
  for await (const text of lines) {
    const line = JSON.parse(text) as LedgerLine;
    if (line.outcome !== "approved") continue;
    if (line.operation === "sale") sales.add(line.reference);
    const kind = kindOf(line, sales);
    if (kind !== undefined) yield `${rowOf(line, kind).join(",")}\r\n`;
  }
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

type Kind = "SALE" | "CAPTURE" | "REFUND" | "VOID";

/** @returns undefined for an operation that moves no money, such as an authorization and its end */
function kindOf({ operation, parentReference }: LedgerLine, sales: ReadonlySet<string>): Kind | undefined {
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

function rowOf(line: LedgerLine, kind: Kind): string[] {
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
