import { basename } from "node:path/posix";
import type { Endpoint } from "@holdfast/contracts";
import type { OperatorApi } from "../api/operator-api.ts";
import type { FileAnswer, Page, Reader } from "./page-context.ts";

type CsvPageOptions = Pick<Page, "audience"> & {
  /** The path's last part by default. */
  fileName?: string;
  /** The filter of the list itself; all rows by default. */
  filter?: (query: URLSearchParams, reader: Reader) => Record<string, string | undefined>;
};

/** A list as the API exports it: all matching rows, and a last line that says that they are complete. */
export function csvPage(
  path: string,
  endpoint: Endpoint,
  { audience, fileName = basename(path), filter = () => ({}) }: CsvPageOptions = {},
): Page {
  return {
    ...(audience && { audience }),
    method: "GET",
    path,
    answer: async ({ api, query, reader }) =>
      await rowsOf(api, endpoint, { query: filter(query, reader), fileName }),
  };
}

/** All rows that match a filter, to be saved. They are opened with a spreadsheet, which needs the byte order mark. */
export async function rowsOf(
  api: OperatorApi,
  endpoint: Endpoint,
  { query, fileName }: { query: Record<string, string | undefined>; fileName: string },
): Promise<FileAnswer> {
  const mediaType = "text/csv";
  return {
    kind: "file",
    mediaType,
    fileName,
    ...(await api.download(endpoint, mediaType, { query: { ...query, bom: "1" } })),
  };
}
