import type { PulledMessage } from "@holdfast/outbox";

/** A message whose events are being accepted. `sinceMs` is of the monotonic clock. */
export type Accepting = {
  message: Pick<PulledMessage, "working">;
  sinceMs: number;
  ended: Promise<unknown>;
};

/**
 * Extends the stream's wait of a few seconds for an acknowledgement (`WEBHOOK_ACK_WAIT`). The short wait
 * brings back the events of a dead dispatcher soon. While the database is slow, the extension keeps the
 * stream from sending events again that are here. After half a minute another dispatcher may try.
 */
export function extendAckWait(underway: Iterable<Accepting>, nowMs: number): void {
  for (const { message, sinceMs } of underway) if (nowMs - sinceMs < HERE_FOR_MS) message.working();
}

const HERE_FOR_MS = 30_000;
