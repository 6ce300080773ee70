import { z } from "zod";
import type { Environment } from "./start-service.ts";

/** The live default account of a test's payments, at the test's bank. */
export const TEST_ACCOUNT_ID = "7a9d02f4-0c1b-4d2e-9be0-019ab2d07700";

export type TestAccountOptions = { connectionsMax?: number };

/** The bank, and what it does with a call that it gets twice. */
type TestAccountBank = { url: string; repetition?: string | undefined };

type Query = (text: string, values: unknown[]) => Promise<unknown>;

/**
 * Inserts the account for payments as operators would have created it, with the default terms.
 *
 * @param env the environment of payments.
 */
export async function plantAccount(
  query: Query,
  env: Environment,
  { url, repetition = "replay" }: TestAccountBank,
  { connectionsMax = 2_048 }: TestAccountOptions = {},
): Promise<void> {
  const { configSchema } = await import("../../services/payments/src/config.ts");
  const { sealAccountSecrets } =
    await import("../../services/payments/src/bank/account/seal-account-secrets.ts");
  const { parseConfig } = await import("@holdfast/service-runtime");
  const { ACCOUNT_SECRET_KEYS, ACQUIRER_LATE_ARRIVAL, BUSINESS_TIME_ZONE, BUSINESS_DAY_CUT_OFF } =
    configSchema.shape;
  const config = parseConfig(
    z.object({ ACCOUNT_SECRET_KEYS, ACQUIRER_LATE_ARRIVAL, BUSINESS_TIME_ZONE, BUSINESS_DAY_CUT_OFF }),
    env,
  );
  const binding = { accountId: TEST_ACCOUNT_ID, version: 1, protocol: "sim" };
  await query(
    `with account as (
       insert into payments.acquirer_account (account_id, protocol, name, currencies, state, is_default, time_zone, cut_off,
         late_arrival_ms, connections_max, version)
       values ($1, 'sim', 'The test''s bank', $2, 'ACTIVE', true, $3, $4, $5, $6, 1) returning *)
     insert into payments.acquirer_account_version (account_id, version, attributes, settings, sealed_secrets, proposed_by,
       confirmed_by, confirmed_at)
     select account_id, version, jsonb_build_object('name', name, 'state', state, 'currencies', currencies, 'businessDay',
         jsonb_build_object('timeZone', time_zone, 'cutOff', cut_off), 'lateArrivalSeconds', ceil(late_arrival_ms / 1000.0),
         'connectionsMax', connections_max, 'default', true, 'secretsChange', true),
       $7, $8, 'a test', 'a test', now() from account`,
    [
      TEST_ACCOUNT_ID,
      ["TRY", "USD", "EUR", "GBP", "JPY", "KWD"],
      config.BUSINESS_TIME_ZONE,
      config.BUSINESS_DAY_CUT_OFF,
      config.ACQUIRER_LATE_ARRIVAL,
      connectionsMax,
      { url, repetition },
      sealAccountSecrets(config.ACCOUNT_SECRET_KEYS!, binding, {}),
    ],
  );
}

/** Writes settlement's copy of the account. */
export async function plantSettlementAccount(query: Query): Promise<void> {
  await query("insert into settlement.account (account_id) values ($1)", [TEST_ACCOUNT_ID]);
}

/** Moves the account to another address, for the processes that are started from now on. */
export async function moveAccount(query: Query, url: string): Promise<void> {
  await query(
    "update payments.acquirer_account_version set settings = settings || jsonb_build_object('url', $2::text) where account_id = $1",
    [TEST_ACCOUNT_ID, url],
  );
}
