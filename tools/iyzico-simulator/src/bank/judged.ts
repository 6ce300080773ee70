import type { ErrorCode } from "../wire/error-codes.ts";
import type { Entry } from "./ledger-line.ts";
import type { Payment } from "./payment.ts";

/** Influences on an outcome besides the bank's rules. */
export type Circumstances = {
  /** The code with which a fault declines. */
  forcedCode: ErrorCode | undefined;
  /** Approves half of the amount, rounded down, at least a minor unit. */
  isPartial: boolean;
};

/**
 * The outcome of a call. `code` is null where it was approved; `entry` is undefined where nothing was written. It may be
 * answered only when `durable` has resolved.
 */
export type Judged = { code: ErrorCode | null; entry: Entry | undefined; durable: Promise<void> };
export type JudgedPayment = Judged & { payment: Payment | undefined };
