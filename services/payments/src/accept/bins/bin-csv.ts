import type { Readable } from "node:stream";
import { CARD_TYPES, textSchema } from "@holdfast/contracts";
import { parse } from "csv-parse";
import { z } from "zod";
import type { BinDigits, BinRange } from "./bin-table.ts";

/** A line of the file that cannot be taken, and why; never with the value, which may be the number of a card. */
export type BinFault = { line: number; reason: string };

const code = (max: number) =>
  z.string().regex(new RegExp(`^[A-Z0-9][A-Z0-9_ -]{0,${max - 1}}$`), {
    error: `must be upper-case letters and digits, at most ${max}`,
  });
const bin = z.string().regex(/^\d{6,8}$/, { error: "must be 6 to 8 digits" });
const empty = z.literal("").transform(() => undefined);
/** An optional column that is left out, or left empty. */
const optional = <Schema extends z.ZodType>(schema: Schema) => z.union([empty, schema]).optional();

/** The columns of the file, whose first line names them in any order; optional columns may be missing. */
const lineSchema = z
  .object({
    /** The first 6, 7 or 8 digits of the card numbers that the line is about, or the lowest of a range of them. */
    bin,
    /** The last BIN of the range, with as many digits; empty if `bin` is the whole range. */
    bin_to: z.union([z.literal(""), bin], { error: "must be 6 to 8 digits" }).default(""),
    card_scheme: code(32),
    card_type: z.enum(CARD_TYPES, { error: "must be CREDIT, DEBIT or PREPAID" }),
    card_sub_type: optional(code(32)),
    /** The bank's name. */
    issuer: optional(textSchema(1, 100)),
    country: z.string().regex(/^[A-Z]{2}$/, { error: "must be an ISO 3166-1 alpha-2 code" }),
    loyalty_code: optional(code(32)),
    /** 0 and 1 where there are no installments; zeros may fill it up. */
    installments_max: z.string().regex(/^0*(\d|1[0-2])$/, { error: "must be 0 to 12" }),
  })
  .check(({ value: { bin: from, bin_to: to }, issues }) => {
    if (to === "" || (to.length === from.length && to >= from)) return;
    issues.push({
      code: "custom",
      input: to,
      path: ["bin_to"],
      message: "must have as many digits as bin and must not be less than it",
    });
  });

const COLUMNS = Object.keys(lineSchema.shape);
const REQUIRED = ["bin", "card_scheme", "card_type", "country", "installments_max"];

/** More than any issuer list has, and still little memory for a process. */
export const BIN_RANGES_MAX = 1_000_000;

/**
 * Reads a BIN table from CSV (RFC 4180, UTF-8). Either all of it is good, or `faults` names each line that is not, in the
 * file's order. A line that is no CSV ends the reading: after a misplaced quote the end of a line is unknown.
 */
export async function readBinCsv(input: Readable): Promise<{ ranges: BinRange[]; faults: BinFault[] }> {
  const parser = input.pipe(parse(CSV));
  input.on("error", (error) => parser.destroy(error));
  let wellFormed = Infinity;
  parser.on("skip", (error) => (wellFormed = Math.min(wellFormed, Number(error?.["records"] ?? 0))));
  const faults: BinFault[] = [];
  const read: Numbered[] = [];
  let columns: string[] | undefined;
  let records = 0;
  let line = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      if (++records > wellFormed) break;
      line = info.lines;
      if (!columns) {
        columns = record;
        const reason = headerFault(columns);
        if (reason) return { ranges: [], faults: [{ line, reason }] };
        continue;
      }
      const range = rangeOf(columns, record);
      if (typeof range === "string") faults.push({ line, reason: range });
      else read.push({ ...range, line });
      if (read.length > BIN_RANGES_MAX) {
        return { ranges: [], faults: [{ line, reason: `is beyond the ${BIN_RANGES_MAX} there may be` }] };
      }
    }
  } finally {
    input.destroy();
  }
  if (wellFormed < Infinity) {
    faults.push({ line: line + 1, reason: "from here on it is not well-formed CSV, and was not read" });
  }
  faults.push(...overlaps(read));
  if (read.length === 0 && faults.length === 0) faults.push({ line: 1, reason: "there are no BINs" });
  faults.sort((a, b) => a.line - b.line);
  return {
    ranges: faults.length === 0 ? read.map(({ digits, from, to, data }) => ({ digits, from, to, data })) : [],
    faults,
  };
}

const CSV = {
  bom: true,
  info: true,
  trim: true,
  skip_empty_lines: true,
  // The columns are counted here, so that the fault names its line like the others.
  relax_column_count: true,
  skip_records_with_error: true,
  max_record_size: 10_000,
} as const;

type Numbered = BinRange & { line: number };
type Parsed = { record: string[]; info: { lines: number } };

function headerFault(columns: string[]): string | undefined {
  // A column that is misspelt would be lost without a word.
  if (!columns.every((column) => COLUMNS.includes(column))) {
    return `has a column that is none of ${COLUMNS.join(", ")}`;
  }
  if (new Set(columns).size < columns.length) return "names a column twice";
  const missing = REQUIRED.filter((column) => !columns.includes(column));
  return missing.length > 0 ? `has no column ${missing.join(", ")}` : undefined;
}

function rangeOf(columns: string[], record: string[]): BinRange | string {
  if (record.length !== columns.length) return `has ${record.length} columns instead of ${columns.length}`;
  const parsed = lineSchema.safeParse(Object.fromEntries(columns.map((column, at) => [column, record[at]])));
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ");
  }
  const line = parsed.data;
  return {
    digits: line.bin.length as BinDigits,
    from: Number(line.bin),
    to: Number(line.bin_to || line.bin),
    data: {
      cardScheme: line.card_scheme,
      cardType: line.card_type,
      cardSubType: line.card_sub_type,
      issuer: line.issuer,
      country: line.country,
      loyaltyCode: line.loyalty_code,
      installmentsMax: Number(line.installments_max) || 1,
    },
  };
}

/** Two lines with the same number of digits that match the same card: neither could be chosen. */
function overlaps(ranges: readonly Numbered[]): BinFault[] {
  const ordered = [...ranges].sort((a, b) => a.digits - b.digits || a.from - b.from || a.line - b.line);
  const faults: BinFault[] = [];
  let widest = ordered[0];
  for (const range of ordered.slice(1)) {
    if (widest && widest.digits === range.digits && range.from <= widest.to) {
      const [first, second] = [widest.line, range.line].sort((a, b) => a - b) as [number, number];
      faults.push({ line: second, reason: `overlaps line ${first}` });
    }
    if (!widest || widest.digits !== range.digits || range.to > widest.to) widest = range;
  }
  return faults;
}
