import { basename } from "node:path/posix";
import {
  listOperatorPayments,
  listOperatorRefunds,
  REFUND_FILTERS,
  type Endpoint,
} from "@holdfast/contracts";
import type { OperatorApi } from "../operator-api/operator-api.ts";
import type { FileAnswer, Page } from "./page-context.ts";
import { paymentFilter } from "./payment-list.ts";

/** The files of payments and refunds; every other list has its file next to its page. */
export const csvPages: Page[] = [
  csvPage("/payments.csv", listOperatorPayments, { audience: "everybody", filter: paymentFilter }),
  csvPage("/refunds.csv", listOperatorRefunds, {
    audience: "everybody",
    filter: (query) => ({ status: REFUND_FILTERS.find((known) => known === query.get("status")) }),
  }),
];

type CsvPageOptions = Pick<Page, "audience"> & {
  /** The path's last part by default. */
  fileName?: string;
  /** The filter of the list itself; all rows by default. */
  filter?: (query: URLSearchParams) => Record<string, string | undefined>;
};

/** A list as the API exports it: all matching rows, whose last line says that they are whole. */
export function csvPage(
  path: string,
  endpoint: Endpoint,
  { audience, fileName = basename(path), filter = () => ({}) }: CsvPageOptions = {},
): Page {
  return {
    ...(audience && { audience }),
    method: "GET",
    path,
    answer: async ({ api, query }) => await rowsOf(api, endpoint, { query: filter(query), fileName }),
  };
}

/** All rows that match a filter, to be saved. */
export async function rowsOf(
  api: OperatorApi,
  endpoint: Endpoint,
  { query, fileName }: { query: Record<string, string | undefined>; fileName: string },
): Promise<FileAnswer> {
  const mediaType = "text/csv";
  return { kind: "file", mediaType, fileName, ...(await api.download(endpoint, mediaType, { query })) };
}
