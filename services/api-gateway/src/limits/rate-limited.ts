import { Refusal } from "../http/refusal.ts";

/** A 429 with the time to come back. @param waitMs the time until then, more than 0. */
export function rateLimited(waitMs: number): Refusal {
  return new Refusal("rate_limited", { headers: { "Retry-After": String(Math.ceil(waitMs / 1_000)) } });
}
