import type { Capabilities } from "@holdfast/acquirer";
import type { NestpaySettings } from "./nestpay-settings.ts";

/** A second success of an order is refused; the history gives no reference of ours back; a capture of less releases the rest. */
export function nestpayCapabilities({
  confirmAmounts,
}: Pick<NestpaySettings, "confirmAmounts">): Capabilities {
  return {
    repetition: "refuses_second_success",
    ownReferenceOn: [],
    release: false,
    callsPerPayment: confirmAmounts ? 2 : 1,
  };
}
