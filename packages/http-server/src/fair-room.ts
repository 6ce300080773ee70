/** A place in a room, taken for one piece of work of a client. */
export type Place = {
  /** Counts bytes that have arrived. */
  add(bytes: number): void;
  /** From here on the place does not give way, until `release` was called as often as `hold`. */
  hold(): void;
  /** Lets the place give way again, after all other places of its client. */
  release(): void;
  leave(): void;
};

/**
 * Takes a place.
 * @param giveWay called when the work has to end because others need the room; its place has been given back
 * by then. It is called immediately if no place can be freed.
 */
export type FairRoom = (client: string, giveWay: () => void) => Place;

export type FairRoomOptions = {
  placesMax: number;
  /** Bytes that have arrived at all places. */
  bytesMax?: number;
};

type Taken = { name: string; bytes: number; holds: number; isGone: boolean; giveWay: () => void };
/** The places of one client that may give way, in the order of their turn. */
type Client = { waiting: Set<Taken>; bytes: number };

/**
 * Bounds everything that waits for its client in this process, such as arriving bodies and idle connections,
 * in number and in bytes. No client is refused. If there is no room left, the client that uses most of it
 * loses its oldest place. Clients that send without delay have left long before. Slow ones, which cost their
 * sender nothing, only push out each other.
 */
export function createFairRoom({ placesMax, bytesMax = Infinity }: FairRoomOptions): FairRoom {
  const clients = new Map<string, Client>();
  const all = { places: 0, bytes: 0 };

  const wait = (taken: Taken): void => {
    const client = clients.get(taken.name) ?? { waiting: new Set<Taken>(), bytes: 0 };
    clients.set(taken.name, client);
    client.waiting.add(taken);
    client.bytes += taken.bytes;
  };
  const stopWaiting = (taken: Taken): void => {
    const client = clients.get(taken.name);
    if (!client?.waiting.delete(taken)) return;
    client.bytes -= taken.bytes;
    if (client.waiting.size === 0) clients.delete(taken.name);
  };
  const leave = (taken: Taken): void => {
    if (taken.isGone) return;
    taken.isGone = true;
    stopWaiting(taken);
    all.bytes -= taken.bytes;
    all.places--;
  };
  /** @returns false if every place is held. */
  const pushOut = (share: (client: Client) => number): boolean => {
    let largest: Client | undefined;
    for (const client of clients.values()) {
      if (!largest || share(client) > share(largest)) largest = client;
    }
    if (!largest) return false;
    const [first] = largest.waiting as Iterable<Taken>;
    leave(first!);
    first!.giveWay();
    return true;
  };
  return (name, giveWay) => {
    const hasRoom = all.places < placesMax || pushOut(({ waiting }) => waiting.size);
    const taken: Taken = { name, bytes: 0, holds: 0, isGone: !hasRoom, giveWay };
    if (hasRoom) {
      all.places++;
      wait(taken);
    } else giveWay();
    return {
      add(bytes) {
        if (taken.isGone) return;
        taken.bytes += bytes;
        all.bytes += bytes;
        const client = clients.get(name);
        if (client?.waiting.has(taken)) client.bytes += bytes;
        while (all.bytes > bytesMax && pushOut((each) => each.bytes));
      },
      hold() {
        if (++taken.holds === 1) stopWaiting(taken);
      },
      release() {
        if (--taken.holds === 0 && !taken.isGone) wait(taken);
      },
      leave: () => leave(taken),
    };
  };
}
