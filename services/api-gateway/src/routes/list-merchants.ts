import { cutPage, idCursor, INVALID_CURSOR_ERRORS, listMerchants } from "@holdfast/contracts";
import type { Pool } from "pg";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../http/route.ts";
import * as queries from "../merchant/merchant-queries.ts";

/** GET /operator/merchants: a page, newest first. */
export function listMerchantsRoute({ pool }: { pool: Pool }) {
  return defineRoute(listMerchants, async ({ query }) => {
    const limit = Number(query.limit ?? DEFAULT_LIMIT);
    const before = query.cursor === undefined ? undefined : idCursor.decode(query.cursor);
    if (query.cursor !== undefined && before === undefined) return INVALID_CURSOR;

    const merchants = await queries.listMerchants(pool, limit + 1, before);
    const { page, next } = cutPage(merchants, limit, ({ merchantId }) => idCursor.encode(merchantId));
    return { status: 200, body: { items: page, ...next } };
  });
}

const DEFAULT_LIMIT = 50;

const INVALID_CURSOR = new Refusal("validation_failed", { members: { errors: INVALID_CURSOR_ERRORS } });
