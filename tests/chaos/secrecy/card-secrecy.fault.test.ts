import { join } from "node:path";
import { expect, test } from "vitest";
import { lookThrough } from "./look-through.ts";

/** Everything that is written anywhere while adapters post cards in forms is looked through. */
const repository = join(import.meta.dirname, "..", "..", "..");

test("neither number nor code is in any table, log, file, span, message or answer while forms are posted", async () => {
  const { leaks, seen } = await lookThrough(repository);
  expect(leaks).toEqual([]);
  expect(seen.columns).toContain("payments.payment.masked_pan");
  expect(seen.files.some((file) => file.includes("pg_wal"))).toBe(true);
  expect(seen.files.some((file) => file.includes("jetstream"))).toBe(true);
  expect(seen.files.some((file) => file.endsWith("payments-1.log"))).toBe(true);
  expect(seen.spans).toBeGreaterThan(0);
  expect(seen.messages).toBeGreaterThan(0);
  expect(seen.enrolled).toBeGreaterThan(0);
});
