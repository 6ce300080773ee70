import type { Config } from "../config.ts";
import type { Exchange } from "../http/exchange.ts";
import { networkOf } from "./sign-in-limits.ts";

/** The room of one body while it arrives. */
export type BodyRoom = {
  /** Counts bytes that have arrived. */
  add(bytes: number): void;
  leave(): void;
};

/**
 * Makes room for a body that is about to be read. @param giveWay called when the body has to end because others need the
 * room; its room has been given back by then.
 */
export type BodyLimit = (client: string, giveWay: () => void) => BodyRoom;

export type BodyLimitOptions = {
  /** Bodies that arrive at the same time. */
  bodiesMax: number;
  /** Bytes that have arrived of all of them. */
  bytesMax: number;
};

type Body = { client: Client; bytes: number; giveWay: () => void };
type Client = { name: string; bodies: Set<Body>; bytes: number };

/**
 * Bounds the bodies that arrive at the same time, in number and in bytes, in this process. No client is refused: where
 * there is no room left, the client that takes most of it loses the body that it began first. A body that arrives
 * without delay is whole long before its turn comes; slow ones, which cost their sender nothing, only push out each
 * other.
 */
export function createBodyLimit({ bodiesMax, bytesMax }: BodyLimitOptions): BodyLimit {
  const clients = new Map<string, Client>();
  const all = { bodies: 0, bytes: 0 };

  const leave = (body: Body): boolean => {
    const { client } = body;
    if (!client.bodies.delete(body)) return false;
    client.bytes -= body.bytes;
    all.bytes -= body.bytes;
    all.bodies--;
    if (client.bodies.size === 0) clients.delete(client.name);
    return true;
  };
  const pushOut = (taken: (client: Client) => number): void => {
    const [most, ...others] = clients.values();
    const largest = others.reduce((found, client) => (taken(client) > taken(found) ? client : found), most!);
    const [oldest] = largest.bodies as Iterable<Body>;
    leave(oldest!);
    oldest!.giveWay();
  };
  return (name, giveWay) => {
    const client = clients.get(name) ?? { name, bodies: new Set<Body>(), bytes: 0 };
    const body = { client, bytes: 0, giveWay };
    if (all.bodies >= bodiesMax) pushOut(({ bodies }) => bodies.size);
    // The client's last body may have been the one that was pushed out.
    clients.set(name, client);
    client.bodies.add(body);
    all.bodies++;
    return {
      add(bytes) {
        if (!client.bodies.has(body)) return;
        body.bytes += bytes;
        client.bytes += bytes;
        all.bytes += bytes;
        while (all.bytes > bytesMax) pushOut((each) => each.bytes);
      },
      leave: () => void leave(body),
    };
  };
}

/** The client whose body is read, and the limit that it counts in. */
export type BodySource = {
  limit: BodyLimit;
  /** A merchant, an operator, or an address. */
  client: string;
};

/** Browsers do not sign in: their forms count by the address (of IPv6 its /64). */
export function formSource(limit: BodyLimit, { clientAddress }: Exchange): BodySource {
  return { limit, client: networkOf(clientAddress) };
}

/** The room for the bodies of one listener. */
export function bodiesIn({ BODIES_IN_FLIGHT_MAX, BODIES_IN_FLIGHT_BYTES_MAX }: BodySettings): BodyLimit {
  return createBodyLimit({ bodiesMax: BODIES_IN_FLIGHT_MAX, bytesMax: BODIES_IN_FLIGHT_BYTES_MAX });
}

type BodySettings = Pick<Config, "BODIES_IN_FLIGHT_MAX" | "BODIES_IN_FLIGHT_BYTES_MAX">;
