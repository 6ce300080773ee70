// Writes until when the page can be used, for people.

/**
 * The time today, and any other day the date, too: "00:09" alone would read as a time that is over. The zone is named,
 * since a telephone abroad and the shop may mean different hours.
 * @param timeZone the buyer's own one unless a test names another.
 */
export function writeDeadline(expiresAt, now, locale, timeZone) {
  const day = new Intl.DateTimeFormat("en", { dateStyle: "short", timeZone });
  const isToday = day.format(expiresAt) === day.format(now);
  return new Intl.DateTimeFormat(locale, {
    ...(!isToday && { weekday: "long", day: "numeric", month: "long" }),
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
    timeZone,
  }).format(expiresAt);
}
