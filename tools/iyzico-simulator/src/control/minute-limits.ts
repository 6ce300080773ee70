/** The groups of calls that iyzico limits apart from each other (iyzico protocol, idempotency, time-outs, limits). */
export type LimitGroup = "payments" | "retrieve" | "refunds" | "cancels";

/** Counts the calls of the last minute, for each merchant and group. */
export class MinuteLimits {
  readonly #calls = new Map<string, number[]>();

  /** Counts a call, unless the limit is reached. @returns whether it may be carried out */
  admit(merchantId: string, group: LimitGroup, limit: number, nowMs: number): boolean {
    const key = `${group} ${merchantId}`;
    const recent = (this.#calls.get(key) ?? []).filter((at) => at > nowMs - MINUTE_MS);
    const isAdmitted = recent.length < limit;
    if (isAdmitted) recent.push(nowMs);
    this.#calls.set(key, recent);
    return isAdmitted;
  }
}

const MINUTE_MS = 60_000;
