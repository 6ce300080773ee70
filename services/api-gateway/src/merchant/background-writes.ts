/** Writes to a credential's row after a sign-in with it. It returns immediately; the sign-in does not wait. */
export type BackgroundWrite = (apiKey: string, write: () => Promise<void>) => void;

/**
 * Writes at most `IN_FLIGHT_MAX` rows at a time, and each credential only once at a time. A write without a
 * place is dropped and follows at a later sign-in, so that many simultaneous sign-ins cause no burst at the
 * database.
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
