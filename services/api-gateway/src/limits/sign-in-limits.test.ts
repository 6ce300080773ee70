import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSignInLimits } from "./sign-in-limits.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const KEY = `hk_live_${"A".repeat(24)}`;
const HERE = "203.0.113.7";
const ELSEWHERE = "198.51.100.4";

/** @param failures from an address, with a key that differs each time. */
function setUp({ perAddress = 3, perKey = 3, failures = 0 } = {}) {
  const limits = createSignInLimits({ perAddress, perKey });
  for (let count = 0; count < failures; count++)
    limits.failed(HERE, `hk_live_${String(count).padStart(24, "0")}`);
  return limits;
}

describe("an address", () => {
  test("is locked after its failures, for all keys, and for no other address", () => {
    const limits = setUp({ failures: 2 });
    expect(limits.lockedMs(HERE, KEY)).toBe(0);
    expect(limits.failed(HERE, KEY)).toBe(0);
    for (let tries = 0; tries < 3; tries++) limits.lockedMs(HERE, KEY);
    expect(limits.lockedMs(HERE, KEY)).toBe(20_000);
    expect(limits.lockedMs(HERE, "")).toBe(20_000);
    expect(limits.lockedMs(ELSEWHERE, KEY)).toBe(0);
  });

  test("is let go on as its minute passes", () => {
    const limits = setUp({ failures: 3 });
    vi.advanceTimersByTime(20_000);
    expect(limits.lockedMs(HERE, KEY)).toBe(0);
    limits.failed(HERE, KEY);
    expect(limits.lockedMs(HERE, "")).toBeGreaterThan(0);
  });

  test("that is locked still lets those in who have signed in from there before, and their failures count", () => {
    const limits = setUp({ failures: 2 });
    limits.succeeded(HERE, KEY);
    limits.failed(HERE, "");
    expect(limits.lockedMs(HERE, KEY)).toBe(0);
    expect(limits.failed(HERE, KEY)).toBe(20_000);
  });

  test("that is locked still tries a key that is new to it, so that a shop with an old secret keeps nobody else out", () => {
    const limits = setUp({ perAddress: 10, failures: 9 });
    const [old, newcomer] = [`hk_live_${"B".repeat(24)}`, `hk_live_${"C".repeat(24)}`];
    limits.failed(HERE, old);
    const attempts = Array.from({ length: 50 }, () => limits.lockedMs(HERE, old));
    expect(attempts.filter((waitMs) => waitMs === 0)).toHaveLength(3);
    expect(limits.lockedMs(HERE, newcomer)).toBe(0);
    limits.succeeded(HERE, newcomer);
    for (let count = 0; count < 20; count++) expect(limits.lockedMs(HERE, newcomer)).toBe(0);
  });

  test("that is locked tries no more keys together than it may fail, and none that is no key", () => {
    const limits = setUp({ failures: 3 });
    const waits = [
      "",
      "hk_short",
      ...["D", "E", "F", "G"].map((letter) => `hk_live_${letter.repeat(24)}`),
    ].map((key) => limits.lockedMs(HERE, key));
    expect(waits).toEqual([20_000, 20_000, 0, 0, 0, 20_000]);
  });

  test("is not locked by successes", () => {
    const limits = setUp();
    for (let count = 0; count < 10; count++) limits.succeeded(HERE, KEY);
    expect(limits.lockedMs(HERE, KEY)).toBe(0);
  });
});

describe("a key", () => {
  test("under attack from many addresses is told to wait, and locks none of them", () => {
    const limits = setUp();
    const waits = [1, 2, 3, 4, 5].map((host) => limits.failed(`198.51.100.${host}`, KEY));
    expect(waits).toEqual([0, 0, 0, 20_000, 20_000]);
    expect(limits.lockedMs("198.51.100.1", KEY)).toBe(0);
    expect(limits.lockedMs(HERE, KEY)).toBe(0);
  });

  test("that cannot be one is not counted as one", () => {
    const limits = setUp({ perKey: 1 });
    for (const key of ["", "hk_short", `hk_live_${"a".repeat(10_000)}`]) {
      expect(limits.failed(`198.51.100.${key.length % 250}`, key)).toBe(0);
      expect(limits.failed(`192.0.2.${key.length % 250}`, key)).toBe(0);
    }
  });
});
