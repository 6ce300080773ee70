import { parse } from "csv-parse/sync";
import { isFault, readAmount } from "./cells.ts";
import { lineOfRecord } from "./line-of-record.ts";
import { columnsOf, type CsvMapping } from "./mapping.ts";
import { SettlementFileError, type LineBatch, type LineFault } from "./settlement-line.ts";
import { splitLines, type RawLine } from "./split-lines.ts";

/**
 * Reads a bank's file of delimited lines. A record is one line: so a misplaced quote, or one that is never closed, is the
 * fault of its own line and of no other. Each line is decoded by itself for the same reason.
 *
 * @throws SettlementFileError where nothing of the file can be taken; what was returned before it does not count.
 */
export async function* readCsv(
  mapping: CsvMapping,
  parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<LineBatch> {
  const decoder = new TextDecoder(mapping.file.encoding, { fatal: true, ignoreBOM: true });
  const totals = createTotals(mapping);
  let header: string[] | undefined;
  for await (const raw of splitLines(parts, { lineBytesMax: LINE_BYTES_MAX, linesMax: BATCH_LINES })) {
    let rest = raw;
    if (!header) {
      header = readHeader(mapping, raw[0]!, decoder);
      rest = raw.slice(1);
    }
    yield readBatch({ mapping, header, decoder, totals }, rest);
  }
  if (!header) throw new SettlementFileError("empty", "the file is empty");
  totals.check();
}

/** Longer than any bank's line; what is longer is a fault of the line. */
const LINE_BYTES_MAX = 64 * 1_024;
const BATCH_LINES = 500;

function readHeader(mapping: CsvMapping, { bytes }: RawLine, decoder: TextDecoder): string[] {
  const first = bytes === "too_long" ? undefined : decoded(withoutBom(bytes), decoder);
  const [cells] = first === undefined ? [] : records([first], mapping);
  if (!cells)
    throw new SettlementFileError("encoding", `the first line is not ${mapping.file.encoding} text`);
  const header = cells.map((cell) => cell.trim());
  const missing = columnsOf(mapping).filter((column) => !header.includes(column));
  const twice = columnsOf(mapping).filter((column) => header.indexOf(column) !== header.lastIndexOf(column));
  if (missing.length > 0 || twice.length > 0) {
    const faults = [
      ...missing.map((name) => `no column "${name}"`),
      ...twice.map((name) => `"${name}" twice`),
    ];
    throw new SettlementFileError("mapping_does_not_fit", `${mapping.source}: ${faults.join(", ")}`);
  }
  return header;
}

/** @throws SettlementFileError of UTF-16 and UTF-32, whose lines cannot be told from each other byte by byte. */
function withoutBom(bytes: Buffer): Buffer {
  const [first, second, third] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || bytes.includes(0))
    throw new SettlementFileError("encoding", "the file is UTF-16: export it as UTF-8");
  return first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes;
}

type Reading = {
  mapping: CsvMapping;
  header: readonly string[];
  decoder: TextDecoder;
  totals: ReturnType<typeof createTotals>;
};

function readBatch({ mapping, header, decoder, totals }: Reading, raw: readonly RawLine[]): LineBatch {
  const batch: LineBatch = { lines: [], faults: [] };
  const fault = (lineNo: number, reason: string) => {
    batch.faults.push({ lineNo, reason });
    totals.faulty();
  };
  const texts: { lineNo: number; text: string }[] = [];
  for (const { lineNo, bytes } of raw) {
    const text = bytes === "too_long" ? undefined : decoded(bytes, decoder);
    if (bytes === "too_long") fault(lineNo, "longer than 64 KiB");
    else if (text === undefined) fault(lineNo, `not ${mapping.file.encoding} text`);
    else if (text.trim() !== "") texts.push({ lineNo, text });
  }
  const parsed = records(
    texts.map(({ text }) => text),
    mapping,
  );
  for (const [index, { lineNo }] of texts.entries()) {
    const cells = parsed[index];
    if (!cells) fault(lineNo, "a quote that is misplaced or not closed");
    else if (cells.length !== header.length) fault(lineNo, `${cells.length} cells, not ${header.length}`);
    else {
      const record = new Map(header.map((name, at) => [name, cells[at]!]));
      if (totals.take(record)) continue;
      const line = lineOfRecord(mapping, record, lineNo);
      if (line === "skip") {
        totals.skipped();
        continue;
      }
      if ("reason" in line) fault(lineNo, line.reason);
      else {
        batch.lines.push(line);
        totals.add(line);
      }
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

/** The cells of each line, undefined of one that is none. Together where they can be, since that is ten times as fast. */
function records(lines: readonly string[], mapping: CsvMapping): (string[] | undefined)[] {
  const together = parsedRecords(lines.join("\n"), mapping);
  if (together?.length === lines.length) return together;
  return lines.map((line) => {
    const alone = parsedRecords(line, mapping);
    return alone?.length === 1 ? alone[0] : undefined;
  });
}

function parsedRecords(text: string, { file }: CsvMapping): string[][] | undefined {
  try {
    return parse(text, { delimiter: file.delimiter, relax_column_count: true, record_delimiter: "\n" });
  } catch {
    return undefined;
  }
}

/** The bank's own sums, against those of what was read. With a faulty line only the number of lines can agree. */
function createTotals({ file }: CsvMapping) {
  const { totals } = file;
  const read = { seen: 0, faulty: 0, gross: 0n, net: 0n };
  const currencies = new Set<string>();
  let stated: ReadonlyMap<string, string> | undefined;
  const differs = (column: string | undefined, is: bigint) => {
    const [currency] = currencies;
    if (column === undefined || currency === undefined) return false;
    const told = readAmount(stated?.get(column) ?? "", { decimal: file.decimal, currency });
    return isFault(told) || told !== is;
  };
  return {
    /** @returns whether the line is the one with the totals. */
    take(record: ReadonlyMap<string, string>): boolean {
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
      if (!stated) throw new SettlementFileError("truncated", "the bank's line of totals is not there");
      const count = totals.count === undefined ? undefined : stated.get(totals.count)?.trim();
      if (count !== undefined && count !== `${read.seen}`)
        throw new SettlementFileError("totals_differ", `${read.seen} lines, and the totals say ${count}`);
      // Sums over several currencies are nothing that can be compared.
      if (read.faulty > 0 || currencies.size > 1) return;
      if (differs(totals.gross, read.gross) || differs(totals.net, read.net))
        throw new SettlementFileError("totals_differ", "the sum of the lines is not the bank's total");
    },
  };
}
