import { stringify } from "csv-stringify/sync";
import type { RowMediaType } from "@holdfast/contracts";
import type { Row, RowColumn } from "./row-columns.ts";

/** The text of an export, page by page. It ends with the number of rows, so that one that was cut off is noticed. */
export type RowWriter = { head: string; page(rows: Row[]): string; end(count: number): string };

export function createRowWriter(
  mediaType: RowMediaType,
  columns: RowColumn[],
  { bom }: { bom: boolean },
): RowWriter {
  switch (mediaType) {
    case "text/csv":
      return {
        head: (bom ? "\u{FEFF}" : "") + csv([columns.map(({ name }) => name)]),
        page: (rows) => csv(rows.map((row) => columns.map(({ textOf }) => textOf(row)))),
        // The last row is as wide as every other, since some programs refuse a table that is not.
        end: (count) => csv([columns.map((_, index) => ["#rows", String(count)][index] ?? "")]),
      };
    case "application/x-ndjson":
      return {
        head: "",
        page: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
        end: (count) => `${JSON.stringify({ rows: count })}\n`,
      };
    default:
      return mediaType satisfies never;
  }
}

/** RFC 4180. */
function csv(records: string[][]): string {
  return stringify(
    records.map((record) => record.map(neutralize)),
    { record_delimiter: "windows" },
  );
}

// The beginning of a cell, for every separator that a spreadsheet may use: with `;`, as in Turkey, a text in
// the middle of our cell begins a cell there.
const FORMULA = /(^|[,;|\t\r\n"])([\p{White_Space}\u{200B}\u{FEFF}]*)(?=[=+\-@＝＋－＠])/gu;

/** Puts an apostrophe before whatever a spreadsheet would carry out as a formula. */
const neutralize = (cell: string) => cell.replaceAll(FORMULA, "$1$2'");
