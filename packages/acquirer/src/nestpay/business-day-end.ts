import type { BusinessDay } from "../connector.ts";

/** The first cut-off after an instant: what was sent then is settled with it. */
export function businessDayEnd(at: Date, { timeZone, cutOff }: BusinessDay): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  const sameDay = local.toPlainDate().toZonedDateTime({ timeZone, plainTime: cutOff });
  const isLater = Temporal.ZonedDateTime.compare(sameDay, local) > 0;
  const end = isLater
    ? sameDay
    : local.toPlainDate().add({ days: 1 }).toZonedDateTime({ timeZone, plainTime: cutOff });
  return new Date(end.epochMilliseconds);
}

/**
 * The instant of a bank's local time.
 * @param text `yyyy-MM-dd HH:mm:ss`, with or without fractions of a second.
 * @returns undefined where it is no time.
 */
export function readLocalTime(text: string, timeZone: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?$/.test(text)) return undefined;
  try {
    const local = Temporal.PlainDateTime.from(text.replace(" ", "T"), { overflow: "reject" });
    return new Date(local.toZonedDateTime(timeZone).epochMilliseconds);
  } catch {
    return undefined;
  }
}
