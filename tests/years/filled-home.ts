// A sandbox's home whose database was filled once, for everything that asks what years cost: the pages and lists of
// `npm run bench`, and the plans of statements.system.test.ts.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  AUDITOR,
  provisionDatabase,
  roleNames,
  startPostgres,
  withClient,
  type RolePasswords,
  type SchemaUrls,
} from "@holdfast/sandbox/infrastructure";
import { fillYears } from "./fill-years.ts";

/**
 * Shops, of which the first has six of ten payments. With millions of payments a year of them, otherwise a month.
 *
 * @param merchantIds of shops that are there already, the first of all among them.
 */
export async function fillShops(
  databaseUrl: string,
  payments: number,
  merchantIds: readonly string[] = [],
): Promise<void> {
  const isLarge = payments >= 1_000_000;
  const added = Array.from({ length: SHOPS - merchantIds.length }, () => randomUUID());
  await fillYears(databaseUrl, {
    payments,
    days: isLarge ? 365 : 28,
    merchantIds: [...merchantIds, ...added],
    largestTenths: 6,
    // With few payments so many that all cases are far more than a page of them.
    chargedBackEvery: isLarge ? 50 : 10,
    inBulk: isLarge,
  });
  await withClient(databaseUrl, (client) =>
    client.query(
      "insert into gateway.merchant (merchant_id, name, status) select id, 'Shop of years', 'ACTIVE' from unnest($1::uuid[]) as id",
      [added],
    ),
  );
}

const SHOPS = 50;

/** How many payments a home was filled with; undefined where nobody did, or a filling did not come to its end. */
export function filledWith(home: string): number | undefined {
  const file = join(home, MARK);
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
}

/** To be called once all is there: what was filled in part has no indexes. */
export function markAsFilled(home: string, payments: number): void {
  writeFileSync(join(home, MARK), `${payments}\n`);
}

const MARK = "filled-payments";

/** The keys under which the home's sandbox has stored what its services need again. */
export function keysOf(home: string): Record<string, string> {
  const secrets = JSON.parse(readFileSync(join(home, "secrets.json"), "utf8")) as Record<string, string>;
  return {
    CREDENTIAL_PEPPERS: `1:${secrets["credentialPepper"]}`,
    PAN_FINGERPRINT_KEYS: `0:${secrets["panFingerprintKey"]}`,
    WEBHOOK_SECRET_KEYS: `k1:${secrets["webhookSecretKey"]}`,
    ACCOUNT_SECRET_KEYS: `k1:${secrets["accountSecretKey"]}`,
  };
}

/** PostgreSQL alone on a home that was filled, with passwords that a sandbox replaces when it next starts there. */
export async function startFilledDatabase(
  given: string,
): Promise<{ superuserUrl: string; urls: SchemaUrls; stop: () => Promise<void> }> {
  const home = resolve(given);
  if (filledWith(home) === undefined)
    throw new Error(`${home} is not filled: npm run bench -- --only console-years --home ${home}`);
  const dataDir = join(home, "postgres");
  const logFile = join(dirname(dataDir), "postgres.log");
  // It would be read with its plans of an earlier run.
  rmSync(logFile, { force: true });
  const postgres = await startPostgres({ dataDir, logFile, durable: false });
  const passwords = Object.fromEntries(roleNames.map((role) => [role, role])) as RolePasswords;
  const urls = await provisionDatabase({
    superuserUrl: postgres.superuserUrl("postgres"),
    database: "holdfast",
    passwords,
    auditorPassword: AUDITOR,
  });
  return { superuserUrl: postgres.superuserUrl("holdfast"), urls, stop: () => postgres.stop() };
}
