import { createReadStream } from "node:fs";
import { assetPath } from "@holdfast/assets";
import { readBinCsv } from "./bin-csv.ts";
import { createBinTable, type BinTable } from "./bin-table.ts";

/** The table in use until there is an import: the BINs of the test cards. It is also an example of the file's format. */
export const SHIPPED_BINS: BinTable = await read(
  assetPath("services/payments/src/accept/bins/shipped-bins.csv"),
);

async function read(file: string): Promise<BinTable> {
  const { ranges, faults } = await readBinCsv(createReadStream(file));
  if (faults.length > 0) throw new Error(`the shipped BIN table is not valid: ${JSON.stringify(faults)}`);
  return createBinTable(ranges);
}
