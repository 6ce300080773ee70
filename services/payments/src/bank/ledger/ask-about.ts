import { inquireAbout, type Attempt, type Verdict } from "@holdfast/acquirer";
import type { Acquirers } from "../calls/acquirers.ts";
import { orderOf, type OrderedPayment } from "./attempts.ts";

export type AskDeps = {
  acquirers: Acquirers;
  /** Bound of one acquirer call. */
  acquirerTimeoutMs: number;
  now: () => number;
};

/** Asks the bank what became of one attempt of a payment. */
export function askAbout(deps: AskDeps, payment: OrderedPayment, attempt: Attempt): Promise<Verdict> {
  return inquireAbout(deps.acquirers.of(payment.account_id), orderOf(payment), attempt, waitUntil(deps));
}

/** The end of our own wait for a call that begins now. */
export function waitUntil({ now, acquirerTimeoutMs }: Pick<AskDeps, "now" | "acquirerTimeoutMs">): Date {
  return new Date(now() + acquirerTimeoutMs);
}
