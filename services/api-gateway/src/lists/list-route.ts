import { INVALID_CURSOR_ERRORS, LIST_PART_MAX } from "@holdfast/contracts";
import type { SharedPermits } from "@holdfast/service-runtime";
import type { Call, Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import type { ListCursors } from "./list-cursor.ts";
import { definePagedListRoute, type ListEndpoint } from "./paged-list-route.ts";
import { readPage, readThrough, type MergedList } from "./read-page.ts";
import type { Row } from "./row-columns.ts";

export type ListDeps = {
  cursors: ListCursors;
  /** Exports at the same time, of which one merchant or operator has a share. */
  exports: SharedPermits;
};

/** The list that a request asks for. */
export type Listing = MergedList<Row> & {
  /** Begins the name of a file. */
  name: string;
  /** The owner of the list: a merchant's id, or `operators`. */
  audience: string;
};

/**
 * A route of a list that is merged from several services, in the order of time.
 *
 * @param listingOf returns the list, or refuses.
 */
export function defineListRoute<E extends ListEndpoint>(
  endpoint: E,
  { cursors, exports }: ListDeps,
  listingOf: (call: Call<E>) => Promise<Listing | Refusal> | Listing | Refusal,
): Route {
  return definePagedListRoute(endpoint, { exports }, async (call, filter) => {
    const listing = await listingOf(call);
    if (listing instanceof Refusal) return listing;
    const { name, audience } = listing;
    const identity = {
      path: endpoint.path,
      audience,
      parameters: { ...(filter as object), ...(call.path as object | undefined) },
    };
    const list = readThrough(listing);
    return {
      name,
      audience,
      rowsAtATime: LIST_PART_MAX,
      async read({ limit, cursor }) {
        const after = cursor === undefined ? undefined : cursors.decode(identity, cursor);
        if (cursor !== undefined && !after) return INVALID_CURSOR;
        const page = await readPage(list, { after, limit });
        if (page instanceof Refusal) return page;
        const { items, next } = page;
        return { items, ...(next && { nextCursor: cursors.encode(identity, next) }) };
      },
    };
  });
}

const INVALID_CURSOR = new Refusal("validation_failed", { members: { errors: INVALID_CURSOR_ERRORS } });
