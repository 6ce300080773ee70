import { z } from "zod";
import { auditLogEntrySchema } from "./audit-log.ts";
import { operatorPaymentDetailSchema } from "./operator-payments.ts";
import { operatorRefundSchema } from "./operator-refunds.ts";
import { webhookDeliverySchema } from "./webhook-delivery.ts";

/** The parts of a payment's life that other services, or their logs, have; each is bounded. */
export const LIFE_PARTS = ["refunds", "deliveries", "actions"] as const;

export type LifePart = (typeof LIFE_PARTS)[number];

/** The most entries of a part. */
export const LIFE_PART_MAX = 100;

/** All that Holdfast knows of one payment, for an operator who has to explain it. */
export const operatorPaymentLifeSchema = operatorPaymentDetailSchema
  .extend({
    merchantName: z.string().optional().meta({ description: "Name of the merchant" }),
    refunds: z
      .array(operatorRefundSchema)
      .meta({ description: "The payment's refunds, newest first, as the refund list shows them" }),
    deliveries: z.array(webhookDeliverySchema).meta({
      description:
        "Webhooks about the payment itself, newest first; those about a refund are found by the refund's id",
    }),
    actions: z
      .array(auditLogEntrySchema)
      .meta({ description: "What operators have done to the payment, newest first, from the audit log" }),
    more: z.array(z.enum(LIFE_PARTS)).meta({
      description: `The parts that have more than ${LIFE_PART_MAX} entries, of which the newest are shown`,
    }),
  })
  .meta({ id: "OperatorPaymentLife" });

export type OperatorPaymentLife = z.infer<typeof operatorPaymentLifeSchema>;
