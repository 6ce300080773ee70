import { createBackgroundWrites } from "./background-writes.ts";
import type { StoredCredential } from "./sign-in.ts";

/** Notes the day on which a credential was used. It returns immediately; the sign-in does not wait. */
export type NoteUse = (apiKey: string, credential: StoredCredential) => void;

export type NoteUseDeps = {
  write: (apiKey: string) => Promise<void>;
  /** A sign-in tries again a minute later. */
  onFailed: (error: unknown) => void;
  now: () => number;
};

/** Writes once a day for each credential and process. */
export function createNoteUse({ write, onFailed, now }: NoteUseDeps): NoteUse {
  let pausedUntilMs = 0;
  const inBackground = createBackgroundWrites((error) => {
    // The database may be away, and sign-ins from the cache continue.
    pausedUntilMs = now() + PAUSE_MS;
    onFailed(error);
  });
  return (apiKey, credential) => {
    const nowMs = now();
    const day = Math.floor(nowMs / DAY_MS);
    if (credential.lastUsedDay === day || nowMs < pausedUntilMs) return;
    inBackground(apiKey, async () => {
      await write(apiKey);
      credential.lastUsedDay = day;
    });
  };
}

const DAY_MS = 86_400_000;
const PAUSE_MS = 60_000;
