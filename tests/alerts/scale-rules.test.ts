import { expect, test } from "vitest";
import { scaleDuration, scaleExpression, scaleRules, shippedRules } from "./scale-rules.ts";

test("windows, offsets, ages and the seconds of a window are divided, and counts and shares are not", () => {
  expect(scaleDuration("5m", 10)).toBe("30s");
  expect(scaleDuration("1m", 16)).toBe("3750ms");
  expect(scaleExpression('sum(increase(a_total{b="5m"}[10m] offset 1h)) > 20', 10)).toBe(
    'sum(increase(a_total{b="5m"}[60s] offset 360s)) > 20',
  );
  expect(scaleExpression('max(a_oldest_age_seconds{waits="bank"}) > bool 300', 10)).toBe(
    'max(a_oldest_age_seconds{waits="bank"}) > bool 30',
  );
  expect(scaleExpression("avg_over_time(slo_bad:rate5m[1h]) * 3600 >= 5", 10)).toBe(
    "avg_over_time(slo_bad:rate5m[360s]) * 360 >= 5",
  );
  expect(scaleExpression("rate(a[5m]) / rate(b[5m]) > 0.5", 10)).toBe("rate(a[30s]) / rate(b[30s]) > 0.5");
});

test("no rule keeps a length of time, and none is lost", () => {
  const shipped = shippedRules().groups.flatMap(({ rules }) => rules);
  const scaled = scaleRules(shippedRules(), 7).groups.flatMap(({ rules }) => rules);
  expect(scaled).toHaveLength(shipped.length);
  for (const [index, rule] of scaled.entries()) {
    const lengths = (expr: string) =>
      expr.match(/\[\w+\]|offset \w+|_age_seconds\S* > (?:bool )?\S+|\]\) \* \S+/g);
    expect(rule).toMatchObject({ labels: shipped[index]!.labels });
    for (const [at, length] of (lengths(rule.expr) ?? []).entries()) {
      expect(length, rule.expr).not.toBe(lengths(shipped[index]!.expr)![at]);
    }
  }
});
