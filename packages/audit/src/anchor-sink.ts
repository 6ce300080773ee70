import { httpFetch, pause, type Logger } from "@holdfast/service-runtime";
import type { AuditHead } from "./audit-head.ts";
import type { AuditMetrics } from "./audit-metrics.ts";

export type AnchorSinkOptions = {
  url: string;
  token?: string | undefined;
  log: Logger;
  metrics: AuditMetrics;
  /** The bound of one attempt, its answer included. */
  timeoutMs?: number;
  /** The wait after the first failure; each further one doubles it, to a minute at most. */
  retryAfterMs?: number;
};

export type AnchorSink = {
  /** Returns immediately. A head that is still waiting is replaced: the newer one contains it. */
  send(head: AuditHead): void;
  /** Gives up undelivered heads; each is in the log, and a later head contains it. */
  stop(): void;
};

/**
 * Posts heads as JSON to a sink that only appends. One is under way and one waits, however long the sink is away, and
 * nothing of a payment waits for it. It is retried until it is delivered: any 2xx.
 */
export function createAnchorSink({
  url,
  token,
  log,
  metrics,
  timeoutMs = 5_000,
  retryAfterMs = 1_000,
}: AnchorSinkOptions): AnchorSink {
  const stopping = new AbortController();
  let waiting: AuditHead | undefined;
  let isSending = false;

  const post = async (head: AuditHead): Promise<void> => {
    const response = await httpFetch(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(head),
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping.signal]),
    });
    await response.body?.cancel();
    // A redirect is a refusal: it could lead to a place that the database's owner can write.
    if (!response.ok) throw new Error(`the sink answered ${response.status}`);
  };
  const sendAll = async (): Promise<void> => {
    let pauseMs = retryAfterMs;
    while (waiting && !stopping.signal.aborted) {
      const head = waiting;
      try {
        await post(head);
        metrics.delivered();
        pauseMs = retryAfterMs;
        if (waiting === head) waiting = undefined;
      } catch (error) {
        if (stopping.signal.aborted) return;
        metrics.notDelivered();
        log.warn({ operation: "audit anchor", error }, "an audit head was not delivered");
        await pause(pauseMs, stopping.signal);
        pauseMs = Math.min(pauseMs * 2, RETRY_AFTER_MAX_MS);
      }
    }
  };

  return {
    send(head) {
      waiting = head;
      if (isSending) return;
      isSending = true;
      void sendAll().finally(() => (isSending = false));
    },
    stop: () => stopping.abort(),
  };
}

/** The alert looks at five minutes, and sees several failures in them. */
const RETRY_AFTER_MAX_MS = 60_000;
