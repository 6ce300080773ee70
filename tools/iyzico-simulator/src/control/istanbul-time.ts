/** Epoch milliseconds as `yyyy-MM-dd HH:mm:ss` in Istanbul, which has been three hours ahead of UTC since 2016. */
export function istanbulTime(epochMs: number): string {
  return new Date(epochMs + AHEAD_MS).toISOString().slice(0, 19).replace("T", " ");
}

/** Epoch milliseconds as `yyyy-MM-dd` in Istanbul. */
export function istanbulDate(epochMs: number): string {
  return istanbulTime(epochMs).slice(0, 10);
}

const AHEAD_MS = 3 * 3_600_000;
