import { listMerchants } from "@holdfast/contracts";
import type { Pool } from "pg";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import * as queries from "../merchant/merchant-queries.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";

/** GET /operator/merchants: a page, newest first. */
export function listMerchantsRoute({ pool }: { pool: Pool }) {
  return defineRoute(listMerchants, async ({ query }) => {
    const limit = Number(query.limit ?? DEFAULT_LIMIT);
    const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
    if (query.cursor !== undefined && before === undefined) return INVALID_CURSOR;

    // One more than asked for tells whether there is a next page.
    const merchants = await queries.listMerchants(pool, limit + 1, before);
    const items = merchants.slice(0, limit);
    const last = items.at(-1);
    const isEnd = merchants.length <= limit || last === undefined;
    return { status: 200, body: { items, ...(!isEnd && { nextCursor: encodeCursor(last.merchantId) }) } };
  });
}

const DEFAULT_LIMIT = 50;

const INVALID_CURSOR = new Refusal("validation_failed", {
  members: {
    errors: [{ field: "cursor", code: "invalid_cursor", message: "must be a nextCursor of this list" }],
  },
});
