/**
 * For a bank account of a test: its day ends twelve hours from now, so that nothing which the test makes an hour older,
 * or which takes long, comes into another business day.
 */
export function dayEndFarAway(): { timeZone: string; cutOff: string } {
  return { timeZone: "UTC", cutOff: new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16) };
}
