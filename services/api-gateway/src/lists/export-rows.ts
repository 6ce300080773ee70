import { setTimeout as delay } from "node:timers/promises";
import type { RowMediaType } from "@holdfast/contracts";
import type { Answer } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import type { PagedList } from "./paged-list-route.ts";
import type { Row, RowColumn } from "./row-columns.ts";
import { createRowWriter } from "./write-rows.ts";

/** One page of a list, the first without a cursor; a Refusal if it cannot be read. */
export type ReadRows = (page: { limit: number; cursor?: string | undefined }) => Promise<RowPage | Refusal>;
type RowPage = { items: Row[]; nextCursor?: string | undefined };

export type ExportOptions = {
  mediaType: RowMediaType;
  columns: RowColumn[];
  bom: boolean;
  parameters: Partial<Record<string, string>>;
  now: Date;
};

/**
 * A page of an export could not be read after several tries. The answer is cut off, so that nobody takes it
 * for complete.
 */
export class ExportInterruptedError extends Error {
  override name = "ExportInterruptedError";
  readonly code = "export_interrupted";
}

/**
 * Sends all rows of a list in one answer. The first page is read before the answer begins, so that unreadable
 * rows are refused like any other request. After that at most two pages are in memory: one is written while
 * the next is read, and reading waits until the client has taken the first.
 */
export async function exportRows(
  { name, read, rowsAtATime: limit = LIMIT_MAX }: PagedList,
  { mediaType, columns, bom, parameters, now }: ExportOptions,
): Promise<Answer<200> | Refusal> {
  const first = await read({ limit });
  if (first instanceof Refusal) return first;
  const writer = createRowWriter(mediaType, columns, { bom });
  const extension = mediaType === "text/csv" ? "csv" : "ndjson";
  return {
    status: 200,
    headers: {
      "Content-Type": `${mediaType}; charset=utf-8`,
      "Content-Disposition": `attachment; filename="${fileName(name, parameters, now)}.${extension}"`,
    },
    async *rows() {
      let count = 0;
      yield writer.head;
      for await (const rows of pagesFrom(first, (cursor) => read({ limit, cursor }))) {
        count += rows.length;
        yield writer.page(rows);
      }
      yield writer.end(count);
    },
  };
}

/** The rows of the largest page of JSON. */
const LIMIT_MAX = 200;

type ReadAfter = (cursor: string) => Promise<RowPage | Refusal>;

async function* pagesFrom(first: RowPage, read: ReadAfter): AsyncGenerator<Row[]> {
  let page: RowPage | undefined = first;
  while (page) {
    const cursor: string | undefined = page.nextCursor;
    const next: Promise<RowPage> | undefined =
      cursor === undefined ? undefined : readPatiently(() => read(cursor));
    // A client that goes away leaves it behind.
    next?.catch(() => {});
    yield page.items;
    page = await next;
  }
}

/**
 * Reads a page, so that a part that does not answer for a moment does not end an export of an hour. @throws
 * ExportInterruptedError
 */
async function readPatiently(read: () => Promise<RowPage | Refusal>): Promise<RowPage> {
  for (const pauseMs of PAUSES_MS) {
    const page = await read();
    if (!(page instanceof Refusal)) return page;
    await delay(pauseMs);
  }
  throw new ExportInterruptedError("a page of an export could not be read");
}

/** Pauses that together outlast a service's restart, and end before clients give up. */
const PAUSES_MS = [100, 500, 2_000, 4_000, 0];

/** The range of time that it is of, or else when it was made. */
function fileName(name: string, { from, to }: Partial<Record<string, string>>, now: Date): string {
  const compact = (at: Date | string) => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  if (from === undefined && to === undefined) return `${name}-${compact(now)}`;
  return [name, from && `from-${compact(from)}`, `to-${compact(to ?? now)}`].filter(Boolean).join("-");
}
