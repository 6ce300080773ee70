import type { TestLedgers } from "./test-ledgers.ts";

/** The expected message, the id in it, and the function that plants the violation. */
export type Planted = [says: string, id: string, plant: (run: TestLedgers) => unknown];
