import type { ListPart, ListPlace } from "@holdfast/contracts";
import { Refusal } from "../http/refusal.ts";
import { isBehind, mergeParts, type MergedPage } from "./merge-parts.ts";

/** Reads one service's part of a list, from a place on; a Refusal if it cannot say. */
export type ReadPart<Item> = (part: {
  after?: ListPlace;
  limit: number;
}) => Promise<ListPart<Item> | Refusal>;

/** A list whose parts several services have. */
export type MergedList<Item> = { parts: ReadPart<Item>[]; oldestFirst?: boolean };

/**
 * One page of a merged list. If a part does not answer, the page is refused, since a list without it would
 * look complete. If few of the rows match, the parts are asked again, but not without an end: then the page
 * has fewer items than requested.
 */
export async function readPage<Item>(
  list: MergedList<Item>,
  { after, limit }: { after?: ListPlace | undefined; limit: number },
): Promise<MergedPage<Item> | Refusal> {
  const items: Item[] = [];
  let next = after;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const parts = await Promise.all(list.parts.map((read) => read({ limit, ...(next && { after: next }) })));
    const refused = parts.find((part) => part instanceof Refusal);
    if (refused) return refused;
    const merged = mergeParts(parts as ListPart<Item>[], { ...list, limit: limit - items.length });
    items.push(...merged.items);
    next = merged.next;
    if (!next || items.length === limit) break;
  }
  return { items, ...(next && { next }) };
}

/**
 * A list whose pages are read one after another to its end. Rows that a part has returned and no page has
 * shown yet are kept for the next page. Otherwise the shorter part would be asked for the same rows again for
 * each page.
 */
export function readThrough<Item>(list: MergedList<Item>): MergedList<Item> {
  return { ...list, parts: list.parts.map((read) => keepingRest(read, list.oldestFirst)) };
}

function keepingRest<Item>(read: ReadPart<Item>, oldestFirst: boolean | undefined): ReadPart<Item> {
  let last: ListPart<Item> | undefined;
  return async (asked) => {
    const { after } = asked;
    const items = after && last?.items.filter((each) => isBehind(each, after, oldestFirst));
    if (last && items && (items.length > 0 || !last.readTo)) return { ...last, items };
    const part = await read(asked);
    if (!(part instanceof Refusal)) last = part;
    return part;
  };
}

/** A service reads up to 50 rows for each requested row, so up to 500 rows are read for a row of the page. */
const ROUNDS_MAX = 10;
