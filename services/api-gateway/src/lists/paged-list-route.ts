import { ROW_MEDIA_TYPES, type Endpoint, type FieldFault, type RowMediaType } from "@holdfast/contracts";
import type { SharedPermits } from "@holdfast/service-runtime";
import Negotiator from "negotiator";
import type { z } from "zod";
import { defineRoute, type Answer, type Call, type Route } from "../endpoint/route.ts";
import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import { exportRows, type ReadRows } from "./export-rows.ts";
import { columnsOf } from "./row-columns.ts";

/** The list that a request asks for, page by page. */
export type PagedList = {
  /** Begins the name of a file. */
  name: string;
  /** The owner of a share of the exports: a merchant's id, or a person's. */
  audience: string;
  /** One page, the first without a cursor; a Refusal if it cannot be read. */
  read: ReadRows;
  /** The number of rows that an export reads at a time; by default the largest page of JSON. */
  rowsAtATime?: number;
};

export type ListEndpoint = Endpoint & {
  responses: { 200: { body: z.ZodObject<{ items: z.ZodArray<z.ZodType> }> } };
};

/** A request's parameters without those for the page and its format. */
export type ListFilter<E extends Endpoint> = Omit<Call<E>["query"], "limit" | "cursor" | "bom">;

/**
 * A route that answers a list: a page of JSON, or all rows with `Accept: text/csv` or `application/x-ndjson`.
 *
 * @param exports the bound on simultaneous exports, of which one merchant or operator has a share.
 * @param listOf returns the list, or refuses.
 */
export function definePagedListRoute<E extends ListEndpoint>(
  endpoint: E,
  { exports }: { exports: SharedPermits },
  listOf: (call: Call<E>, filter: ListFilter<E>) => Promise<PagedList | Refusal> | PagedList | Refusal,
): Route {
  const columns = columnsOf(endpoint.responses[200].body.shape.items.element);
  const handle = async (call: Call<E>): Promise<Answer<200> | Refusal> => {
    const query = call.query as Partial<Record<string, string>>;
    const { limit, cursor, bom, ...filter } = query;
    const mediaType = mediaTypeOf(call.exchange);
    const misplaced = misplacedFaults(query, mediaType);
    if (misplaced.length > 0) return invalid(misplaced);
    const list = await listOf(call, filter as ListFilter<E>);
    if (list instanceof Refusal) return list;
    if (mediaType !== "application/json") {
      const release = exports.take(list.audience);
      if (!release) return new Refusal("service_unavailable");
      call.exchange.response.once("close", release);
      return await exportRows(list, {
        mediaType,
        columns,
        bom: bom !== undefined,
        parameters: filter,
        now: new Date(),
      });
    }
    const page = await list.read({ limit: Number(limit ?? DEFAULT_LIMIT), cursor });
    return page instanceof Refusal ? page : { status: 200, body: page };
  };
  return defineRoute(endpoint as Endpoint, handle as (call: Call<Endpoint>) => ReturnType<typeof handle>);
}

const DEFAULT_LIMIT = 50;

/** The client's preferred media type among the available ones; JSON if it accepts none of them. */
function mediaTypeOf({ req }: Exchange): RowMediaType | "application/json" {
  const offered = ["application/json", ...Object.keys(ROW_MEDIA_TYPES)];
  const preferred = new Negotiator(req).mediaType(offered) ?? "application/json";
  return preferred as RowMediaType | "application/json";
}

/**
 * Refuses page parameters for an export, which has all rows in one answer, and a byte order mark for anything
 * but CSV.
 */
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
