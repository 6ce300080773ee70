/** A business day ends at `cutOff` (HH:MM) in `timeZone` (IANA). */
export type BusinessDay = { timeZone: string; cutOff: string };

/** Whether two instants are on one business day: sales can be voided until the acquirer settles the day. */
export function isSameBusinessDay(one: Date, other: Date, day: BusinessDay): boolean {
  return businessDate(one, day).equals(businessDate(other, day));
}

/** An instant at or after the cut-off belongs to the next day. */
function businessDate(at: Date, { timeZone, cutOff }: BusinessDay): Temporal.PlainDate {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  const afterCutOff = Temporal.PlainTime.compare(local.toPlainTime(), Temporal.PlainTime.from(cutOff)) >= 0;
  const midnight =
    Temporal.PlainTime.compare(Temporal.PlainTime.from(cutOff), new Temporal.PlainTime()) === 0;
  return local.toPlainDate().add({ days: afterCutOff && !midnight ? 1 : 0 });
}

/** The end of the business day that an instant belongs to. */
export function nextCutOff(at: Date, day: BusinessDay): Date {
  const end = businessDate(at, day).toZonedDateTime({ timeZone: day.timeZone, plainTime: day.cutOff });
  const isMidnight = Temporal.PlainTime.from(day.cutOff).equals(new Temporal.PlainTime());
  return new Date((isMidnight ? end.add({ days: 1 }) : end).epochMilliseconds);
}
