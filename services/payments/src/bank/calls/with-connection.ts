import type { CommandReply } from "@holdfast/contracts";
import type { ConnectionsOf } from "./account-connections.ts";
import type { CallTurns } from "./call-turns.ts";

export type ConnectionDeps = {
  connectionsOf: ConnectionsOf;
  /** Bound of one acquirer call. */
  acquirerTimeoutMs: number;
};

/** The account and merchant of a call, and until when the caller waits for the answer (epoch milliseconds). */
export type Caller = { accountId: string | null; merchantId: string; deadlineAt: number };

/**
 * A merchant's call of an account. It begins when one of the merchant's connections to it is free; where none becomes free in
 * time nothing was started, so there is no payment that has to end.
 */
export async function withConnection<Result>(
  deps: ConnectionDeps,
  { accountId, merchantId, deadlineAt }: Caller,
  call: () => Promise<CommandReply<Result>>,
): Promise<CommandReply<Result>> {
  const release = await deps.connectionsOf(accountId).wait(merchantId, latestStart(deps, deadlineAt));
  if (!release) return { outcome: "not_started" };
  try {
    return await call();
  } finally {
    release();
  }
}

/**
 * A new payment at an account that may make so many calls a minute: it takes as many as it needs before it begins. Where they are
 * not free, or cannot be counted, nothing was started, so there is no payment that has to end.
 */
export async function withTurns<Result>(
  { turns }: { turns: Pick<CallTurns, "hold" | "use"> },
  { accountId, calls }: { accountId: string | null; calls: number },
  call: () => Promise<CommandReply<Result>>,
): Promise<CommandReply<Result>> {
  const held = await turns.hold(accountId, calls).catch(() => undefined);
  return held ? await turns.use(held, call) : { outcome: "not_started" };
}

/**
 * The latest time at which a call may get its connection: the bank still has its whole time then. A call that begins
 * later ends more often without an answer, with an outcome that is not known.
 */
export function latestStart(
  { acquirerTimeoutMs }: Pick<ConnectionDeps, "acquirerTimeoutMs">,
  deadlineAt: number,
): number {
  return deadlineAt - acquirerTimeoutMs;
}
