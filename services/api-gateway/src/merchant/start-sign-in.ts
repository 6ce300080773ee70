import { refuseMissingKeys, type Logger } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { Config } from "../config.ts";
import type { GatewayDatabase } from "../database.ts";
import { findCredential, replaceHash } from "./merchant-queries.ts";
import { peppersInUse, reportUnknownPepper } from "./peppers-in-use.ts";
import { createRehash } from "./rehash.ts";
import { createSignIn, type SignIn } from "./sign-in.ts";

/**
 * Signs in with the gateway's database and peppers; undefined where the face has none.
 *
 * @throws KeyNeededError when a pepper is missing that credentials need.
 */
export async function startSignIn(
  {
    CREDENTIAL_PEPPERS: peppers,
    KEYS_ABANDONED: abandoned,
    CREDENTIAL_CACHE_TTL,
    REQUESTS_IN_FLIGHT_MAX,
  }: Config,
  db: Kysely<GatewayDatabase>,
  log: Logger,
): Promise<SignIn | undefined> {
  if (!peppers) return undefined;
  await refuseMissingKeys(db, peppersInUse(peppers), { abandoned, log });
  const report = (error: Error, merchantId: string) => log.error({ merchantId, error }, "sign-in");
  return createSignIn({
    findCredential: async (apiKey) => reportUnknownPepper(peppers, await findCredential(db, apiKey), report),
    peppers,
    rehash: createRehash({
      peppers,
      replaceHash: (apiKey, from, to) => replaceHash(db, apiKey, from, to),
      onFailed: (error) => log.warn({ operation: "rehash", error }, "a credential keeps its old pepper"),
    }),
    cacheTtlMs: CREDENTIAL_CACHE_TTL,
    waitingMax: REQUESTS_IN_FLIGHT_MAX,
    clock: performance,
  });
}
