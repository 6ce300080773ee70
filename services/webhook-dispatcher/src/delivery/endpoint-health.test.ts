import { expect, test } from "vitest";
import {
  afterResult,
  capNow,
  keepMax,
  releaseAbove,
  newEndpointHealth,
  type EndpointHealth,
  type SendResult,
} from "./endpoint-health.ts";

const MAX = 8;
const run = (kinds: SendResult["kind"][], from: EndpointHealth = newEndpointHealth(MAX), durationMs = 10) =>
  kinds.reduce((health, kind) => afterResult(health, { kind, durationMs }, MAX), from);
const times = (count: number, kind: SendResult["kind"]) => Array.from({ length: count }, () => kind);

test("a time-out brings an endpoint down to one request at a time, other failures do not", () => {
  expect(run(["timeout"]).cap).toBe(1);
  expect(run(["failure"]).cap).toBe(MAX);
});

test("five failures in a row open the breaker, four do not", () => {
  expect(run(times(4, "failure"))).toMatchObject({ open: false, cap: MAX });
  expect(run(times(5, "failure"))).toMatchObject({ open: true, cap: 1 });
});

test("half of the last twenty opens it, whatever is between them", () => {
  const mixed = Array.from({ length: 9 }, () => ["failure", "success"] as const).flat();
  expect(run(mixed).open).toBe(false);
  expect(run([...mixed, "failure"]).open).toBe(true);
  // Older failures do not count.
  expect(run([...mixed, ...times(12, "success"), "failure"]).open).toBe(false);
});

test("an open breaker lets one request through at a time, and a success closes it slowly", () => {
  const open = run(times(5, "failure"));
  expect(keepMax(open)).toBe(1);
  const closing = run(["success"], open);
  expect(closing).toMatchObject({ open: false, cap: 2, recent: [] });
  expect(run(["success"], closing).cap).toBe(4);
  expect(run(times(9, "success"), closing).cap).toBe(MAX);
  expect(run(["failure"], open)).toMatchObject({ open: true, cap: 1 });
});

test("one that has fallen silent by its own pace gets no more than a few requests until it answers", () => {
  const fast = run(times(30, "success"), undefined, 5);
  expect(capNow(fast, 250)).toBe(MAX);
  expect(capNow(fast, 251)).toBe(2);
  const slow = run(times(60, "success"), undefined, 200);
  expect(capNow(slow, 700)).toBe(MAX);
  expect(capNow(slow, 1_000)).toBe(2);
  expect(capNow(newEndpointHealth(MAX), 999)).toBe(MAX);
  expect(capNow(newEndpointHealth(MAX), 1_001)).toBe(2);
  expect(capNow(run(["timeout"]), 5_000)).toBe(1);
});

test("more is held in memory for an endpoint that answers fast, never for one in doubt", () => {
  expect(keepMax(newEndpointHealth(MAX))).toBe(MAX);
  expect(keepMax(run(times(30, "success"), undefined, 5))).toBe(256);
  expect(keepMax(run(times(30, "success"), undefined, 1_000))).toBeLessThan(20);
  expect(keepMax(run([...times(30, "success"), "failure"], undefined, 5))).toBe(MAX);
});

test("what is leased for an endpoint that answers well stays within twice its hold, and in doubt nothing beyond its cap", () => {
  const fast = run(times(30, "success"), undefined, 5);
  expect(releaseAbove(fast)).toBe(512);
  const slower = run(times(3, "success"), fast, 200);
  expect(releaseAbove(slower)).toBe(2 * keepMax(slower));
  expect(releaseAbove(run(["failure"], fast))).toBe(MAX);
  expect(releaseAbove(run(["timeout"], fast))).toBe(1);
});
