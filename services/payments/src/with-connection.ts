import type { CommandReply } from "@holdfast/contracts";
import type { Incoming } from "@holdfast/messaging";
import type { SharedPlaces } from "@holdfast/service-runtime";

export type ConnectionDeps = {
  /** The connections to the acquirer, of which each merchant has a share. */
  connections: SharedPlaces;
  /** Bound of one acquirer call. */
  acquirerTimeoutMs: number;
};

/**
 * A handler of a merchant's command that calls the acquirer. It begins when one of the merchant's connections is free;
 * where none becomes free in time nothing was started, so there is no payment that has to end.
 */
export function withConnection<Payload, Result>(
  deps: ConnectionDeps,
  handle: (message: Incoming<Payload>) => Promise<CommandReply<Result>>,
): (message: Incoming<Payload>) => Promise<CommandReply<Result>> {
  return async (message) => {
    const { merchant, deadlineAt } = message.context;
    const release = await deps.connections.wait(merchant.merchantId, latestStart(deps, deadlineAt));
    if (!release) return { outcome: "not_started" };
    try {
      return await handle(message);
    } finally {
      release();
    }
  };
}

/**
 * Until when a call may wait for its connection: the bank still has its whole time then. A call that begins later ends
 * more often without an answer, with an outcome that is not known.
 */
export function latestStart({ acquirerTimeoutMs }: ConnectionDeps, deadlineAt: number): number {
  return deadlineAt - acquirerTimeoutMs;
}
