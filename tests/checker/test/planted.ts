import type { TestLedgers } from "./test-ledgers.ts";

/** What is said of it, the id that is named, and what is planted. */
export type Planted = [says: string, id: string, plant: (run: TestLedgers) => unknown];
