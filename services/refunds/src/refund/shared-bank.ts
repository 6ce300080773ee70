import {
  createSharedPermits,
  type SharedPermits,
  type SharedPermitsOptions,
} from "@holdfast/service-runtime";
import { NOT_SENT, type RefundBank, type RefundToSend } from "./refund-bank.ts";

/** The permits for calls to one account; null stands for refunds that wait for their reservation. */
export type PermitsOf = (accountId: string | null) => SharedPermits;

/** Gives each account the same number of permits, so that a bank that hangs uses up no other account's. */
export function permitsByAccount(options: SharedPermitsOptions): PermitsOf {
  const made = new Map<string | null, SharedPermits>();
  return (accountId) => {
    const permits = made.get(accountId) ?? createSharedPermits(options);
    made.set(accountId, permits);
    return permits;
  };
}

/**
 * Gives each merchant's refunds their share of the calls to an account that may be under way. A call that gets no permit
 * within its time was not sent, like one for which the bank could not be reached: the refund stays as it is, and
 * recovery carries it out.
 */
export function shareBank(bank: RefundBank, permitsOf: PermitsOf): RefundBank {
  const within = async <Answer>(
    { merchant_id, account_id }: RefundToSend,
    until: number,
    call: () => Promise<Answer>,
    notSent: Answer,
  ): Promise<Answer> => {
    const release = await permitsOf(account_id).wait(merchant_id, until);
    return release ? await call().finally(release) : notSent;
  };
  return {
    carryOut: (refund, resumed, waitUntil) =>
      // A step may be two calls, of which it waits for one permit.
      within(refund, halfway(waitUntil), () => bank.carryOut(refund, resumed, waitUntil), {
        answer: NOT_SENT,
      }),
    inquire: (refund, waitUntil, subReference) =>
      within(refund, waitUntil.getTime(), () => bank.inquire(refund, waitUntil, subReference), NOT_SENT),
  };
}

function halfway(end: Date): number {
  return (Date.now() + end.getTime()) / 2;
}
