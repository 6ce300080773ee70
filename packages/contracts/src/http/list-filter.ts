import { z } from "zod";
import { PAYMENT_STATUSES, transactionTypeSchema } from "../payment-status.ts";
import { textSchema } from "../text.ts";
import { only } from "./endpoint.ts";

/** The filters of payments and refunds, in query parameters and on the bus alike. */

/** A date and time with its offset; a time without one would be another time in another office. */
const instant = z.iso
  .datetime({
    offset: true,
    error: "must be a date and time with its offset, such as 2026-11-01T00:00:00Z (+ is written %2B)",
  })
  .check(({ value, issues }) => {
    const year = new Date(value).getUTCFullYear();
    if (year >= FIRST_YEAR && year <= LAST_YEAR) return;
    issues.push({
      code: "custom",
      input: value,
      params: { code: "out_of_range" },
      message: `must be in the years ${FIRST_YEAR} to ${LAST_YEAR}`,
    });
  });

/** The years that the database can compare and that a search can need. */
const FIRST_YEAR = 2000;
const LAST_YEAR = 2199;

const amount = z.string().regex(/^\d{1,9}(\.\d{1,4})?$/, {
  error: "must be a decimal number with at most 9 digits before and 4 behind the point",
});

/** The filters of one merchant's lists. Times and amounts are as the client wrote them. */
export const listFilterSchema = z.object({
  orderId: only("this order", textSchema(1, 64, { is: "number" })),
  status: only(
    "this status",
    z.enum(PAYMENT_STATUSES, { error: `must be one of ${PAYMENT_STATUSES.join(", ")}` }),
  ),
  transactionType: only("this transaction type", transactionTypeSchema),
  customerId: only("this customer", textSchema(1, 64, { is: "id" })),
  last4: only(
    "cards with these last four digits",
    z.string().regex(/^\d{4}$/, { error: "must be four digits" }),
  ),
  bin: only(
    "cards with these first six digits",
    z.string().regex(/^\d{6}$/, { error: "must be six digits" }),
  ),
  currency: only(
    "this currency",
    z.string().regex(/^[A-Z]{3}$/, { error: "must be three upper-case letters" }),
  ),
  amountFrom: only("this amount or more, in the currency's major units", amount),
  amountTo: only("this amount or less, in the currency's major units", amount),
  from: only("with a `paymentDate` of this time or later", instant),
  to: only("with a `paymentDate` before this time", instant),
});
export type ListFilter = z.infer<typeof listFilterSchema>;

const yes = z.literal("true", { error: "must be true" });

/** The filters of lists over all merchants. */
export const operatorListFilterSchema = listFilterSchema.extend({
  merchantId: only("of this merchant", z.uuid({ error: "must be a merchant's id" })),
  externalTransactionId: only("what the acquirer gave this id", textSchema(1, 128, { is: "id" })),
  authCode: only("this authorization code", textSchema(1, 32, { is: "id" })),
  accountId: only("payments of this account at an acquirer", z.uuid({ error: "must be an account's id" })),
  sold: only("payments that count as sold: SUCCESS and CAPTURED", yes),
  answered: only("payments that the bank has approved, cancelled ones too, or declined", yes),
});
export type OperatorListFilter = z.infer<typeof operatorListFilterSchema>;

/** Filters that have an index of their own, in the order of time. The first one present is used. */
export const LOOK_UP_FILTERS = [
  "externalTransactionId",
  "orderId",
  "authCode",
  "customerId",
  "last4",
] as const satisfies (keyof OperatorListFilter)[];

/** Filters that no index answers. They are compared row by row, among the rows that something else has found. */
const COMPARED_FILTERS = [
  "transactionType",
  "bin",
  "currency",
  "amountFrom",
  "amountTo",
  "accountId",
  "sold",
  "answered",
] as const;

/** The longest range of time in which all rows are compared one by one. */
export const RANGE_DAYS_MAX = 31;

/**
 * The filters that need a range of time, since no index answers them together with the others. A refund's transaction
 * type needs none: its service has refunds only.
 */
export function filtersWithoutIndex(
  filter: OperatorListFilter,
  { statusHasIndex }: { statusHasIndex: boolean },
): string[] {
  if (LOOK_UP_FILTERS.some((name) => filter[name] !== undefined)) return [];
  const compared = COMPARED_FILTERS.filter(
    (name) => filter[name] !== undefined && !(name === "transactionType" && filter[name] === "REFUND"),
  );
  const isStatusCompared = filter.status !== undefined && (!statusHasIndex || compared.length > 0);
  return isStatusCompared ? ["status", ...compared] : compared;
}
