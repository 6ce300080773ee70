import { setTimeout as delay } from "node:timers/promises";
import type { Answer } from "../e2e/running-sandbox.ts";

/** Work that continues until it is stopped, which answers all that has been done. */
export type SteadyLoad<T> = { done: readonly T[]; stop(): Promise<T[]> };

/** @param once does one piece of work, under a name of its own. */
export function wholeTime<T>(workers: number, once: (name: string) => Promise<T>): SteadyLoad<T> {
  const done: T[] = [];
  const stopping = new AbortController();
  const work = async (worker: number) => {
    for (let count = 0; !stopping.signal.aborted; count++) {
      done.push(await once(`${worker}-${count}`));
      await delay(PAUSE_MS);
    }
  };
  const working = Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  // `stop` rethrows the error, which has no other handler until then.
  working.catch(() => undefined);
  return {
    done,
    async stop() {
      stopping.abort();
      await working;
      return done;
    },
  };
}

/** Asks again until the answer is good, as a patient client does. @throws when it never is. */
export async function untilAnswered(
  what: string,
  ask: () => Promise<Answer>,
  isGood: (answer: Answer) => boolean,
): Promise<{ answer: Answer; statuses: (number | "no answer")[] }> {
  const statuses: (number | "no answer")[] = [];
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline;) {
    const answer = await ask().catch(() => undefined);
    statuses.push(answer?.status ?? "no answer");
    if (answer && isGood(answer)) return { answer, statuses };
    await delay(250);
  }
  throw new Error(`${what} was not answered for good: ${statuses.join(", ")}`);
}

const PAUSE_MS = 25;
const PATIENCE_MS = 60_000;
