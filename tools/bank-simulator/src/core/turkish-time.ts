import { BankClock, type ShownTimes } from "./bank-clock.ts";

/** The zone of the banks of Turkey. */
export const ZONE = "Europe/Istanbul";
export const DAY_MS = 86_400_000;

/** The zone by which the bank judges and names movements, whatever its clocks show. */
const zone = new BankClock(ZONE);

/** `yyyy-MM-dd HH:mm:ss.SSS`. Times are epoch milliseconds. */
export function inquiryTime(clock: ShownTimes, atMs: number): string {
  const { date, time } = clock.wall(atMs);
  return `${date} ${time}`;
}

/** `yyyyMMdd HH:mm:ss`. */
export function transactionDate(clock: ShownTimes, atMs: number): string {
  return inquiryTime(clock, atMs).replaceAll("-", "").slice(0, -4);
}

/** `dd.MM.yyyy` and `HH:mm:ss`, as statements have them. */
export function statementTime(clock: ShownTimes, atMs: number): { date: string; time: string } {
  const { date, time } = clock.wall(atMs);
  return { date: date.split("-").toReversed().join("."), time: time.slice(0, 8) };
}

/** True if a card with this last month, such as `2030-12`, has expired. */
export function hasExpired(month: string, nowMs: number): boolean {
  return zone.wall(nowMs).date.slice(0, 7) > month;
}

/** A moment by which a bank names a movement: year and day of the year (`26326`), and the time of the day. */
export function namingTime(atMs: number): { day: string; time: string } {
  const { date, time } = zone.wall(atMs);
  const dayOfYear = (Date.parse(date) - Date.parse(date.slice(0, 4))) / DAY_MS + 1;
  return { day: `${date.slice(2, 4)}${String(dayOfYear).padStart(3, "0")}`, time };
}
