import { escapeLiteral, type Client } from "pg";

/**
 * Creates a login role with this password and no other rights, or brings an existing role to this state.
 * Without a password the role cannot sign in. An attribute that only a superuser may change is named only if
 * it has to change. The administrator of a managed PostgreSQL is not a superuser, and may not even write
 * `nosuperuser` for a role that is not one.
 */
export async function upsertLogin(client: Client, role: string, password: string | undefined): Promise<void> {
  const known = await client.query("select from pg_roles where rolname = $1", [role]);
  if (known.rowCount === 0) await client.query(`create role ${role}`);
  const { rows } = await client.query<{ excess: string }>(EXCESS, [role]);
  await client.query(
    `alter role ${role} with ${password === undefined ? "nologin" : "login"} nocreatedb nocreaterole ${rows[0]!.excess}
       password ${password === undefined ? "null" : escapeLiteral(password)}`,
  );
}

/** The SQL words that remove a role's further attributes; empty for a role without any. */
const EXCESS = `
  select concat_ws(' ', case when rolsuper then 'nosuperuser' end, case when rolreplication then 'noreplication' end,
    case when rolbypassrls then 'nobypassrls' end) as excess
  from pg_roles where rolname = $1`;
