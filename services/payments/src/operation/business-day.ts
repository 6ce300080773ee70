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
  return local.toPlainDate().add({ days: afterCutOff && !isMidnight(cutOff) ? 1 : 0 });
}

/** The end of the business day that an instant belongs to. */
export function nextCutOff(at: Date, day: BusinessDay): Date {
  const { timeZone, cutOff } = day;
  const end = businessDate(at, day).add({ days: isMidnight(cutOff) ? 1 : 0 });
  return new Date(end.toZonedDateTime({ timeZone, plainTime: cutOff }).epochMilliseconds);
}

/** The cut-off that ends the calendar day itself. */
function isMidnight(cutOff: string): boolean {
  return Temporal.PlainTime.from(cutOff).equals(new Temporal.PlainTime());
}
