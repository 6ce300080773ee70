/** Writes to a credential's row after a sign-in with it. It returns immediately; the sign-in does not wait. */
export type BackgroundWrite = (apiKey: string, write: () => Promise<void>) => void;

/**
 * At most `IN_FLIGHT_MAX` rows are written at a time, and one credential once: what finds no place is written at a later
 * sign-in, so that many sign-ins at once cost the database no burst.
 */
export function createBackgroundWrites(onFailed: (error: unknown) => void): BackgroundWrite {
  const underway = new Set<string>();
  const run = async (apiKey: string, write: () => Promise<void>) => {
    try {
      await write();
    } catch (error) {
      onFailed(error);
    } finally {
      underway.delete(apiKey);
    }
  };
  return (apiKey, write) => {
    if (underway.size >= IN_FLIGHT_MAX || underway.has(apiKey)) return;
    underway.add(apiKey);
    void run(apiKey, write);
  };
}

const IN_FLIGHT_MAX = 2;
