import type { Capabilities } from "../capabilities.ts";

/** A second success of an order is refused; the history gives no reference of ours back; a capture of less releases the rest. */
export const nestpayCapabilities: Capabilities = {
  repetition: "refuses_second_success",
  ownReferenceOn: [],
  release: false,
};
