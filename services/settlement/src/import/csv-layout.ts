import { parse } from "csv-parse/sync";
import type { BankRecord } from "./line-of-record.ts";
import { columnsOf, type CsvFile, type RecordsMapping } from "./mapping.ts";
import type { Layout } from "./read-records.ts";
import { SettlementFileError } from "./settlement-line.ts";

/**
 * Lines of cells between delimiters, under a first line with the columns' names. A record is one line, so a
 * misplaced or unclosed quote is a fault of its own line only.
 */
export function csvLayout(mapping: RecordsMapping, file: CsvFile): Layout {
  let header: readonly string[] = [];
  return {
    begin(first) {
      header = readHeader(mapping, file, first);
      return "header";
    },
    recordsOf: (texts) => records(texts, file).map((cells) => recordOf(header, cells)),
  };
}

function readHeader(mapping: RecordsMapping, file: CsvFile, first: string): string[] {
  const [cells] = records([first], file);
  if (!cells) throw new SettlementFileError("encoding", `the first line is not ${file.encoding} text`);
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

function recordOf(header: readonly string[], cells: readonly string[] | undefined): BankRecord | string {
  if (!cells) return "a quote that is misplaced or not closed";
  if (cells.length !== header.length)
    return `${cells.length} ${cells.length === 1 ? "cell" : "cells"}, not ${header.length}`;
  return new Map(header.map((name, at) => [name, cells[at]!]));
}

/**
 * The cells of each line, undefined for an invalid one. Lines are parsed together if possible, since that is
 * ten times as fast.
 */
function records(lines: readonly string[], file: CsvFile): (string[] | undefined)[] {
  const together = parsedRecords(lines.join("\n"), file);
  if (together?.length === lines.length) return together;
  return lines.map((line) => {
    const alone = parsedRecords(line, file);
    return alone?.length === 1 ? alone[0] : undefined;
  });
}

function parsedRecords(text: string, { delimiter }: CsvFile): string[][] | undefined {
  try {
    return parse(text, { delimiter, relax_column_count: true, record_delimiter: "\n" });
  } catch {
    return undefined;
  }
}
