import type { ProbeOutcome } from "../connector.ts";

/** Less than the quarter of an hour by which two zones differ at least, and more than clocks drift. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/**
 * The end of a probe that the bank has answered. The answer's time is the bank's wall clock without a zone,
 * so a wrong zone in the account shows as a difference. Wall clocks are compared: the repeated hour in autumn
 * is no difference.
 * @param told the time as `2026-01-02T03:04:05` or `20260102 03:04:05`; any other text is ignored.
 */
export function probedAt(told: string, timeZone: string, now: Date): ProbeOutcome {
  const [, year, month, day, time] = /^(\d{4})-?(\d\d)-?(\d\d)[T ](\d\d:\d\d:\d\d)/.exec(told) ?? [];
  const bank = `${year}-${month}-${day}T${time}`;
  const ours = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
    .toString({ smallestUnit: "second" });
  const apartMs = Math.abs(Date.parse(`${bank}Z`) - Date.parse(`${ours}Z`));
  if (Number.isNaN(apartMs) || apartMs <= CLOCK_TOLERANCE_MS) return { kind: "ok" };
  return { kind: "clock", detail: `the bank's clock says ${bank}, and ours ${ours} in ${timeZone}` };
}
