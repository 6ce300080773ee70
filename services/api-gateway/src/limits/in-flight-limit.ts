/** Runs work that takes a place while it lasts. @returns false where there was none, and nothing was done. */
export type InFlightLimit = (work: () => Promise<void>) => Promise<boolean>;

/** @param max pieces of work under way at once. */
export function createInFlightLimit(max: number): InFlightLimit {
  let inFlight = 0;
  return async (work) => {
    if (inFlight >= max) return false;
    inFlight++;
    try {
      await work();
      return true;
    } finally {
      inFlight--;
    }
  };
}
