import type { Client } from "pg";
import { upsertLogin } from "./upsert-login.ts";

/**
 * Verifies the audit logs (`npm run verify-audit`): it may connect, and read the services' audit tables, which the
 * migrations grant it, and nothing else. It belongs to a person with no other right on the database.
 */
export const AUDITOR = "holdfast_auditor";

/** @param password without one the auditor cannot sign in. */
export async function createAuditor(client: Client, password: string | undefined): Promise<void> {
  await upsertLogin(client, AUDITOR, password);
  await client.query(`alter role ${AUDITOR} connection limit 4`);
  await client.query(`alter role ${AUDITOR} set default_transaction_read_only = on`);
  await client.query(`alter role ${AUDITOR} set statement_timeout = '60s'`);
}
