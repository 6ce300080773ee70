/** Gives a permit back; with `using`, at the end of the block. A second call does nothing. */
export type Release = (() => void) & Disposable;

/** Permits that several holders share, in this process. One holder can have a part of them, so none can have all. */
export type SharedPermits = {
  /**
   * Takes a permit if one is free and the holder has not its part already.
   * @param holder undefined: no particular holder, so that `max` alone is the bound.
   */
  take(holder: string | undefined): Release | undefined;
  /**
   * Takes a permit, or waits for one. Waiting holders take turns, however long each one's queue is.
   * @param until epoch milliseconds.
   * @returns undefined when that time has passed.
   */
  wait(holder: string, until: number): Promise<Release | undefined>;
};

export type SharedPermitsOptions = {
  max: number;
  /** Permits that one holder may have. */
  ofOneMax: number;
};

/** The number of permits in a share of `max`; at least one. @param share more than 0, at most 1. */
export function permitsOfOne(max: number, share: number): number {
  return Math.max(1, Math.floor(max * share));
}

export function createSharedPermits({ max, ofOneMax }: SharedPermitsOptions): SharedPermits {
  const held = new Map<string, number>();
  const waiting = createQueue<(release: Release) => void>();
  let free = max;

  const take = (holder: string | undefined): Release | undefined => {
    const own = holder === undefined ? 0 : (held.get(holder) ?? 0);
    if (free === 0 || own >= ofOneMax) return undefined;
    free--;
    if (holder !== undefined) held.set(holder, own + 1);
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      free++;
      if (holder !== undefined) giveBack(held, holder);
      grantNext();
    };
    return Object.assign(release, { [Symbol.dispose]: release });
  };
  // One returned permit serves one waiting caller: every other holder has its share, or no permit is free.
  const grantNext = () => {
    for (const holder of waiting.holders()) {
      const release = take(holder);
      if (release) return waiting.next(holder)(release);
    }
  };
  return {
    take,
    async wait(holder, until) {
      const taken = take(holder);
      const waitMs = until - Date.now();
      if (taken || waitMs <= 0) return taken;
      return await new Promise((resolve) => {
        const grant = (release: Release) => {
          clearTimeout(timer);
          resolve(release);
        };
        const timer = setTimeout(() => {
          waiting.leave(holder, grant);
          resolve(undefined);
        }, waitMs);
        waiting.join(holder, grant);
      });
    },
  };
}

function giveBack(held: Map<string, number>, holder: string): void {
  const left = (held.get(holder) ?? 1) - 1;
  if (left > 0) held.set(holder, left);
  else held.delete(holder);
}

/** Queues by holder. The holder that comes first in the map has waited longest for its turn. */
function createQueue<Waiter>() {
  const queues = new Map<string, Set<Waiter>>();
  return {
    holders: () => queues.keys(),
    join(holder: string, waiter: Waiter): void {
      const queue = queues.get(holder);
      if (queue) queue.add(waiter);
      else queues.set(holder, new Set([waiter]));
    },
    leave(holder: string, waiter: Waiter): void {
      const queue = queues.get(holder);
      queue?.delete(waiter);
      if (queue?.size === 0) queues.delete(holder);
    },
    /** The holder's first waiter; the holder's next turn comes after the other holders'. */
    next(holder: string): Waiter {
      const queue = queues.get(holder)!;
      const [first] = queue as Set<Waiter> & Iterable<Waiter>;
      queue.delete(first!);
      queues.delete(holder);
      if (queue.size > 0) queues.set(holder, queue);
      return first!;
    },
  };
}
