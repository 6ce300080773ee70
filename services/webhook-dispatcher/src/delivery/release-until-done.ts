import { createNaturalBatcher, pause } from "@holdfast/service-runtime";
import type { LeasedDelivery } from "./leased-delivery.ts";

/** Gives deliveries back unsent. It never rejects, and resolves when their leases are released or have ended. */
export type GiveBack = (deliveries: LeasedDelivery[]) => Promise<void>;

type Releasing = {
  /** Ends leases as if they had never been taken; it may be repeated, by their tokens. */
  release: (deliveries: LeasedDelivery[]) => Promise<void>;
  onFailed: (error: unknown) => void;
};

/**
 * A lease that is not released keeps its delivery from all processes until it ends, half a minute later. So while the
 * database is away the release is tried again, of all that wait for it in one statement.
 */
export function releaseUntilDone({ release, onFailed }: Releasing): GiveBack {
  // One wait for all that failed together, so that they are tried again together on a busy machine, too.
  let rest = Promise.resolve();
  const batcher = createNaturalBatcher<LeasedDelivery, void>({
    name: "released leases",
    sizeMax: 500,
    flushesMax: 1,
    isolates: () => false,
    async flush(deliveries) {
      try {
        await release(deliveries);
      } catch (error) {
        onFailed(error);
        rest = pause(RETRY_PAUSE_MS);
        throw error;
      }
      return deliveries.map(() => undefined);
    },
  });
  const releaseOne = async (delivery: LeasedDelivery) => {
    while (performance.now() < delivery.leasedUntil) {
      const isDone = await batcher.add(delivery).then(
        () => true,
        () => false,
      );
      if (isDone) return;
      await rest;
    }
  };
  return async (deliveries) => void (await Promise.all(deliveries.map(releaseOne)));
}

const RETRY_PAUSE_MS = 500;
