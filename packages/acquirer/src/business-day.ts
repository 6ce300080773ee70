import type { BusinessDay } from "./connector.ts";

/**
 * The end of an instant's business day: the next cut-off, with which the acquirer settles the day's calls. An
 * instant at the cut-off belongs to the next day. If clocks skip the cut-off when they are put forward, it
 * comes immediately after the skip. If they repeat it, the first one counts.
 */
export function businessDayEnd(at: Date, { timeZone, cutOff }: BusinessDay): Date {
  const today = Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  const cutOffOf = (day: Temporal.PlainDate) =>
    day.toZonedDateTime({ timeZone, plainTime: cutOff }).epochMilliseconds;
  const end = cutOffOf(today);
  return new Date(at.getTime() < end ? end : cutOffOf(today.add({ days: 1 })));
}

/** True if two instants are on one business day: sales can be voided until the acquirer settles the day. */
export function isSameBusinessDay(one: Date, other: Date, day: BusinessDay): boolean {
  return businessDayEnd(one, day).getTime() === businessDayEnd(other, day).getTime();
}
