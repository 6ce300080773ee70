import { Svcm, type Service, type ServiceMsg } from "@nats-io/services";
import { RequestError } from "@nats-io/transport-node";
import type { Bus } from "./connect.ts";

/** A service as the NATS services framework shows it, with its subjects. */
export type ServiceDefinition = {
  name: string;
  /** Semantic version. */
  version: string;
  endpoints: readonly { name: string; subject: string; handle: (message: ServiceMsg) => void }[];
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

export function createQueueGroup(bus: Bus, definition: ServiceDefinition): QueueGroup {
  let member: Service | undefined;
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
        const leaving = member;
        member = undefined;
        await leaving?.stop();
      }),
  };
}

async function subscribe(bus: Bus, { name, version, endpoints }: ServiceDefinition): Promise<Service> {
  const service = await new Svcm(bus.nats).add({ name, version, queue: name });
  for (const { name: endpoint, subject, handle } of endpoints) {
    service.addEndpoint(endpoint, { subject, handler: (_error, message) => handle(message) });
  }
  await subscriptionsTaken(bus);
  if (service.isStopped) throw new ServingRefusedError(`${name}: the bus refused a subscription`);
  return service;
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
