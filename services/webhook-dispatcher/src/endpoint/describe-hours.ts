import type { WebhookError, WebhookHour } from "@holdfast/contracts";

/** A count of attempts of one hour that ended alike. */
export type HourCount = {
  hour: Date;
  result: "answered" | WebhookError;
  /** The bucket of the answers' duration: see {@link bucketEndMs}. */
  duration_bucket: number;
  count: number;
};

/** The hours of an endpoint, newest first, from their counts in any order. */
export function describeHours(counts: readonly HourCount[]): WebhookHour[] {
  const hours = [...Map.groupBy(counts, ({ hour }) => hour.getTime())].toSorted(([a], [b]) => b - a);
  return hours.map(([hour, ofHour]) => {
    const failed = [...Map.groupBy(ofHour, ({ result }) => result)].flatMap(([error, alike]) =>
      error === "answered" ? [] : [{ error, count: sum(alike) }],
    );
    const [p50Ms, p95Ms] = [percentile(ofHour, 0.5), percentile(ofHour, 0.95)];
    return {
      hour: new Date(hour).toISOString(),
      sent: sum(ofHour),
      answered: sum(ofHour.filter(({ result }) => result === "answered")),
      failed: failed.toSorted((a, b) => b.count - a.count || (a.error < b.error ? -1 : 1)),
      ...(p50Ms !== undefined && { p50Ms }),
      ...(p95Ms !== undefined && { p95Ms }),
    };
  });
}

/** The time within which this part of the answers came. Where none came there is nothing to measure. */
function percentile(counts: readonly HourCount[], part: number): number | undefined {
  const answers = counts
    .filter(({ result }) => result === "answered" || result === "status")
    .toSorted((a, b) => a.duration_bucket - b.duration_bucket);
  const wanted = sum(answers) * part;
  let seen = 0;
  const found = answers.find(({ count }) => (seen += count) >= wanted);
  return found && bucketEndMs(found.duration_bucket);
}

/** The longest duration of a bucket: four of them double it. */
export function bucketEndMs(bucket: number): number {
  return Math.round(2 ** (bucket / 4));
}

function sum(counts: readonly HourCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}
