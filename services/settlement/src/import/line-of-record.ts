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
 * Reads a line by its mapping, without any I/O.
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
  const optional = readOptional(mapping, record);
  if (typeof optional === "string") return fault(optional);
  const referenceId = optional.reference === undefined ? undefined : idIn(optional.reference);
  return {
    lineNo,
    kind,
    currency,
    ...amounts,
    ...optional,
    ...(referenceId !== undefined && { referenceId }),
  };
}

function cellOf(record: BankRecord, column: string): string {
  return (record.get(column) ?? "").trim();
}

function kindOf({ kind }: RecordsMapping, record: BankRecord): LineKind | undefined {
  if ("const" in kind) return kind.const;
  const cell = cellOf(record, kind.column);
  return Object.hasOwn(kind.map, cell) ? kind.map[cell] : undefined;
}

type Amounts = Pick<SettlementLine, "grossMinor" | "feeMinor" | "netMinor">;

/** The one of gross, fee and net that the bank leaves out follows from the other two. */
function readAmounts(
  { file, fields }: RecordsMapping,
  record: BankRecord,
  { kind, currency }: { kind: LineKind; currency: string },
): Amounts | string {
  const sums: { gross?: bigint; fee?: bigint; net?: bigint } = {};
  for (const name of ["gross", "fee", "net"] as const) {
    const rule = fields[name];
    if (rule === undefined) continue;
    let sum = 0n;
    for (const column of rule.columns) {
      const cell = readAmount(cellOf(record, column), { decimal: file.decimal, currency });
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

type Optional = Omit<SettlementLine, "lineNo" | "kind" | "currency" | keyof Amounts>;

function readOptional({ file, fields }: RecordsMapping, record: BankRecord): Optional | string {
  const { transactedAt } = fields;
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
  const transacted = transactedAt?.columns
    .map((column) => cellOf(record, column))
    .join(" ")
    .trim();
  if (transacted) cells["transactedAt"] = readDateTime(transacted, file.dates);
  const present = Object.entries(cells).filter(([, cell]) => cell !== undefined);
  const faulty = present.find(([, cell]) => isFault(cell));
  if (faulty) return `${faulty[0]}: ${(faulty[1] as CellFault).fault}`;
  return Object.fromEntries(present);
}

/**
 * The payment or refund that our reference at the bank begins with, with hyphens or without; undefined for a reference
 * that is none of ours.
 */
export function idIn(reference: string): string | undefined {
  const match = OUR_ID.exec(reference.toLowerCase());
  return match ? match.slice(1, 6).join("-") : undefined;
}

const OUR_ID = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})(?![\da-z])/;
