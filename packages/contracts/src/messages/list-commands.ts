import { z } from "zod";
import { apiPaymentResponseSchema } from "../http/api-payment-response.ts";
import { checkoutListFilterSchema } from "../http/checkout-list.ts";
import { listFilterSchema, operatorListFilterSchema } from "../http/list-filter.ts";
import { operatorRefundFilterSchema } from "../http/operator-lists.ts";
import { operatorPaymentSchema } from "../http/operator-payments.ts";
import { operatorRefundSchema } from "../http/operator-refunds.ts";
import { checkoutRecordSchema } from "./checkout-commands.ts";
import { defineCommand, defineOperatorCommand } from "./message.ts";

/**
 * A list is read in parts: each service answers with its own items, from a place in the order of time, and the gateway
 * merges them. The place is the same for all parts, so that one cursor names it.
 */

/** A place in a list: ISO 8601 in UTC with the database's microseconds, and the id, which orders items of one time. */
export const listPlaceSchema = z.object({
  createdAt: z.string().regex(/^\d{4}-[\dT:.-]+Z$/),
  id: z.uuid(),
});
export type ListPlace = z.infer<typeof listPlaceSchema>;

/** The most items of one part, which a message on the bus can carry. */
export const LIST_PART_MAX = 500;

/** The place that a part is read from, and its size. */
export const partOfListSchema = z.object({
  limit: z.int().min(1).max(LIST_PART_MAX),
  after: listPlaceSchema.optional(),
});

/** One service's items from there on. */
export function listPartSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(z.object({ createdAt: z.string(), id: z.uuid(), item })),
    /** The place up to which the items are complete; absent at the end of the list. */
    readTo: listPlaceSchema.optional(),
  });
}
export type ListPart<Item> = {
  items: (ListPlace & { item: Item })[];
  readTo?: ListPlace | undefined;
};

const paymentPartSchema = listPartSchema(apiPaymentResponseSchema);
const filteredPart = partOfListSchema.extend({ filter: listFilterSchema });

/** The merchant's payments, newest first. */
export const listMerchantPayments = defineCommand({
  service: "payments",
  name: "list-of-merchant",
  work: "read",
  request: filteredPart,
  result: paymentPartSchema,
});

/** The merchant's refunds, newest first, without those that were never shown. */
export const listMerchantRefunds = defineCommand({
  service: "refunds",
  name: "list-of-merchant",
  work: "read",
  request: filteredPart.extend({ filter: listFilterSchema.extend({ parentPaymentId: z.uuid().optional() }) }),
  result: paymentPartSchema,
});

/** The merchant's checkouts, newest first. */
export const listCheckouts = defineCommand({
  service: "payments",
  name: "list-checkouts",
  work: "read",
  request: partOfListSchema.extend({ filter: checkoutListFilterSchema }),
  result: listPartSchema(checkoutRecordSchema),
});

/** Payments of all merchants, newest first; those that are unresolved oldest first. */
export const listPaymentsForOperator = defineOperatorCommand({
  service: "payments",
  name: "list-for-operator",
  role: "viewer",
  work: "read",
  request: partOfListSchema.extend({
    filter: operatorListFilterSchema,
    /** The mode to list; both without it. */
    livemode: z.boolean().optional(),
    unresolved: z.literal(true).optional(),
  }),
  result: listPartSchema(operatorPaymentSchema),
});

/** Refunds of all merchants, newest first; a queue (`isRefundQueue`) oldest first. */
export const listRefundsForOperator = defineOperatorCommand({
  service: "refunds",
  name: "list-for-operator",
  role: "viewer",
  work: "read",
  request: partOfListSchema.extend({
    filter: operatorRefundFilterSchema.extend({ parentPaymentId: z.uuid().optional() }),
    livemode: z.boolean().optional(),
  }),
  result: listPartSchema(operatorRefundSchema),
});
