import { pause } from "@holdfast/service-runtime";

export type ClaimSignal = {
  /** Calls for a claim: deliveries may be due anywhere. */
  nudge: () => void;
  /** Says that more may be due than a claim took: the next room is reason enough for another one. */
  more: () => void;
  /** Calls for a claim where deliveries may have waited for this room. */
  hasRoom: (endpointId: string) => void;
  /** Begins a claim. @param full the endpoints for which it may take nothing. */
  begin: (full: ReadonlySet<string>) => void;
  /** Waits until a claim is called for, since the last `begin`, at most `ms`. */
  wait: (ms: number) => Promise<void>;
};

/**
 * When to claim next. A claim that comes to nothing has seen only the endpoints that had room: those that were full are
 * remembered, and their next room calls for another one.
 */
export function createClaimSignal(): ClaimSignal {
  let called = Promise.withResolvers<void>();
  let anywhere = true;
  let full: ReadonlySet<string> = new Set();
  return {
    nudge() {
      anywhere = true;
      called.resolve();
    },
    more() {
      anywhere = true;
    },
    hasRoom(endpointId) {
      if (anywhere || full.has(endpointId)) called.resolve();
    },
    begin(those) {
      [anywhere, full] = [false, those];
    },
    async wait(ms) {
      await Promise.race([called.promise, pause(ms)]);
      called = Promise.withResolvers();
    },
  };
}
