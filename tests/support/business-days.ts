/**
 * The day's end of a test's bank account, twelve hours from now. A slow test, or a payment that it makes an
 * hour older, therefore stays within one business day.
 */
export function dayEndFarAway(): { timeZone: string; cutOff: string } {
  return { timeZone: "UTC", cutOff: new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16) };
}
