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

/** This process's membership of a service's queue group, among whose members the server shares out the messages. */
export type QueueGroup = {
  /**
   * Joins when the server has accepted the subscriptions, however often the connection breaks before that; leaves when
   * no further message will arrive. Changes are made one after the other, and a repeated one does nothing.
   *
   * @throws ServingRefusedError
   */
  join(): Promise<void>;
  leave(): Promise<void>;
};

export function createQueueGroup(bus: Bus, definition: QueueGroupDefinition): QueueGroup {
  let member: Subscription[] | undefined;
  let last: Promise<void> = Promise.resolve();
  const afterwards = (change: () => Promise<void>): Promise<void> => {
    const changed = last.then(change);
    last = changed.catch(() => {});
    return changed;
  };
  return {
    join: () =>
      afterwards(async () => {
        member ??= await subscribe(bus, definition);
      }),
    leave: () =>
      afterwards(async () => {
        const leaving = member ?? [];
        member = undefined;
        await drain(leaving);
      }),
  };
}

async function subscribe(bus: Bus, { name, subjects }: QueueGroupDefinition): Promise<Subscription[]> {
  let refusal: Error | undefined;
  const subscriptions = subjects.map(({ subject, handle }) =>
    bus.nats.subscribe(subject, {
      queue: name,
      callback: (error, message) => {
        if (error) refusal = error;
        else handle(message);
      },
    }),
  );
  await subscriptionsTaken(bus);
  if (!refusal) return subscriptions;
  await drain(subscriptions);
  throw new ServingRefusedError(`${name}: the bus refused a subscription`, { cause: refusal });
}

/** A subscription that the server has refused, or whose connection is closed, has nothing to drain. */
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
