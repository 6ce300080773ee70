import { cutPage, idCursor, INVALID_CURSOR_ERRORS, operations } from "@holdfast/contracts";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Kysely, Transaction } from "kysely";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import type { ListDeps } from "../lists/list-route.ts";
import { definePagedListRoute } from "../lists/paged-list-route.ts";
import type { AnnounceChange } from "../merchant/credential-changes.ts";
import { askedCredential, isApiKey, issueCredential } from "../merchant/credential.ts";
import { defaultRulesOf, type RulesSetting } from "../operator-settings.ts";
import * as queries from "../merchant/merchant-queries.ts";
import { actorOf } from "./actor-of.ts";

type Trx = Transaction<GatewayDatabase>;
type Deps = {
  db: Kysely<GatewayDatabase>;
  peppers: KeyRing;
  announce: AnnounceChange;
  lists: ListDeps;
  config: RulesSetting;
};

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

/** Creates a merchant. Only this answer has its secret: the answer stored for a repetition does not. */
function createMerchantRoute({ db, peppers, config }: Deps) {
  return defineRoute(operations.createMerchant, async (call) => {
    const { name, commission, rules = defaultRulesOf(config) } = call.body;
    const credential = issueCredential(peppers, { livemode: true });
    const merchant = { name, commission, rules };
    const { apiKey, apiSecret } = credential;
    const answer = (merchantId: string) => ({
      status: 201 as const,
      headers: { Location: `/operator/merchants/${merchantId}` },
      body: { merchantId, name, apiKey, livemode: true, apiSecret },
    });
    const keepAnswer = (trx: Trx, id: string) => call.exchange.keyedWork?.store(trx, answer(id));
    const merchantId = await queries.insertMerchant(db, merchant, credential, actorOf(call), keepAnswer);
    call.exchange.merchantId = merchantId;
    return answer(merchantId);
  });
}

function listMerchantsRoute({ db, lists }: Deps) {
  return definePagedListRoute(operations.listMerchants, lists, ({ caller }) => ({
    name: "merchants",
    audience: caller.subject,
    async read({ limit, cursor }) {
      const before = cursor === undefined ? undefined : idCursor.decode(cursor);
      if (cursor !== undefined && before === undefined) return INVALID_CURSOR;

      const merchants = await queries.listMerchants(db, limit + 1, before);
      const { page, next } = cutPage(merchants, limit, ({ merchantId }) => idCursor.encode(merchantId));
      return { items: page, ...next };
    },
  }));
}

const INVALID_CURSOR = new Refusal("validation_failed", { members: { errors: INVALID_CURSOR_ERRORS } });

function getMerchantRoute({ db }: Deps) {
  return defineRoute(operations.getMerchant, async ({ path }) => {
    const merchant = await queries.findMerchant(db, path.merchantId);
    return merchant ? { status: 200, body: merchant } : new Refusal("merchant_not_found");
  });
}

function changeMerchantRoute({ db, announce }: Deps) {
  return defineRoute(operations.changeMerchant, async (call) => {
    const merchant = await queries.updateMerchant(db, call.path.merchantId, call.body, actorOf(call));
    if (typeof merchant === "string") return new Refusal(merchant);
    announce(merchant.merchantId);
    return { status: 200, body: merchant };
  });
}

/** Issues another pair, so that a merchant can change over without a gap, or try things out in test mode. */
function addCredentialRoute({ db, peppers }: Deps) {
  return defineRoute(operations.addCredential, async (call) => {
    const { merchantId } = call.path;
    const { livemode = true } = call.body;
    const credential = issueCredential(peppers, askedCredential({ ...call.body, livemode }));
    const { apiKey, apiSecret } = credential;
    const answer = { status: 201 as const, body: { merchantId, apiKey, livemode, apiSecret } };
    const keepAnswer = (trx: Trx) => call.exchange.keyedWork?.store(trx, answer);
    const isAdded = await queries.insertCredential(db, merchantId, credential, actorOf(call), keepAnswer);
    return isAdded ? answer : new Refusal("merchant_not_found");
  });
}

/** Revokes a credential: immediately where the notice arrives, and elsewhere once the cached one is read again. */
function revokeCredentialRoute({ db, announce }: Deps) {
  return defineRoute(operations.revokeCredential, async (call) => {
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
