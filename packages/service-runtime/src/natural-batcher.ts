/**
 * Natural batching: while one flush runs, the next items gather, so a busy process commits many items in one statement
 * and an idle one commits each at once. Nothing waits for a timer. Measured on 2 cores (64 clients, two durable commits a
 * payment): 2 360 payments/s one by one, 4 280-5 640 batched.
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
  /** Whether a failed flush left nothing behind and may have failed for one item's sake: then each is tried alone. */
  isolates: (error: unknown) => boolean;
};

export function createNaturalBatcher<Item, Result>({
  flush,
  sizeMax,
  flushesMax,
  isolates,
}: BatcherOptions<Item, Result>): NaturalBatcher<Item, Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let gathering: Waiting[] = [];
  let flushing = 0;

  const flushBatch = async (batch: Waiting[]): Promise<void> => {
    try {
      const results = await flush(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      if (batch.length > 1 && isolates(error)) {
        for (const waiting of batch) await flushBatch([waiting]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  };

  const flushGathered = async () => {
    while (gathering.length > 0) {
      const batch = gathering.slice(0, sizeMax);
      gathering = gathering.slice(sizeMax);
      await flushBatch(batch);
    }
    flushing--;
  };

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        gathering.push({ item, resolve, reject });
        if (flushing >= flushesMax) return;
        flushing++;
        // What arrives in the same turn of the event loop goes into the same flush.
        setImmediate(() => void flushGathered());
      });
    },
  };
}
