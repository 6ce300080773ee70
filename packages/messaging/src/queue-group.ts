import { RequestError, type Msg, type Subscription } from "@nats-io/transport-node";
import type { Bus } from "./connect.ts";

/** A queue group with the subjects that each member subscribes to. */
export type QueueGroupDefinition = {
  name: string;
  subjects: readonly { subject: string; handle: (message: Msg) => void }[];
};

/** The server does not let this user serve its commands. */
export class ServingRefusedError extends Error {
  override name = "ServingRefusedError";
  readonly code = "serving_refused";
}

/**
 * This process's membership of a service's queue group, to whose members the server distributes the messages.
 */
export type QueueGroup = {
  /**
   * Joins when the server has accepted the subscriptions, however often the connection breaks before; leaves
   * when no further message will arrive. Changes are made one after another, and a repeated change does
   * nothing. A subject that the server refuses is retried every few seconds, and until then the bus lists it
   * in `unserved`.
   *
   * @throws ServingRefusedError
   */
  join(): Promise<void>;
  leave(): Promise<void>;
};

export function createQueueGroup(bus: Bus, { name, subjects }: QueueGroupDefinition): QueueGroup {
  const member = new Map<string, Subscription>();
  let refusal: Error | undefined;
  let retry: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  const afterwards = (change: () => Promise<void>): Promise<void> => {
    const changed = last.then(change);
    last = changed.catch(() => {});
    return changed;
  };
  /** Subscribes to what this process has no subscription to. */
  const subscribe = async () => {
    for (const { subject, handle } of subjects.filter((each) => !member.has(each.subject))) {
      const callback = (refused: Error | null, message: Msg) => {
        if (!refused) return handle(message);
        // After a restart the server may refuse a subscription that it accepted before, and the client then
        // forgets it.
        if (!member.delete(subject)) return;
        bus.unserved.add(subject);
        refusal = refused;
        retry ??= setTimeout(() => void join().catch(() => {}), RETRY_MS).unref();
      };
      member.set(subject, bus.nats.subscribe(subject, { queue: name, callback }));
    }
    await subscriptionsTaken(bus);
    for (const subject of member.keys()) bus.unserved.delete(subject);
  };
  const stopRetrying = () => {
    clearTimeout(retry);
    retry = undefined;
  };
  const join = () => {
    stopRetrying();
    return afterwards(async () => {
      await subscribe();
      if (member.size < subjects.length)
        throw new ServingRefusedError(`${name}: the bus refused a subscription`, { cause: refusal });
    });
  };
  return {
    join,
    leave() {
      return afterwards(async () => {
        // An earlier join may have been refused meanwhile.
        stopRetrying();
        const leaving = [...member.values()];
        member.clear();
        for (const { subject } of subjects) bus.unserved.delete(subject);
        await drain(leaving);
      });
    },
  };
}

const RETRY_MS = 5_000;

/** A subscription that the server has refused, or with a closed connection, has nothing to drain. */
async function drain(subscriptions: Subscription[]): Promise<void> {
  await Promise.allSettled(subscriptions.map((subscription) => subscription.drain()));
}

/** A flush fails when its connection breaks; the client subscribes again on the next connection. */
async function subscriptionsTaken(bus: Bus): Promise<void> {
  for (;;) {
    await bus.connection();
    try {
      return await bus.nats.flush();
    } catch (error) {
      if (!(error instanceof RequestError) || bus.nats.isClosed()) throw error;
    }
  }
}
