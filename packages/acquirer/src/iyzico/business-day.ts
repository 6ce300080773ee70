import type { BusinessDay } from "../connector.ts";

/**
 * The end of the acquirer's business day that an instant belongs to: the first cut-off after it. An instant at the cut-off
 * belongs to the next day.
 */
export function endOfBusinessDay(at: Date, { timeZone, cutOff }: BusinessDay): Date {
  const plainTime = Temporal.PlainTime.from(cutOff);
  const date = Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  const [today, tomorrow] = [date, date.add({ days: 1 })].map(
    (day) => day.toZonedDateTime({ timeZone, plainTime }).epochMilliseconds,
  ) as [number, number];
  return new Date(at.getTime() < today ? today : tomorrow);
}
