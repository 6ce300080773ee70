/**
 * Sessions by each of their keys, in memory only: they end with the process. The oldest are forgotten when there are too
 * many.
 */
export class Sessions<Session> {
  readonly #byKey = new Map<string, Session>();
  readonly #keys: string[][] = [];

  add(session: Session, keys: string[]): Session {
    if (this.#keys.length >= SESSIONS_MAX)
      for (const key of this.#keys.shift() ?? []) this.#byKey.delete(key);
    this.#keys.push(keys);
    for (const key of keys) this.#byKey.set(key, session);
    return session;
  }

  find(key: string): Session | undefined {
    return this.#byKey.get(key);
  }
}

/** Far more than any test or demonstration has under way. */
const SESSIONS_MAX = 100_000;
