/**
 * The instant of a bank's local time.
 * @param text `yyyy-MM-dd HH:mm:ss`, with or without fractions of a second.
 * @returns undefined where it is no time.
 */
export function readWallClock(text: string, timeZone: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?$/.test(text)) return undefined;
  try {
    const local = Temporal.PlainDateTime.from(text.replace(" ", "T"), { overflow: "reject" });
    return new Date(local.toZonedDateTime(timeZone).epochMilliseconds);
  } catch {
    return undefined;
  }
}
