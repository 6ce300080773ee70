import { isFault, readAmount } from "./cells.ts";
import { csvLayout } from "./csv-layout.ts";
import { fixedLayout } from "./fixed-layout.ts";
import { lineOfRecord, type BankRecord } from "./line-of-record.ts";
import type { RecordsMapping } from "./mapping.ts";
import { readableParts } from "./readable-parts.ts";
import { SettlementFileError, type LineBatch, type LineFault, type ReadParts } from "./settlement-line.ts";
import { splitLines, type RawLine } from "./split-lines.ts";

/** The way to find the cells of a record in its line. */
export type Layout = {
  /** Is given the first line. @throws SettlementFileError where it shows that the mapping does not fit. */
  begin(first: string): "header" | "record";
  /** The cells of each line, or the reason why it has none. */
  recordsOf(texts: readonly string[]): (BankRecord | string)[];
};

/**
 * Reads a bank's file whose records are lines. Each line is decoded by itself: its fault affects no other
 * line.
 *
 * @throws SettlementFileError if nothing of the file can be imported; earlier results then do not count.
 */
export async function* readRecords(
  mapping: RecordsMapping,
  parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<LineBatch> {
  const { file } = mapping;
  const reading: Reading = {
    mapping,
    layout: file.format === "csv" ? csvLayout(mapping, file) : fixedLayout(file),
    decoder: new TextDecoder(file.encoding, { fatal: true, ignoreBOM: true }),
    totals: createTotals(mapping),
  };
  let hasBegun = false;
  const bounds = { lineBytesMax: LINE_BYTES_MAX, linesMax: BATCH_LINES, bytesMax: BATCH_BYTES };
  for await (const raw of splitLines(parts, bounds)) {
    yield readBatch(reading, hasBegun ? raw : begin(reading, raw));
    hasBegun = true;
  }
  if (!hasBegun) throw new SettlementFileError("empty", "the file is empty");
  reading.totals.check();
}

/** Longer than any bank's line; a longer line is a fault. */
const LINE_BYTES_MAX = 64 * 1_024;
const BATCH_LINES = 500;
const BATCH_BYTES = 1_048_576;

/** @returns the lines without the mark of the encoding, and without a header. */
function begin({ mapping, layout, decoder }: Reading, raw: readonly RawLine[]): RawLine[] {
  const [{ lineNo, bytes }, ...rest] = raw as [RawLine, ...RawLine[]];
  const first = bytes === "too_long" ? bytes : withoutBom(bytes);
  const text = first === "too_long" ? undefined : decoded(first, decoder);
  if (text === undefined)
    throw new SettlementFileError("encoding", `the first line is not ${mapping.file.encoding} text`);
  return layout.begin(text) === "header" ? rest : [{ lineNo, bytes: first }, ...rest];
}

/** @throws SettlementFileError for UTF-16 and UTF-32, whose lines cannot be separated byte by byte. */
function withoutBom(bytes: Buffer): Buffer {
  const [first, second, third] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || bytes.includes(0))
    throw new SettlementFileError("encoding", "the file is UTF-16: export it as UTF-8");
  return first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes;
}

type Reading = {
  mapping: RecordsMapping;
  layout: Layout;
  decoder: TextDecoder;
  totals: ReturnType<typeof createTotals>;
};

function readBatch({ mapping, layout, decoder, totals }: Reading, raw: readonly RawLine[]): LineBatch {
  const batch: LineBatch = { lines: [], faults: [] };
  const fault = (lineNo: number, reason: string, read?: ReadParts) => {
    batch.faults.push({ lineNo, reason, ...(read && { read }) });
    totals.faulty();
  };
  const texts: { lineNo: number; text: string }[] = [];
  for (const { lineNo, bytes } of raw) {
    const text = bytes === "too_long" ? undefined : decoded(bytes, decoder);
    if (bytes === "too_long") fault(lineNo, "longer than 64 KiB");
    else if (text === undefined) fault(lineNo, `not ${mapping.file.encoding} text`);
    else if (text.trim() !== "") texts.push({ lineNo, text });
  }
  const records = layout.recordsOf(texts.map(({ text }) => text));
  for (const [index, { lineNo }] of texts.entries()) {
    const record = records[index]!;
    if (typeof record === "string") {
      fault(lineNo, record);
      continue;
    }
    if (totals.take(record)) continue;
    const line = lineOfRecord(mapping, record, lineNo);
    if (line === "skip") totals.skipped();
    else if ("reason" in line) fault(lineNo, line.reason, readableParts(mapping, record));
    else {
      batch.lines.push(line);
      totals.add(line);
    }
  }
  batch.faults.sort((one: LineFault, other: LineFault) => one.lineNo - other.lineNo);
  return batch;
}

function decoded(bytes: Buffer, decoder: TextDecoder): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Compares the bank's own totals with the lines' sums. If a line is faulty, only the number of lines can
 * agree.
 */
function createTotals({ file }: RecordsMapping) {
  const { totals } = file;
  const read = { seen: 0, faulty: 0, gross: 0n, net: 0n };
  const currencies = new Set<string>();
  let stated: BankRecord | undefined;
  const differs = (column: string | undefined, is: bigint) => {
    const [currency] = currencies;
    if (column === undefined || currency === undefined) return false;
    const statedAmount = readAmount(stated?.get(column) ?? "", { decimal: file.decimal, currency });
    return isFault(statedAmount) || statedAmount !== is;
  };
  return {
    /** @returns whether the line is the one with the totals. */
    take(record: BankRecord): boolean {
      if (!totals || record.get(totals.column)?.trim() !== totals.equals) return false;
      if (stated) throw new SettlementFileError("totals_differ", "the file has two lines of totals");
      stated = record;
      return true;
    },
    add(line: LineBatch["lines"][number]): void {
      if (stated) throw new SettlementFileError("totals_differ", "there are lines behind the totals");
      read.seen++;
      read.gross += line.grossMinor;
      read.net += line.netMinor;
      currencies.add(line.currency);
    },
    skipped: () => void read.seen++,
    faulty(): void {
      read.seen++;
      read.faulty++;
    },
    check(): void {
      if (!totals) return;
      // A file without a readable line is reported so, and not as one without a last line.
      if (!stated && read.faulty > 0 && read.faulty === read.seen) return;
      if (!stated) throw new SettlementFileError("truncated", "the bank's line of totals is not there");
      const count = totals.count === undefined ? undefined : stated.get(totals.count)?.trim();
      // Numbers of a file are filled up with zeros.
      if (count !== undefined && count.replace(/^0+(?=\d)/, "") !== `${read.seen}`)
        throw new SettlementFileError("totals_differ", `${read.seen} lines, and the totals say otherwise`);
      // Sums over several currencies cannot be compared.
      if (read.faulty > 0 || currencies.size > 1) return;
      if (differs(totals.gross, read.gross) || differs(totals.net, read.net))
        throw new SettlementFileError("totals_differ", "the sum of the lines is not the bank's total");
    },
  };
}
