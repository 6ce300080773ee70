import { escapeLiteral, type Client } from "pg";

/**
 * Verifies the audit logs (`npm run verify-audit`): it may connect, and read the four tables of the audit log, which the
 * migrations grant it, and nothing else. It belongs to somebody who has no other right on the database.
 */
export const AUDITOR = "holdfast_auditor";

/** @param password without one nobody can sign in as the auditor. */
export async function createAuditor(client: Client, password: string | undefined): Promise<void> {
  const { rowCount } = await client.query("select from pg_roles where rolname = $1", [AUDITOR]);
  if (rowCount === 0) await client.query(`create role ${AUDITOR}`);
  await client.query(
    `alter role ${AUDITOR} with ${password === undefined ? "nologin" : "login"} nosuperuser nocreatedb nocreaterole
       noreplication nobypassrls connection limit 4
       password ${password === undefined ? "null" : escapeLiteral(password)}`,
  );
  await client.query(`alter role ${AUDITOR} set default_transaction_read_only = on`);
  await client.query(`alter role ${AUDITOR} set statement_timeout = '60s'`);
}
