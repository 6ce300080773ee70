// An outage of five minutes is watched in half a minute: every length of time in the rules is divided by one number,
// and so is the time between two scrapes. Counts of events and shares stay.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export type Rule = {
  record?: string;
  alert?: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
};
export type RuleFile = { groups: { name: string; rules: Rule[] }[] };

/** The rules as they are shipped. */
export function shippedRules(): RuleFile {
  const file = join("deploy", "k8s", "components", "monitoring", "prometheus-rule.yaml");
  const text = readFileSync(join(import.meta.dirname, "..", "..", file), "utf8");
  return (parse(text) as { spec: RuleFile }).spec;
}

/** @param by how many times faster time passes. */
export function scaleRules({ groups }: RuleFile, by: number): RuleFile {
  return {
    groups: groups.map((group) => ({
      ...group,
      rules: group.rules.map((rule) => ({
        ...rule,
        expr: scaleExpression(rule.expr, by),
        ...(rule.for !== undefined && { for: scaleDuration(rule.for, by) }),
      })),
    })),
  };
}

export function scaleExpression(expression: string, by: number): string {
  return (
    expression
      .replaceAll(/\[(\d+[smhd])\]/g, (_, duration: string) => `[${scaleDuration(duration, by)}]`)
      .replaceAll(/\boffset (\d+[smhd])\b/g, (_, duration: string) => `offset ${scaleDuration(duration, by)}`)
      // Scales conditions on ages: `max(holdfast_…_age_seconds{…}) > 60`.
      .replaceAll(
        /(_age_seconds(?:\{[^}]*\})?\) > (?:bool )?)(\d+)/g,
        (_, age: string, seconds: string) => `${age}${Number(seconds) / by}`,
      )
      // A rate times the seconds of its window is the number of events.
      .replaceAll(
        /(_over_time\([^()]*\[[^\]]*\]\) \* )(\d+)/g,
        (_, average: string, seconds: string) => `${average}${Number(seconds) / by}`,
      )
  );
}

/**
 * `5m` by ten is `30s`. Prometheus takes no fractions, so other values than whole seconds are written in milliseconds.
 */
export function scaleDuration(duration: string, by: number): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(duration)!;
  const ms = Math.round((Number(count) * UNITS[unit as keyof typeof UNITS]) / by);
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
