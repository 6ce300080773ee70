import {
  INVALID_CURSOR_ERRORS,
  ROW_MEDIA_TYPES,
  type Endpoint,
  type FieldFault,
  type RowMediaType,
} from "@holdfast/contracts";
import type { SharedPlaces } from "@holdfast/service-runtime";
import Negotiator from "negotiator";
import type { z } from "zod";
import { defineRoute, type Answer, type Call, type Route } from "../endpoint/route.ts";
import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import { exportRows } from "./export-rows.ts";
import type { ListCursors } from "./list-cursor.ts";
import { readPage, type MergedList } from "./read-page.ts";
import { columnsOf, type Row } from "./row-columns.ts";

export type ListDeps = {
  cursors: ListCursors;
  /** Exports at the same time, of which one merchant or operator has a share. */
  exports: SharedPlaces;
};

/** What a request lists. */
export type Listing = MergedList<Row> & {
  /** Begins the name of a file. */
  name: string;
  /** Whose list it is: a merchant's id, or `operators`. */
  audience: string;
};

type ListEndpoint = Endpoint & {
  responses: { 200: { body: z.ZodObject<{ items: z.ZodArray<z.ZodType> }> } };
};

/**
 * A route that answers a list: a page of JSON, or with `Accept: text/csv` or `application/x-ndjson` all rows.
 *
 * @param listingOf says what is listed, or refuses.
 */
export function defineListRoute<E extends ListEndpoint>(
  endpoint: E,
  { cursors, exports }: ListDeps,
  listingOf: (call: Call<E>) => Promise<Listing | Refusal> | Listing | Refusal,
): Route {
  const columns = columnsOf(endpoint.responses[200].body.shape.items.element);
  const handle = async (call: Call<E>): Promise<Answer<200> | Refusal> => {
    const query = call.query as Partial<Record<string, string>>;
    const { limit, cursor, bom, ...parameters } = query;
    const mediaType = mediaTypeOf(call.exchange);
    const misplaced = misplacedFaults(query, mediaType);
    if (misplaced.length > 0) return invalid(misplaced);
    const listing = await listingOf(call);
    if (listing instanceof Refusal) return listing;
    if (mediaType !== "application/json") {
      const release = exports.take(listing.audience);
      if (!release) return new Refusal("service_unavailable");
      call.exchange.once("close", release);
      return await exportRows(listing, {
        mediaType,
        columns,
        bom: bom !== undefined,
        parameters,
        now: new Date(),
      });
    }
    const identity = {
      path: endpoint.path,
      audience: listing.audience,
      parameters: { ...parameters, ...(call.path as object | undefined) },
    };
    const after = cursor === undefined ? undefined : cursors.decode(identity, cursor);
    if (cursor !== undefined && !after) return invalid(INVALID_CURSOR_ERRORS);
    const page = await readPage(listing, { after, limit: Number(limit ?? DEFAULT_LIMIT) });
    if (page instanceof Refusal) return page;
    const { items, next } = page;
    return { status: 200, body: { items, ...(next && { nextCursor: cursors.encode(identity, next) }) } };
  };
  return defineRoute(endpoint as Endpoint, handle as (call: Call<Endpoint>) => ReturnType<typeof handle>);
}

const DEFAULT_LIMIT = 50;

/** What the client prefers of what there is; JSON where it likes none of it. */
function mediaTypeOf({ req }: Exchange): RowMediaType | "application/json" {
  const offered = ["application/json", ...Object.keys(ROW_MEDIA_TYPES)];
  const preferred = new Negotiator(req).mediaType(offered) ?? "application/json";
  return preferred as RowMediaType | "application/json";
}

/** All rows come in one answer, which nothing can cut into pages; only a file of CSV can begin with a byte order mark. */
function misplacedFaults(query: Partial<Record<string, string>>, mediaType: string): FieldFault[] {
  const isPage = mediaType === "application/json";
  const misplaced = [...(isPage ? [] : ["limit", "cursor"]), ...(mediaType === "text/csv" ? [] : ["bom"])];
  return misplaced
    .filter((field) => query[field] !== undefined)
    .map((field) => ({ field, code: "not_allowed", message: `is not allowed with ${mediaType}` }));
}

function invalid(errors: FieldFault[]): Refusal {
  return new Refusal("validation_failed", { members: { errors } });
}
