import type { MovementKind } from "./acquirer.ts";

/**
 * The acquirer's treatment of a request that it gets twice under one reference. `replay`: the repetition gets
 * the first outcome. `refuses_second_success`: the repetition is refused if the first was approved, and
 * judged again if not. `none`: it is carried out again.
 */
export const REPETITIONS = ["replay", "refuses_second_success", "none"] as const;
export type Repetition = (typeof REPETITIONS)[number];

/** The abilities of an acquirer that not every acquirer has. The core is safe without any of them. */
export type Capabilities = {
  repetition: Repetition;
  /**
   * Kinds of movements for which an inquiry returns our reference. A movement of another kind is recognised
   * by its name, which the order did not have before: see `Names`. Only one such movement at a time is sent
   * for an order, and a refusal that an inquiry shows decides nothing. An acquirer that calls requests too
   * late has to return our reference: see `Expired`.
   */
  ownReferenceOn: readonly MovementKind[];
  /**
   * Kinds of movements that may be approved under the name of what they are about: the authorization, the sale or its
   * capture. Every other approval has a name that no other movement of the payment has. With `refund`, a refund of all may be
   * a void, which an inquiry shows as the state of what it voided.
   */
  sharesNameOn: readonly MovementKind[];
  /** True if a part of an authorization can be released; elsewhere a smaller capture releases the rest. */
  release: boolean;
  /** The number of calls over the network that an approved authorization or sale takes; one where it is absent. */
  callsPerPayment?: number;
};
