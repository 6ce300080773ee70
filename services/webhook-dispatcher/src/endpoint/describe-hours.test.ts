import { expect, test } from "vitest";
import { bucketEndMs, describeHours, type HourCount } from "./describe-hours.ts";

const at = (hour: number) => new Date(Date.UTC(2026, 10, 30, hour));
const count = (
  result: HourCount["result"],
  duration_bucket: number,
  times: number,
  hour = at(9),
): HourCount => ({ hour, result, duration_bucket, count: times });

test("hours come newest first, with what was sent, answered and failed in each", () => {
  const counts = [
    count("answered", 24, 90),
    count("timeout", 50, 4),
    count("status", 24, 1),
    count("status", 28, 5),
    count("answered", 20, 2, at(10)),
  ];
  expect(describeHours(counts)).toEqual([
    { hour: at(10).toISOString(), sent: 2, answered: 2, failed: [], p50Ms: 32, p95Ms: 32 },
    {
      hour: at(9).toISOString(),
      sent: 100,
      answered: 90,
      failed: [
        { error: "status", count: 6 },
        { error: "timeout", count: 4 },
      ],
      p50Ms: 64,
      p95Ms: 128,
    },
  ]);
  expect(describeHours([])).toEqual([]);
});

test("an hour without an answer has no times", () => {
  expect(describeHours([count("dns", 8, 3)])).toEqual([
    { hour: at(9).toISOString(), sent: 3, answered: 0, failed: [{ error: "dns", count: 3 }] },
  ]);
});

test("four buckets double a time", () => {
  expect([0, 4, 8, 40, 41].map(bucketEndMs)).toEqual([1, 2, 4, 1_024, 1_218]);
});
