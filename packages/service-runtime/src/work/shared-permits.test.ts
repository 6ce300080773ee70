import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSharedPermits, permitsOfOne, type Release } from "./shared-permits.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp({ max = 4, ofOneMax = 2 } = {}) {
  const permits = createSharedPermits({ max, ofOneMax });
  const granted: string[] = [];
  const releases: Release[] = [];
  const wait = async (holder: string, name = holder, waitMs = 1_000) => {
    const release = await permits.wait(holder, Date.now() + waitMs);
    granted.push(release ? name : `${name} gave up`);
    if (release) releases.push(release);
  };
  return { permits, granted, releases, wait };
}

test("one holder has its part and no more, and the others' places stay free", () => {
  const { permits } = setUp();
  const own = [permits.take("a"), permits.take("a"), permits.take("a")];
  expect(own.map((release) => release !== undefined)).toEqual([true, true, false]);
  expect([permits.take("b"), permits.take("b")].every(Boolean)).toBe(true);
  expect(permits.take("c")).toBeUndefined();
  own[0]!();
  own[0]!();
  expect(permits.take("c")).toBeDefined();
  expect(permits.take("d")).toBeUndefined();
});

test("a permit that a block uses is back at its end, also after a failure", () => {
  const { permits } = setUp({ max: 1, ofOneMax: 1 });
  const fail = () => {
    using permit = permits.take("a");
    expect([permit, permits.take("b")]).toEqual([expect.any(Function), undefined]);
    throw new Error("the work has failed");
  };
  expect(fail).toThrow("the work has failed");
  expect(permits.take("b")).toBeDefined();
});

test("nobody in particular has no part, and is bounded by all places", () => {
  const { permits } = setUp();
  const taken = Array.from({ length: 5 }, () => permits.take(undefined));
  expect(taken.map((release) => release !== undefined)).toEqual([true, true, true, true, false]);
});

test("those who wait have their turns by holder, however many one of them sends", async () => {
  const { granted, releases, wait } = setUp({ max: 1, ofOneMax: 1 });
  for (const name of ["a1", "a2", "a3", "a4"]) void wait("a", name);
  for (const name of ["b1", "b2"]) void wait("b", name);
  void wait("c", "c1");
  for (let turn = 0; turn < 7; turn++) {
    await vi.advanceTimersByTimeAsync(0);
    releases.shift()!();
  }
  await vi.advanceTimersByTimeAsync(0);
  expect(granted).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("a holder that waits for its own part keeps nobody else waiting", async () => {
  const { permits, granted, wait } = setUp({ max: 4, ofOneMax: 2 });
  for (const name of ["a1", "a2", "a3"]) void wait("a", name);
  await vi.advanceTimersByTimeAsync(0);
  expect(permits.take("b")).toBeDefined();
  expect(granted).toEqual(["a1", "a2"]);
});

test("a wait ends at its time without a place, and takes none later", async () => {
  const { permits, granted, releases, wait } = setUp({ max: 1, ofOneMax: 1 });
  await wait("a");
  void wait("a", "late", 500);
  await vi.advanceTimersByTimeAsync(500);
  expect(granted).toEqual(["a", "late gave up"]);
  releases[0]!();
  expect(permits.take("b")).toBeDefined();
  expect(await permits.wait("b", Date.now())).toBeUndefined();
});

test.each([
  [512, 0.25, 128],
  [2, 0.25, 1],
  [1, 1, 1],
  [10, 0.33, 3],
])("of %i permits a share of %d is %i", (max, share, permits) => {
  expect(permitsOfOne(max, share)).toBe(permits);
});
