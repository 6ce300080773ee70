import { z } from "zod";
import { textSchema } from "../text.ts";
import { amountSchema, currencySchema } from "./card-payment-fields.ts";

/** Body of a capture; without an amount, all that can be captured. */
export const captureRequestSchema = z
  .object({
    amount: amountSchema().optional(),
    currency: currencySchema().optional(),
  })
  .meta({ id: "CaptureRequest" });

export const cancelRequestSchema = z
  .object({
    reason: textSchema(1, 200)
      .optional()
      .meta({
        description: "Shown in the payment, its webhook and the lists as `cancelReason`",
        examples: ["The order was withdrawn"],
      }),
  })
  .meta({ id: "CancelRequest" });
