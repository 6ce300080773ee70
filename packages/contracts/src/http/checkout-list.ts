import { listFilterSchema } from "./list-filter.ts";

/** `from` and `to` are about `createdAt`. */
export const checkoutListFilterSchema = listFilterSchema.pick({ orderId: true, from: true, to: true });
