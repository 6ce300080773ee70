import { durationSetting } from "@holdfast/service-runtime";
import { z } from "zod";

import { REPETITIONS } from "./capabilities.ts";

/** Settings for an acquirer's abilities; see `Capabilities`. */
export const acquirerHabitSettings = {
  ACQUIRER_REPETITION: z
    .enum(REPETITIONS)
    .default("replay")
    .describe(
      "What the acquirer does with a capture, a cancellation or a refund that it gets twice under one reference: `replay` answers with the first outcome, `refuses_second_success` refuses it after an approval, `none` carries it out again. The same for payments and refunds. Unless it is `replay`, one whose answer was lost is sent again only when the first can no longer arrive (`ACQUIRER_TIMEOUT` and `ACQUIRER_LATE_ARRIVAL` after it).",
    ),
  ACQUIRER_LATE_ARRIVAL: durationSetting()
    .default(900_000)
    .describe(
      "How long after its end a call may still take effect at an acquirer that cannot bind a reference which it has not seen, or that carries out repeats. Until then a payment that it has not seen stays unknown; then it is FAILED, and looked at again after the business day. Of an account that is made without `lateArrivalSeconds`, and of the account of `ACQUIRER_URL`.",
    ),
};
