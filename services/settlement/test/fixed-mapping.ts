/** A bank's file without delimiters: a head, a line for each movement, and a last line with the totals. */
export const FIXED = {
  source: "fixed",
  version: 1,
  description: "Lines of 88 characters, decimals implied, a last line of totals.",
  file: {
    format: "fixed",
    encoding: "windows-1254",
    decimal: "implied",
    dates: "yyyyMMdd",
    lineLength: 88,
    columns: [
      { name: "TYPE", from: 1, length: 1 },
      { name: "KIND", from: 2, length: 5 },
      { name: "ID", from: 7, length: 32 },
      { name: "TUTAR", from: 39, length: 12 },
      { name: "KESINTI", from: 51, length: 8 },
      { name: "DATE", from: 59, length: 8 },
      { name: "TIME", from: 67, length: 6 },
      { name: "PAN", from: 73, length: 16 },
      // A column of the last line, which is laid out otherwise.
      { name: "COUNT", from: 2, length: 6 },
    ],
    totals: { column: "TYPE", equals: "T", count: "COUNT", gross: "TUTAR" },
    skip: [{ column: "TYPE", equals: "H" }],
  },
  kind: { column: "KIND", map: { SATIS: "SALE", İADE: "REFUND" } },
  fields: {
    reference: { column: "ID" },
    maskedCard: { column: "PAN" },
    gross: { columns: ["TUTAR"], sign: "byKind" },
    fee: { columns: ["KESINTI"] },
    currency: { const: "TRY" },
    transactedAt: { columns: ["DATE", "TIME"] },
  },
} as const;

/** A line of a file that this mapping reads. */
export function fixedLine(cells: {
  kind: string;
  id: string;
  gross: string;
  fee: string;
  date: string;
  time: string;
  pan: string;
}): string {
  const { kind, id, gross, fee, date, time, pan } = cells;
  return `D${kind.padEnd(5)}${id.padEnd(32)}${gross.padStart(12, "0")}${fee.padStart(8, "0")}${date}${time}${pan.padEnd(16)}`;
}
