import { schemaNames } from "@holdfast/sandbox/infrastructure";
import { escapeIdentifier, type Client } from "pg";

/** Makes each schema as the installation does before any migration: with its owner, and those who may use it. */
export async function emptySchemas(client: Client): Promise<void> {
  for (const schema of schemaNames) {
    const { rows } = await client.query<{ name: string }>(
      `select grantee::regrole::text as name from pg_namespace, aclexplode(nspacl)
       where nspname = $1 and privilege_type = 'USAGE' and grantee <> nspowner`,
      [schema],
    );
    await client.query(`drop schema ${schema} cascade`);
    await client.query(`create schema ${schema} authorization ${escapeIdentifier(`${schema}_owner`)}`);
    for (const { name } of rows) await client.query(`grant usage on schema ${schema} to ${name}`);
  }
}
