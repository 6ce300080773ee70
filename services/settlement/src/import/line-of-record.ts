import { paymentOfShort } from "@holdfast/acquirer/order-id";

import type { RecordsMapping } from "./mapping.ts";
import {
  isFault,
  readAmount,
  readCount,
  readDate,
  readDateTime,
  readMaskedPan,
  readText,
  type CellFault,
} from "./cells.ts";
import type { LineFault, LineKind, SettlementLine } from "./settlement-line.ts";

/** The cells of a line by the names of their columns. */
export type BankRecord = ReadonlyMap<string, string>;

/**
 * Reads a line by its mapping, without any I/O. Its kind, its amounts and, if the mapping names any, one of
 * its days have to be readable: otherwise nothing is known of the money. Any other unreadable cell is
 * dropped, and the line says so in its note.
 *
 * @returns `skip` for a line that reports no movement.
 */
export function lineOfRecord(
  mapping: RecordsMapping,
  record: BankRecord,
  lineNo: number,
): SettlementLine | LineFault | "skip" {
  const fault = (reason: string): LineFault => ({ lineNo, reason });
  const { file, fields } = mapping;
  if (file.skip.some(({ column, equals }) => cellOf(record, column) === equals)) return "skip";
  const kind = kindOf(mapping, record);
  if (kind === undefined) return fault("kind: not in the mapping");
  const currency =
    "const" in fields.currency ? fields.currency.const : cellOf(record, fields.currency.column);
  const amounts = readAmounts(mapping, record, { kind, currency });
  if (typeof amounts === "string") return fault(amounts);
  const { optional, dropped } = readOptional(mapping, record);
  const days = dropped.filter(({ name }) => name === "settlesOn" || name === "transactedAt");
  if (days.length > 0 && optional.settlesOn === undefined && optional.transactedAt === undefined)
    return fault(reasonOf(days));
  const referenceId = optional.reference === undefined ? undefined : idIn(optional.reference);
  return {
    lineNo,
    kind,
    currency,
    ...amounts,
    ...optional,
    ...(referenceId !== undefined && { referenceId }),
    ...(dropped.length > 0 && { note: reasonOf(dropped) }),
  };
}

/** A cell that was left out, and why. */
type Dropped = { name: string; fault: string };

function reasonOf(cells: readonly Dropped[]): string {
  return cells.map(({ name, fault }) => `${name}: ${fault}`).join(", ");
}

export function cellOf(record: BankRecord, column: string): string {
  return (record.get(column) ?? "").trim();
}

export function kindOf({ kind }: RecordsMapping, record: BankRecord): LineKind | undefined {
  if ("const" in kind) return kind.const;
  const cell = cellOf(record, kind.column);
  return Object.hasOwn(kind.map, cell) ? kind.map[cell] : undefined;
}

type Amounts = Pick<SettlementLine, "grossMinor" | "feeMinor" | "netMinor">;

/**
 * The amounts of a line. If the bank omits one of gross, fee and net, in the whole file or in this line, it
 * follows from the other two.
 */
export function readAmounts(
  { file, fields }: Pick<RecordsMapping, "file" | "fields">,
  record: BankRecord,
  { kind, currency }: { kind: LineKind; currency: string },
): Amounts | string {
  const sums: { gross?: bigint; fee?: bigint; net?: bigint } = {};
  for (const name of ["gross", "fee", "net"] as const) {
    const rule = fields[name];
    if (rule === undefined) continue;
    const written = rule.columns.map((column) => cellOf(record, column)).filter((cell) => cell !== "");
    const other = name === "fee" ? fields.net : sums.fee;
    if (written.length === 0 && name !== "gross" && other !== undefined) continue;
    let sum = 0n;
    for (const text of written.length > 0 ? written : [""]) {
      const cell = readAmount(text, { decimal: file.decimal, currency });
      if (isFault(cell)) return `${name}: ${cell.fault}`;
      sum += cell;
    }
    sums[name] = rule.sign === "byKind" ? signed(sum, kind) : sum;
  }
  const gross = sums.gross ?? 0n;
  const fee = sums.fee ?? (sums.net === undefined ? 0n : gross - sums.net);
  return { grossMinor: gross, feeMinor: fee, netMinor: sums.net ?? gross - fee };
}

function signed(minor: bigint, kind: LineKind): bigint {
  const size = minor < 0n ? -minor : minor;
  switch (kind) {
    case "REFUND":
    case "VOID":
    case "CHARGEBACK":
    case "FEE":
      return -size;
    case "SALE":
    case "CAPTURE":
    case "CHARGEBACK_REVERSAL":
      return size;
    case "ADJUSTMENT":
    case "PAYOUT":
      return minor;
    default:
      return kind satisfies never;
  }
}

type Optional = Omit<SettlementLine, "lineNo" | "kind" | "currency" | "note" | keyof Amounts>;

function readOptional(
  { file, fields }: RecordsMapping,
  record: BankRecord,
): { optional: Optional; dropped: Dropped[] } {
  const cells: Record<string, string | number | undefined | CellFault> = {};
  for (const name of ["reference", "bankReference", "authCode", "item", "payoutId"] as const) {
    if (fields[name]) cells[name] = readText(cellOf(record, fields[name].column));
  }
  for (const name of ["installment", "installments"] as const) {
    if (fields[name]) cells[name] = readCount(cellOf(record, fields[name].column));
  }
  if (fields.maskedCard) cells["maskedPan"] = readMaskedPan(cellOf(record, fields.maskedCard.column));
  const settlesOn = fields.settlesOn && cellOf(record, fields.settlesOn.column);
  if (settlesOn) cells["settlesOn"] = readDate(settlesOn, file.dates);
  const transacted = fields.transactedAt?.columns
    .map((column) => cellOf(record, column))
    .join(" ")
    .trim();
  if (transacted) cells["transactedAt"] = readDateTime(transacted, file.dates);
  const dropped = Object.entries(cells).flatMap(([name, cell]) =>
    isFault(cell) ? { name, fault: cell.fault } : [],
  );
  // A day whose time cannot be read is still the day.
  if (transacted && isFault(cells["transactedAt"]))
    cells["transactedAt"] = readDateTime(transacted.split(/[ T]/)[0]!, file.dates);
  const present = Object.entries(cells).filter(([, cell]) => cell !== undefined && !isFault(cell));
  return { optional: Object.fromEntries(present), dropped };
}

/**
 * The payment or refund at the beginning of our reference at the bank: with or without hyphens, or in the
 * short form of a bank that accepts no longer orders. Undefined for a reference that is not ours.
 */
export function idIn(reference: string): string | undefined {
  const match = OUR_ID.exec(reference.toLowerCase());
  return match ? match.slice(1, 6).join("-") : paymentOfShort(reference.trim());
}

const OUR_ID = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})(?![\da-z])/;
