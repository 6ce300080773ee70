import { setTimeout as delay } from "node:timers/promises";
import { LIST_PART_MAX, type ListPlace, type RowMediaType } from "@holdfast/contracts";
import type { Answer } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import type { Listing } from "./list-route.ts";
import type { MergedPage } from "./merge-parts.ts";
import { readPage, readThrough } from "./read-page.ts";
import type { Row, RowColumn } from "./row-columns.ts";
import { createRowWriter } from "./write-rows.ts";

export type ExportOptions = {
  mediaType: RowMediaType;
  columns: RowColumn[];
  bom: boolean;
  parameters: Partial<Record<string, string>>;
  now: Date;
};

/** A page of an export could not be read, however often it was tried. The answer is cut off, so that it is not taken for whole. */
export class ExportInterruptedError extends Error {
  override name = "ExportInterruptedError";
  readonly code = "export_interrupted";
}

/**
 * All rows of a list in one answer. The first page is read before the answer begins, so that what cannot be read is refused
 * like any other request. Then no more than two pages are in memory: one is written while the next is read, and the next
 * but one is read only when the client has taken the first.
 */
export async function exportRows(
  listed: Listing,
  { mediaType, columns, bom, parameters, now }: ExportOptions,
): Promise<Answer<200> | Refusal> {
  const listing = { ...listed, ...readThrough(listed) };
  const first = await readPage(listing, { limit: LIST_PART_MAX });
  if (first instanceof Refusal) return first;
  const writer = createRowWriter(mediaType, columns, { bom });
  const extension = mediaType === "text/csv" ? "csv" : "ndjson";
  return {
    status: 200,
    headers: {
      "Content-Type": `${mediaType}; charset=utf-8`,
      "Content-Disposition": `attachment; filename="${fileName(listing.name, parameters, now)}.${extension}"`,
    },
    async *rows() {
      let count = 0;
      yield writer.head;
      for await (const rows of pagesFrom(listing, first)) {
        count += rows.length;
        yield writer.page(rows);
      }
      yield writer.end(count);
    },
  };
}

async function* pagesFrom(listing: Listing, first: MergedPage<Row>): AsyncGenerator<Row[]> {
  let page: MergedPage<Row> | undefined = first;
  while (page) {
    const next: Promise<MergedPage<Row>> | undefined = page.next && readPatiently(listing, page.next);
    // A client that goes away leaves it behind.
    next?.catch(() => {});
    yield page.items;
    page = await next;
  }
}

/** A part that does not answer for a moment does not undo an export of an hour. @throws ExportInterruptedError */
async function readPatiently(listing: Listing, after: ListPlace): Promise<MergedPage<Row>> {
  for (const pauseMs of PAUSES_MS) {
    const page = await readPage(listing, { after, limit: LIST_PART_MAX });
    if (!(page instanceof Refusal)) return page;
    await delay(pauseMs);
  }
  throw new ExportInterruptedError("a page of an export could not be read");
}

/** Longer than a service takes to start again, and shorter than clients wait. */
const PAUSES_MS = [100, 500, 2_000, 4_000, 0];

/** The range of time that it is of, or else when it was made. */
function fileName(name: string, { from, to }: Partial<Record<string, string>>, now: Date): string {
  const compact = (at: Date | string) => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  if (from === undefined && to === undefined) return `${name}-${compact(now)}`;
  return [name, from && `from-${compact(from)}`, `to-${compact(to ?? now)}`].filter(Boolean).join("-");
}
