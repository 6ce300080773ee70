import type { ClaimedEvent } from "./outbox-statements.ts";

/** A statement that writes events, and their handling when it has committed. */
export type EventsBeingWritten = {
  /**
   * The time for which the rows are left to this process, whose memory has them: they are written as published once,
   * and due again after this time. With null they are written as never published, and the relay asks the outbox for
   * them.
   */
  claimMs: number | null;
  /** Called after the commit with the written events, and never for events that were rolled back. */
  committed(events: ClaimedEvent[]): void;
};

/**
 * Events that this process has committed and publishes without asking the outbox for them. Nothing depends on this
 * memory: any relay finds a lost or late event in the outbox when its row is due.
 */
export type EventBuffer = {
  readonly size: number;
  readonly isFull: boolean;
  /** @param untilMs the time from which other processes may publish them; monotonic. */
  keep(events: ClaimedEvent[], untilMs: number): void;
  /** The oldest that are still in time. */
  take(max: number, nowMs: number): ClaimedEvent[];
};

export function createEventBuffer(): EventBuffer {
  let kept: { event: ClaimedEvent; untilMs: number }[] = [];
  return {
    get size() {
      return kept.length;
    },
    get isFull() {
      return kept.length >= KEPT_MAX;
    },
    keep(events, untilMs) {
      kept.push(...events.map((event) => ({ event, untilMs })));
    },
    take(max, nowMs) {
      kept = kept.filter(({ untilMs }) => untilMs > nowMs);
      return kept.splice(0, max).map(({ event }) => event);
    },
  };
}

/** @param claimMs null when nothing can be published now. */
export function beginWriting(
  kept: EventBuffer,
  { claimMs, wake, nudge }: { claimMs: number | null; wake: () => void; nudge: () => void },
): EventsBeingWritten {
  if (claimMs === null || kept.isFull) {
    return { claimMs: null, committed: (events) => (events.length > 0 ? nudge() : undefined) };
  }
  // The time is counted from before the statement, and half of it is left for the dispatcher's confirmation.
  const untilMs = performance.now() + claimMs / 2;
  return {
    claimMs,
    committed(events) {
      if (events.length === 0) return;
      kept.keep(events, untilMs);
      wake();
    },
  };
}

/** About a megabyte. The statements that were under way when it was reached add a few batches. */
const KEPT_MAX = 1_000;
