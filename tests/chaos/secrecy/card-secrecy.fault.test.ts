import { join } from "node:path";
import { expect, test } from "vitest";
import { FOREIGN_BANKS } from "../system/foreign-banks.ts";
import { lookThrough } from "./look-through.ts";

/** Everything that is written anywhere while adapters send cards is looked through. */
const repository = join(import.meta.dirname, "..", "..", "..");

/** Two banks for each system: one for each of its merchants. */
const PAIRS = Array.from({ length: Math.ceil(FOREIGN_BANKS.length / 2) }, (_, pair) =>
  FOREIGN_BANKS.slice(pair * 2, pair * 2 + 2),
);

test.each(PAIRS.map((banks) => [banks.join(" and "), banks] as const))(
  "neither number nor code is in any table, log, file, span, message or answer of %s",
  async (_, banks) => {
    const { leaks, seen } = await lookThrough(repository, banks);
    expect(leaks).toEqual([]);
    expect(seen.columns).toContain("payments.payment.masked_pan");
    expect(seen.files.some((file) => file.includes("pg_wal"))).toBe(true);
    expect(seen.files.some((file) => file.includes("jetstream"))).toBe(true);
    expect(seen.files.some((file) => file.endsWith("payments-1.log"))).toBe(true);
    expect(seen.spans).toBeGreaterThan(0);
    expect(seen.messages).toBeGreaterThan(0);
    expect(seen.enrolled).toBeGreaterThan(0);
  },
);
