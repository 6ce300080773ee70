import { setTimeout as sleep } from "node:timers/promises";

export type Notification = {
  url: string;
  headers: Record<string, string>;
  body: string | URLSearchParams;
  /** The time from the event to the first try. */
  delayMs?: number;
  /** The time between two tries. */
  retryMs?: number;
  triesMax?: number;
  /** Judges a receiver's answer. By default every 2xx accepts the notification. */
  isTaken?: (answer: string) => boolean;
};

/** Sends a bank's notifications to merchants. They are in memory only, since they are hints. */
export class Notifier {
  readonly #stopping: AbortSignal;
  readonly #waiting: (() => void)[] = [];
  #pending = 0;
  #trying = 0;

  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
  }

  /** Sends a notification in the background. */
  send(notification: Notification): void {
    if (this.#pending >= PENDING_MAX) return;
    this.#pending += 1;
    // The only failure that ends it early is the simulator's own end.
    void this.deliver(notification)
      .catch(() => undefined)
      .finally(() => (this.#pending -= 1));
  }

  /** Resolves when the notification was taken or its tries are over; rejects when the simulator stops between tries. */
  async deliver(notification: Notification): Promise<void> {
    const { delayMs = 0, retryMs = 0, triesMax = 1 } = notification;
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: this.#stopping });
    for (let tries = 1; !(await this.#try(notification)) && tries < triesMax; tries += 1) {
      await sleep(retryMs, undefined, { signal: this.#stopping });
    }
  }

  async #try({ url, headers, body, isTaken }: Notification): Promise<boolean> {
    if (this.#trying >= TRYING_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#trying += 1;
    try {
      const signal = AbortSignal.any([this.#stopping, AbortSignal.timeout(TRY_MS)]);
      const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
      const answer = await firstBytes(response);
      return response.ok && (isTaken?.(answer) ?? true);
    } catch {
      return false;
    } finally {
      this.#trying -= 1;
      this.#waiting.shift()?.();
    }
  }
}

/** An answer is a word; of a long one the rest is left unread. */
async function firstBytes(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return Buffer.from(first?.value ?? [])
    .toString("latin1")
    .slice(0, ANSWER_BYTES_MAX);
}

const TRY_MS = 10_000;
/** Connections to merchants at the same time. */
const TRYING_MAX = 32;
/** Far more than any test has under way, and a bound where no receiver listens. */
const PENDING_MAX = 10_000;
const ANSWER_BYTES_MAX = 256;
