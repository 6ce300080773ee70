import { context, inBatchContext, type Context } from "@holdfast/telemetry";

/**
 * Natural batching: while one flush runs, the next items gather, so a busy process commits many items in one statement
 * and an idle one commits each at once. Nothing waits for a timer, unless it is told to linger. Measured on 2 cores (64
 * clients, two durable commits a payment): 2 360 payments/s one by one, 4 280-5 640 batched.
 */
export type NaturalBatcher<Item, Result> = {
  /** Resolves with the item's own result; rejects with the flush's error. */
  add(item: Item): Promise<Result>;
};

export type BatcherOptions<Item, Result> = {
  /** One statement for all items; results in the items' order. */
  flush: (items: Item[]) => Promise<Result[]>;
  /** Items in one flush. */
  sizeMax: number;
  /** Flushes at once. */
  flushesMax: number;
  /**
   * Milliseconds for which the first item of a flush waits for company: for what nobody waits for, where fewer
   * statements are worth more than an early one. Zero (the default) waits only for the event loop's turn to end.
   */
  lingerMs?: number;
  /** Whether a failed flush left nothing behind and may have failed for one item's sake: then each is tried alone. */
  isolates: (error: unknown) => boolean;
};

export function createNaturalBatcher<Item, Result>({
  flush,
  sizeMax,
  flushesMax,
  lingerMs = 0,
  isolates,
}: BatcherOptions<Item, Result>): NaturalBatcher<Item, Result> {
  type Waiting = {
    item: Item;
    unit: Context;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
  };
  let gathering: Waiting[] = [];
  /** Including one that is about to begin. */
  let flushing = 0;
  let isBeginning = false;

  const flushBatch = async (batch: Waiting[]): Promise<void> => {
    try {
      const units = batch.map(({ unit }) => unit);
      const results = await inBatchContext(units, () => flush(batch.map(({ item }) => item)));
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      if (batch.length > 1 && isolates(error)) {
        for (const waiting of batch) await flushBatch([waiting]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  };

  const begin = () => {
    if (isBeginning || flushing >= flushesMax || gathering.length === 0) return;
    isBeginning = true;
    flushing++;
    // What arrives in the same turn of the event loop goes into the same flush.
    if (lingerMs === 0) setImmediate(() => void flushGathered());
    else setTimeout(() => void flushGathered(), lingerMs);
  };

  const flushGathered = async () => {
    isBeginning = false;
    // Another flush may have ended meanwhile and taken everything along.
    while (gathering.length > 0) {
      const batch = gathering.slice(0, sizeMax);
      gathering = gathering.slice(sizeMax);
      begin();
      await flushBatch(batch);
      if (lingerMs > 0) break;
    }
    flushing--;
    begin();
  };

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        gathering.push({ item, unit: context.active(), resolve, reject });
        begin();
      });
    },
  };
}
