import { z } from "zod";

/** One row of the history of a payment or a refund, as operators see it. */
const change = {
  version: z.int().meta({ description: "Number of the change: 1, 2, 3, …" }),
  to: z.string().meta({ description: "Internal state after it" }),
  cause: z.string().meta({ description: "What led to it, as a code", examples: ["approved"] }),
  at: z.iso.datetime().meta({ description: "When it was written down (UTC)" }),
};
const from = z.string();
const DESCRIPTION = "Every change of state, oldest first";

export const refundHistorySchema = z
  .array(z.object({ ...change, from: from.meta({ description: "Internal state before it" }) }))
  .meta({ description: DESCRIPTION });

export const paymentHistorySchema = z
  .array(
    z.object({
      ...change,
      from: from.optional().meta({ description: "Internal state before it; absent of the first" }),
    }),
  )
  .meta({ description: DESCRIPTION });
