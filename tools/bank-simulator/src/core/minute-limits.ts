/** Counts the calls of the last minute, by any key, such as a merchant and a group of calls. */
export class MinuteLimits {
  readonly #calls = new Map<string, number[]>();

  /** Counts a call, unless the limit is reached. @returns whether it may be carried out */
  admit(key: string, limit: number, nowMs: number): boolean {
    const recent = (this.#calls.get(key) ?? []).filter((at) => at > nowMs - MINUTE_MS);
    const isAdmitted = recent.length < limit;
    if (isAdmitted) recent.push(nowMs);
    this.#calls.set(key, recent);
    return isAdmitted;
  }
}

const MINUTE_MS = 60_000;
