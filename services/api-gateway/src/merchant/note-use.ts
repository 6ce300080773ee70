import type { StoredCredential } from "./sign-in.ts";

/** Notes the day on which a credential was used. It returns immediately; the sign-in does not wait. */
export type NoteUse = (apiKey: string, credential: StoredCredential) => void;

export type NoteUseDeps = {
  write: (apiKey: string) => Promise<void>;
  /** A sign-in tries again a minute later. */
  onFailed: (error: unknown) => void;
  now: () => number;
};

/**
 * Writes once a day for each credential and process, and at most `IN_FLIGHT_MAX` rows at a time: what finds no place is
 * noted at a later sign-in.
 */
export function createNoteUse({ write, onFailed, now }: NoteUseDeps): NoteUse {
  const underway = new Set<string>();
  let pausedUntilMs = 0;
  const note = async (apiKey: string, credential: StoredCredential, day: number) => {
    try {
      await write(apiKey);
      credential.lastUsedDay = day;
    } catch (error) {
      // The database may be away, and sign-ins from the cache go on.
      pausedUntilMs = now() + PAUSE_MS;
      onFailed(error);
    } finally {
      underway.delete(apiKey);
    }
  };
  return (apiKey, credential) => {
    const nowMs = now();
    const day = Math.floor(nowMs / DAY_MS);
    if (credential.lastUsedDay === day || nowMs < pausedUntilMs) return;
    if (underway.size >= IN_FLIGHT_MAX || underway.has(apiKey)) return;
    underway.add(apiKey);
    void note(apiKey, credential, day);
  };
}

const DAY_MS = 86_400_000;
const PAUSE_MS = 60_000;
const IN_FLIGHT_MAX = 2;
