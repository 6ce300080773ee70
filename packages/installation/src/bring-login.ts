import { escapeLiteral, type Client } from "pg";

/**
 * Creates a role that signs in with this password and may nothing else by itself, or brings it to this state. Without a
 * password nobody can sign in as it.
 */
export async function bringLogin(client: Client, role: string, password: string | undefined): Promise<void> {
  const { rowCount } = await client.query("select from pg_roles where rolname = $1", [role]);
  if (rowCount === 0) await client.query(`create role ${role}`);
  await client.query(
    `alter role ${role} with ${password === undefined ? "nologin" : "login"} nosuperuser nocreatedb nocreaterole
       noreplication nobypassrls password ${password === undefined ? "null" : escapeLiteral(password)}`,
  );
}
