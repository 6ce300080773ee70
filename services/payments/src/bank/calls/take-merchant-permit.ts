import type { CommandReply } from "@holdfast/contracts";
import type { Release } from "@holdfast/service-runtime";
import type { Bank } from "./bank.ts";

export type PermitDeps = { bank: Pick<Bank, "permitsOf" | "callMs"> };

/**
 * The account and merchant of a call, and the time until which the caller waits for the answer (epoch
 * milliseconds).
 */
export type Caller = { accountId: string; merchantId: string; deadlineAt: number };

/**
 * One of a merchant's permits at an account, for as long as the caller's block lasts (`using`).
 * @returns undefined if none becomes free in time: nothing was started, so there is no payment that has to end.
 */
export async function takeMerchantPermit(
  { bank }: PermitDeps,
  { accountId, merchantId, deadlineAt }: Caller,
): Promise<Release | undefined> {
  return await bank.permitsOf(accountId).wait(merchantId, latestStart(bank, deadlineAt));
}

/**
 * A new payment at an account that may make so many calls a minute: it takes as many as it needs before it
 * begins. Where they are not free, or cannot be counted, nothing was started, so there is no payment that has
 * to end.
 */
export async function withCallBudget<Result>(
  { bank: { budget } }: { bank: Pick<Bank, "budget"> },
  { accountId, calls }: { accountId: string; calls: number },
  call: () => Promise<CommandReply<Result>>,
): Promise<CommandReply<Result>> {
  const reserved = await budget.reserve(accountId, calls).catch(() => undefined);
  return reserved ? await budget.use(reserved, call) : { outcome: "not_started" };
}

/**
 * The latest time at which a call may get its permit: the bank still has its whole time then. A call that begins
 * later ends more often without an answer, with an outcome that is not known.
 */
export function latestStart({ callMs }: Pick<Bank, "callMs">, deadlineAt: number): number {
  return deadlineAt - callMs;
}
