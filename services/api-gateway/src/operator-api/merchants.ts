import {
  addCredential,
  changeMerchant,
  createMerchant,
  getMerchant,
  listMerchants,
  revokeCredential,
} from "@holdfast/contracts";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import type { Exchange, Operator } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import type { AnnounceChange } from "../merchant/credential-changes.ts";
import { isApiKey, issueCredential } from "../merchant/credential.ts";
import * as queries from "../merchant/merchant-queries.ts";

type Deps = { db: Kysely<GatewayDatabase>; peppers: KeyRing; announce: AnnounceChange };

/** Everything operators do with merchants and their credentials. */
export function merchantRoutes(deps: Deps): Route[] {
  return [
    createMerchantRoute(deps),
    listMerchantsRoute(deps),
    getMerchantRoute(deps),
    changeMerchantRoute(deps),
    addCredentialRoute(deps),
    revokeCredentialRoute(deps),
  ];
}

/** The merchant's secret is in this answer and nowhere else. */
function createMerchantRoute({ db, peppers }: Deps) {
  return defineRoute(createMerchant, async (call) => {
    const { name, commission, rules } = call.body;
    const credential = issueCredential(peppers);
    const merchant = { name, commission, rules };
    const merchantId = await queries.insertMerchant(db, merchant, credential, actorOf(call));
    call.exchange.merchantId = merchantId;
    const { apiKey, apiSecret } = credential;
    return {
      status: 201,
      headers: { Location: `/operator/merchants/${merchantId}` },
      body: { merchantId, name, apiKey, apiSecret },
    };
  });
}

function listMerchantsRoute({ db }: Deps) {
  return defineRoute(listMerchants, async ({ query }) => {
    const limit = Number(query.limit ?? DEFAULT_LIMIT);
    const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
    if (query.cursor !== undefined && before === undefined) return INVALID_CURSOR;

    // One more than requested tells whether there is a next page.
    const merchants = await queries.listMerchants(db, limit + 1, before);
    const items = merchants.slice(0, limit);
    const last = items.at(-1);
    const isEnd = merchants.length <= limit || last === undefined;
    return { status: 200, body: { items, ...(!isEnd && { nextCursor: encodeCursor(last.merchantId) }) } };
  });
}

const DEFAULT_LIMIT = 50;

/** A place in the list: the id of the last item seen, in a form that does not invite building one by hand. */
function encodeCursor(id: string): string {
  return Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url");
}

/** @returns undefined for anything `encodeCursor` did not make. */
function decodeCursor(cursor: string): string | undefined {
  if (!/^[\w-]{22}$/.test(cursor)) return undefined;
  const hex = Buffer.from(cursor, "base64url").toString("hex");
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return encodeCursor(id) === cursor ? id : undefined;
}

const INVALID_CURSOR = new Refusal("validation_failed", {
  members: {
    errors: [{ field: "cursor", code: "invalid_cursor", message: "must be a nextCursor of this list" }],
  },
});

function getMerchantRoute({ db }: Deps) {
  return defineRoute(getMerchant, async ({ path }) => {
    const merchant = await queries.findMerchant(db, path.merchantId);
    return merchant ? { status: 200, body: merchant } : new Refusal("merchant_not_found");
  });
}

function changeMerchantRoute({ db, announce }: Deps) {
  return defineRoute(changeMerchant, async (call) => {
    const merchant = await queries.updateMerchant(db, call.path.merchantId, call.body, actorOf(call));
    if (!merchant) return new Refusal("merchant_not_found");
    announce(merchant.merchantId);
    return { status: 200, body: merchant };
  });
}

/** Another live pair, so that a merchant can change over without a gap. */
function addCredentialRoute({ db, peppers }: Deps) {
  return defineRoute(addCredential, async (call) => {
    const { merchantId } = call.path;
    const credential = issueCredential(peppers);
    const isAdded = await queries.insertCredential(db, merchantId, credential, actorOf(call));
    if (!isAdded) return new Refusal("merchant_not_found");
    const { apiKey, apiSecret } = credential;
    return { status: 201, body: { merchantId, apiKey, apiSecret } };
  });
}

/** Acts immediately wherever the notice arrives, elsewhere when the cached credential is read again. */
function revokeCredentialRoute({ db, announce }: Deps) {
  return defineRoute(revokeCredential, async (call) => {
    const { merchantId, apiKey } = call.path;
    // A text that cannot be a key (PostgreSQL takes no NUL) finds none, as the empty one does.
    const key = isApiKey(apiKey) ? apiKey : "";
    const found = await queries.revokeCredential(db, merchantId, key, actorOf(call));
    if (!found.merchant) return new Refusal("merchant_not_found");
    if (!found.credential) return new Refusal("credential_not_found");
    announce(merchantId);
    return { status: 204 };
  });
}

/** Who an audit entry names. */
function actorOf({ exchange, caller }: { exchange: Exchange; caller: Operator }): queries.Actor {
  return { subject: caller.subject, requestId: exchange.requestId };
}
