import { z } from "zod";
import { listedOperatorPaymentSchema, listedOperatorRefundSchema } from "./operator-lists.ts";

/** The fields by which a search text can be found. */
export const SEARCH_MATCHES = [
  "id",
  "orderId",
  "externalTransactionId",
  "authCode",
  "customerId",
  "last4",
  "pan",
  "name",
] as const;

export type SearchMatch = (typeof SEARCH_MATCHES)[number];

const matchedBy = z.enum(SEARCH_MATCHES).meta({ description: "What the text is of the item" });

const kind = <const Kind extends string>(name: Kind) =>
  z.literal(name).meta({ description: "What was found; the item has it under this name" });

const merchantFoundSchema = z
  .object({
    merchantId: z.uuid().meta({ description: "Id of the merchant" }),
    name: z.string().meta({ description: "Name, for people" }),
  })
  .meta({ description: "The merchant" });

export const searchAnswerSchema = z
  .object({
    items: z
      .array(
        z.discriminatedUnion("type", [
          z.object({ type: kind("payment"), matchedBy, payment: listedOperatorPaymentSchema }),
          z.object({
            type: kind("refund"),
            matchedBy,
            refund: listedOperatorRefundSchema,
          }),
          z.object({
            type: kind("merchant"),
            matchedBy,
            merchant: merchantFoundSchema,
          }),
        ]),
      )
      .meta({ description: "What was found, the newest 20 of each kind" }),
    more: z.boolean().meta({
      description:
        "Whether more is found than is shown: the newest 20 of each kind are; a list has the others",
    }),
  })
  .meta({ id: "SearchAnswer" });

export type SearchAnswer = z.infer<typeof searchAnswerSchema>;
