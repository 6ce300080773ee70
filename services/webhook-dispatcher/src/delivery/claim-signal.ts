import { pause } from "@holdfast/service-runtime";

export type ClaimSignal = {
  /** Calls for a claim: deliveries may be due anywhere. */
  nudge: () => void;
  /** Says that more may be due than a claim took: the next free room starts another claim. */
  more: () => void;
  /** Calls for a claim where deliveries may have waited for this room. */
  hasRoom: (endpointId: string) => void;
  /** Has the next claim follow without a wait and without a call for it: the last one did not look everywhere. */
  goOn: () => void;
  /**
   * Begins a claim.
   *
   * @param full the endpoints for which it may take nothing.
   * @returns whether a claim was called for since the last one began.
   */
  begin: (full: ReadonlySet<string>) => boolean;
  /** Waits until a claim is called for, since the last `begin`, at most `ms`. */
  wait: (ms: number) => Promise<void>;
};

/**
 * Decides when to claim next. A claim that returns nothing has checked only the endpoints that had room. The
 * full ones are remembered, and the next room at one of them triggers another claim.
 */
export function createClaimSignal(): ClaimSignal {
  let next = Promise.withResolvers<void>();
  let isCalled = false;
  let anywhere = true;
  let full: ReadonlySet<string> = new Set();
  const call = () => {
    isCalled = true;
    next.resolve();
  };
  return {
    nudge() {
      anywhere = true;
      call();
    },
    more() {
      anywhere = true;
    },
    hasRoom(endpointId) {
      if (anywhere || full.has(endpointId)) call();
    },
    goOn() {
      next.resolve();
    },
    begin(those) {
      const wasCalled = isCalled;
      [isCalled, anywhere, full] = [false, false, those];
      return wasCalled;
    },
    async wait(ms) {
      await Promise.race([next.promise, pause(ms)]);
      next = Promise.withResolvers();
    },
  };
}
