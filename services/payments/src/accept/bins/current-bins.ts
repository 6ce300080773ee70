import type { Logger } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { latestImport, readRanges } from "./bin-queries.ts";
import { createBinTable, type BinTable } from "./bin-table.ts";
import { SHIPPED_BINS } from "./shipped-bins.ts";

/** The BIN table this process uses. */
export type CurrentBins = {
  /** Undefined until it has been read once: a card's data must not be guessed from another table. */
  table: () => BinTable | undefined;
  /** Reads the latest import unless it is in use already. Its interval bounds the age of the table. */
  refresh: () => Promise<void>;
};

export function createCurrentBins(db: Kysely<PaymentsDatabase>, log: Logger): CurrentBins {
  let current: { version: number; table: BinTable } | undefined;
  return {
    table: () => current?.table,
    refresh: async () => {
      const { version, ranges } = (await latestImport(db)) ?? { version: SHIPPED_VERSION, ranges: 0 };
      if (current?.version === version) return;
      const table =
        version === SHIPPED_VERSION ? SHIPPED_BINS : createBinTable(await readRanges(db, version));
      // The table was replaced during the read, so this is only a part. The next round reads the new one.
      if (version !== SHIPPED_VERSION && table.count !== ranges) return;
      current = { version, table };
      log.info({ version, ranges: table.count }, "BIN table in use");
    },
  };
}

const SHIPPED_VERSION = 0;
