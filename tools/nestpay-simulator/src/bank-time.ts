/** Turkey has had no summer time since 2016. */
const TURKEY_AHEAD_MS = 3 * 3_600_000;

/** A moment in the bank's local time, digit groups ready for the protocol's forms. `atMs` is epoch milliseconds. */
function localParts(atMs: number) {
  const text = new Date(atMs + TURKEY_AHEAD_MS).toISOString();
  const [date = "", time = ""] = text.slice(0, -1).split("T");
  return { date, time, seconds: time.slice(0, 8) };
}

/** `yyyyMMdd HH:mm:ss`, the form of TRXDATE. */
export function transactionDate(atMs: number): string {
  const { date, seconds } = localParts(atMs);
  return `${date.replaceAll("-", "")} ${seconds}`;
}

/** `MMdd-HHmmss`, the form of HOSTDATE. */
export function hostDate(atMs: number): string {
  const { date, seconds } = localParts(atMs);
  return `${date.slice(5).replace("-", "")}-${seconds.replaceAll(":", "")}`;
}

/** `yyyy-MM-dd HH:mm:ss.SSS`, the form of AUTH_DTTM. */
export function inquiryTime(atMs: number): string {
  const { date, time } = localParts(atMs);
  return `${date} ${time}`;
}

/** `yyyyMMdd`, as in the names of settlement files. */
export function dayDigits(atMs: number): string {
  return localParts(atMs).date.replaceAll("-", "");
}

/** `dd.MM.yyyy` and `HH:mm:ss`, as statements have them. */
export function statementTime(atMs: number): { date: string; time: string } {
  const { date, seconds } = localParts(atMs);
  return { date: date.split("-").toReversed().join("."), time: seconds };
}

/** `YY` and the day of the year in three digits, with which a TransId begins. */
export function yearAndDay(atMs: number): string {
  const local = new Date(atMs + TURKEY_AHEAD_MS);
  const day = Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;
  return `${String(local.getUTCFullYear()).slice(2)}${String(day).padStart(3, "0")}`;
}

/** The elapsed time of the local day, in milliseconds. */
export function millisecondsOfDay(atMs: number): number {
  return (atMs + TURKEY_AHEAD_MS) % DAY_MS;
}

/** True if a card with this last month, in a year with two digits, has expired at `nowMs`. */
export function hasExpired(month: number, year: number, nowMs: number): boolean {
  const local = new Date(nowMs + TURKEY_AHEAD_MS);
  return local.getTime() >= Date.UTC(2_000 + year, month, 1);
}

export const DAY_MS = 86_400_000;
