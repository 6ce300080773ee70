import {
  listOperatorPayments,
  listOperatorRefunds,
  REFUND_FILTERS,
  type Endpoint,
} from "@holdfast/contracts";
import type { OperatorApi } from "../operator-api/operator-api.ts";
import type { FileAnswer, Page } from "./page-context.ts";
import { paymentFilter } from "./payment-list.ts";

/** Each list as the API exports it: all matching rows, whose last line says that they are whole. */
export const csvPages: Page[] = [
  {
    audience: "everybody",
    method: "GET",
    path: "/payments.csv",
    async answer({ api, query }) {
      return await rowsOf(api, listOperatorPayments, {
        query: paymentFilter(query),
        fileName: "payments.csv",
      });
    },
  },
  {
    audience: "everybody",
    method: "GET",
    path: "/refunds.csv",
    async answer({ api, query }) {
      const status = REFUND_FILTERS.find((known) => known === query.get("status"));
      return await rowsOf(api, listOperatorRefunds, { query: { status }, fileName: "refunds.csv" });
    },
  },
];

/** All rows that match a filter, to be saved. */
export async function rowsOf(
  api: OperatorApi,
  endpoint: Endpoint,
  { query, fileName }: { query: Record<string, string | undefined>; fileName: string },
): Promise<FileAnswer> {
  const mediaType = "text/csv";
  return { kind: "file", mediaType, fileName, ...(await api.download(endpoint, mediaType, { query })) };
}
