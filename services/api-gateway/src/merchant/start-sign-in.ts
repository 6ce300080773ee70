import { refuseMissingKeys } from "@holdfast/postgres";
import { type KeyRing, type Logger } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { Config } from "../config.ts";
import type { GatewayDatabase } from "../database.ts";
import { findCredential, noteCredentialUse, replaceHash } from "./merchant-queries.ts";
import { peppersInUse, reportUnknownPepper } from "./peppers-in-use.ts";
import { createNoteUse } from "./note-use.ts";
import { createRehash } from "./rehash.ts";
import { createSignIn, type SignIn } from "./sign-in.ts";

/**
 * Signs in with the gateway's database and peppers.
 *
 * @throws KeyNeededError when a pepper is missing that credentials need.
 */
export async function startSignIn(config: Config, db: Kysely<GatewayDatabase>, log: Logger): Promise<SignIn> {
  const peppers = await refuseMissingPeppers(config, db, log);
  const report = (error: Error, merchantId: string) => log.error({ merchantId, error }, "sign-in");
  return createSignIn({
    findCredential: async (apiKey) => reportUnknownPepper(peppers, await findCredential(db, apiKey), report),
    peppers,
    rehash: createRehash({
      peppers,
      replaceHash: (apiKey, from, to) => replaceHash(db, apiKey, from, to),
      onFailed: (error) => log.warn({ operation: "rehash", error }, "a credential keeps its old pepper"),
    }),
    noteUse: createNoteUse({
      write: (apiKey) => noteCredentialUse(db, apiKey),
      onFailed: (error) => log.warn({ operation: "note use", error }, "a credential's use was not noted"),
      now: Date.now,
    }),
    cacheTtlMs: config.CREDENTIAL_CACHE_TTL,
    waitingMax: config.REQUESTS_IN_FLIGHT_MAX,
    clock: performance,
  });
}

/**
 * The peppers, which are all that credentials need. A listener that only makes credentials compares them, too: it would
 * otherwise make some that another listener cannot check.
 *
 * @throws KeyNeededError
 */
export async function refuseMissingPeppers(
  { CREDENTIAL_PEPPERS: peppers, KEYS_ABANDONED: abandoned }: Config,
  db: Kysely<GatewayDatabase>,
  log: Logger,
): Promise<KeyRing> {
  if (!peppers) throw new TypeError("a listener signs in without peppers");
  await refuseMissingKeys(db, peppersInUse(peppers), { abandoned, log });
  return peppers;
}
