import type { WallTime } from "../../../core/index.ts";

/** A moment as `yyyy-MM-dd HH:mm:ss`. */
export function wallTime({ date, time }: WallTime): string {
  return `${date} ${time.slice(0, 8)}`;
}
