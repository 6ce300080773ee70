import { z } from "zod";
import { checkoutSchema } from "./checkout.ts";
import { defineEndpoint } from "./endpoint.ts";
import { listFilterSchema } from "./list-filter.ts";
import { exportQuery, pageOf, pageQuery } from "./list-query.ts";

/** `from` and `to` are about `createdAt`. */
export const checkoutListFilterSchema = listFilterSchema.pick({ orderId: true, from: true, to: true });

export const listMerchantCheckouts = defineEndpoint({
  operationId: "listCheckouts",
  listener: "merchant",
  method: "GET",
  path: "/api/checkouts",
  summary: "List checkouts",
  description:
    "Returns the merchant's checkouts, newest first, each with its latest payment; `from` and `to` bound `createdAt`. With " +
    "`Accept: text/csv` or `application/x-ndjson` all matching rows come in one answer, whose last line has their number.",
  queryParameters: z.object({ ...checkoutListFilterSchema.shape, ...pageQuery, ...exportQuery }),
  responses: {
    200: {
      description: "One page of checkouts",
      body: pageOf(checkoutSchema, "newest first").meta({ id: "CheckoutPage" }),
      rows: true,
    },
  },
  problems: ["validation_failed"],
});
