import { withClient } from "@holdfast/sandbox/infrastructure";
import { createDatabase } from "@holdfast/postgres";
import { createTestDatabase } from "@holdfast/tests/support";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { GatewayDatabase } from "../database.ts";
import { readCredentialsDue } from "./watch-credential-age.ts";

const DAY_MS = 86_400_000;

test("credentials over the age, and those that end within two weeks, are due, but none that is revoked or has ended", async () => {
  const database = await createTestDatabase();
  const pool = new Pool({
    connectionString: database.superuserUrl,
    max: 1,
    options: "-c search_path=gateway",
  });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  const insert = (key: string, created: string, expires = "null", revoked = "null") =>
    `insert into gateway.credential (api_key, merchant_id, secret_hash, pepper_id, issued_by, created_at, expires_at, revoked_at)
     select 'hk_live_${key.padEnd(24, "0")}', merchant_id, decode(repeat('00', 32), 'hex'), 'p1', 'alice',
       now() - interval '${created}', ${expires}, ${revoked} from gateway.merchant;`;
  await withClient(database.superuserUrl, (client) =>
    client.query(
      `insert into gateway.merchant (name) values ('Book Shop');` +
        insert("young", "1 day") +
        insert("old", "366 days") +
        insert("oldRevoked", "366 days", "null", "now()") +
        insert("oldEnded", "366 days", "now() - interval '1 day'") +
        insert("ending", "1 day", "now() + interval '13 days'") +
        insert("lasting", "1 day", "now() + interval '15 days'"),
    ),
  );
  expect(await readCredentialsDue(createDatabase<GatewayDatabase>(pool), 365 * DAY_MS)).toEqual({
    old: 1,
    ending: 1,
  });
});
