import { operations, REFUND_FILTERS } from "@holdfast/contracts";
import type { Page } from "../ui/page-context.ts";
import { paymentFilter } from "./payment-list.ts";
import { csvPage } from "../ui/csv-page.ts";

/** The files of payments and refunds; every other list has its file next to its page. */
export const csvPages: Page[] = [
  csvPage("/payments.csv", operations.listPaymentsOfMerchants, {
    audience: "everybody",
    filter: paymentFilter,
  }),
  csvPage("/refunds.csv", operations.listRefunds, {
    audience: "everybody",
    filter: (query) => ({ status: REFUND_FILTERS.find((known) => known === query.get("status")) }),
  }),
];
