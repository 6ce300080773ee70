import type { MovementKind } from "./acquirer.ts";

/**
 * What becomes of a request that the acquirer gets twice under one reference: the repeat is answered with the first outcome
 * (`replay`); it is refused where the first was approved, and judged again where it was not (`refuses_second_success`); or it is
 * carried out again (`none`).
 */
export const REPETITIONS = ["replay", "refuses_second_success", "none"] as const;
export type Repetition = (typeof REPETITIONS)[number];

/** What an acquirer can do that not every acquirer can. The core is safe without any of it. */
export type Capabilities = {
  repetition: Repetition;
  /**
   * Kinds of movements of which an inquiry gives our reference back. One of another kind is recognised by its time, and by
   * not being any that we know already; of those only one at a time is sent for an order, and a refusal that an inquiry shows
   * says nothing. An acquirer that calls requests too late has to give our reference back: see `Expired`.
   */
  ownReferenceOn: readonly MovementKind[];
  /** Whether a part of an authorization can be released; elsewhere a smaller capture releases the rest. */
  release: boolean;
  /** How many calls over the network an authorization or a sale takes that is approved; one where it is absent. */
  callsPerPayment?: number;
};
