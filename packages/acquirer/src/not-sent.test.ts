import { expect, test } from "vitest";
import { retryHintOf, waitFor } from "./not-sent.ts";

const NOW = Date.UTC(2030, 0, 1);
const HOUR_MS = 3_600_000;

test.each<[string, number | undefined, number]>([
  ["the schedule's step where no time is known", undefined, 5_000],
  ["until the acquirer takes it", 6 * HOUR_MS, 6 * HOUR_MS],
  ["the schedule's step where that time is nearer", 1_000, 5_000],
  ["the schedule's step where that time has passed", -HOUR_MS, 5_000],
  ["a day at most", 1_000 * HOUR_MS, 26 * HOUR_MS],
])("the next attempt waits for %s", (_, fromNowMs, expected) => {
  const notBefore = fromNowMs === undefined ? undefined : new Date(NOW + fromNowMs);
  expect(waitFor(notBefore, { stepMs: 5_000, now: NOW })).toBe(expected);
});

test("why nothing was sent is the acquirer's reason, or that it could not be reached", () => {
  const notBefore = new Date(NOW);
  expect(retryHintOf({ kind: "not_sent" })).toEqual({ cause: "acquirer_unavailable" });
  expect(retryHintOf({ kind: "not_sent", reason: "credentials" })).toEqual({ cause: "credentials" });
  expect(retryHintOf({ kind: "not_sent", reason: "day_not_ended", notBefore })).toEqual({
    cause: "day_not_ended",
    notBefore,
  });
});
