import { expect, test, vi } from "vitest";
import { createNaturalBatcher } from "./natural-batcher.ts";

/** A flush that ends when the test ends it. */
function heldFlush() {
  const batches: number[][] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  return {
    batches,
    flush: async (items: number[]) => {
      batches.push(items);
      const held = Promise.withResolvers<void>();
      waiting.push(held);
      await held.promise;
      return items.map((item) => item * 10);
    },
    releaseAll: () => waiting.splice(0).forEach(({ resolve }) => resolve()),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const never = () => false;

test("what arrives while a flush runs goes into the next one, in order, each with its own result", async () => {
  const { batches, flush, releaseAll } = heldFlush();
  const batcher = createNaturalBatcher({ name: "test", flush, sizeMax: 10, flushesMax: 1, isolates: never });
  const first = [1, 2].map((item) => batcher.add(item));
  await turn();
  const second = [3, 4, 5].map((item) => batcher.add(item));
  await turn();
  expect(batches).toEqual([[1, 2]]);
  releaseAll();
  expect(await Promise.all(first)).toEqual([10, 20]);
  await turn();
  releaseAll();
  expect(await Promise.all(second)).toEqual([30, 40, 50]);
  expect(batches).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
});

test("a batch has at most sizeMax items, and at most flushesMax run at once", async () => {
  const { batches, flush, releaseAll } = heldFlush();
  const batcher = createNaturalBatcher({ name: "test", flush, sizeMax: 2, flushesMax: 2, isolates: never });
  const results = [];
  for (let item = 0; item < 6; item++) {
    results.push(batcher.add(item));
    await turn();
  }
  expect(batches).toEqual([[0], [1]]);
  releaseAll();
  await Promise.all(results.slice(0, 2));
  await turn();
  expect(batches.slice(2).sort()).toEqual([
    [2, 3],
    [4, 5],
  ]);
  releaseAll();
  expect(await Promise.all(results)).toEqual([0, 10, 20, 30, 40, 50]);
});

test("with a linger what arrives within it goes into one flush, and the next item waits anew", async () => {
  vi.useFakeTimers();
  try {
    const batches: number[][] = [];
    const batcher = createNaturalBatcher({
      name: "test",
      flush: async (items: number[]) => {
        batches.push(items);
        return items;
      },
      sizeMax: 10,
      flushesMax: 1,
      lingerMs: 50,
      isolates: never,
    });
    const results = [batcher.add(1)];
    await vi.advanceTimersByTimeAsync(49);
    results.push(batcher.add(2));
    expect(batches).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toEqual([[1, 2]]);
    results.push(batcher.add(3));
    await vi.advanceTimersByTimeAsync(49);
    expect(batches).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all(results)).toEqual([1, 2, 3]);
  } finally {
    vi.useRealTimers();
  }
});

test("a batch that is full does not linger, and neither does what a full one has left over", async () => {
  vi.useFakeTimers();
  try {
    const { batches, flush, releaseAll } = heldFlush();
    const batcher = createNaturalBatcher({
      name: "test",
      flush,
      sizeMax: 2,
      flushesMax: 1,
      lingerMs: 50,
      isolates: never,
    });
    const results = [1, 2, 3, 4].map((item) => batcher.add(item));
    expect(batches).toEqual([[1, 2]]);
    releaseAll();
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    releaseAll();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
  } finally {
    vi.useRealTimers();
  }
});

test("what comes just as a flush ends goes into the next one, and none is empty", async () => {
  const { batches, flush, releaseAll } = heldFlush();
  const batcher = createNaturalBatcher({ name: "test", flush, sizeMax: 10, flushesMax: 2, isolates: never });
  const first = batcher.add(1);
  await turn();
  const second = batcher.add(2);
  releaseAll();
  expect(await first).toBe(10);
  await turn();
  releaseAll();
  expect(await second).toBe(20);
  expect(batches).toEqual([[1], [2]]);
});

test("an item at fault fails alone; its neighbours are written", async () => {
  const flush = async (items: number[]) => {
    if (items.includes(2)) throw new RangeError("2");
    return items;
  };
  const batcher = createNaturalBatcher({
    name: "test",
    flush,
    sizeMax: 10,
    flushesMax: 1,
    isolates: (error) => error instanceof RangeError,
  });
  const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("a failure that may have left something behind is not tried again", async () => {
  let flushes = 0;
  const batcher = createNaturalBatcher<number, number>({
    name: "test",
    flush: async () => {
      flushes++;
      throw new Error("connection lost");
    },
    sizeMax: 10,
    flushesMax: 1,
    isolates: never,
  });
  const results = await Promise.allSettled([1, 2].map((item) => batcher.add(item)));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(flushes).toBe(1);
});
