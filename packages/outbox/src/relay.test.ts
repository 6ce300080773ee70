import { expect, test } from "vitest";
import { createRateLimit } from "./relay.ts";

test("so many at once, then so many a second, and never more saved up than a second's worth", () => {
  const rate = createRateLimit(100);
  expect(rate.available(0)).toBe(100);
  rate.take(100);
  expect(rate.available(0)).toBe(0);
  expect(rate.available(500)).toBe(50);
  rate.take(50);
  expect(rate.available(510)).toBe(1);
  expect(rate.available(60_000)).toBe(100);
});
