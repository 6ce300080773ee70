import { sql } from "kysely";
import type { SchemaName } from "./provision-database.ts";
import type { Trx } from "../erasure/erase-customer.ts";

/** Runs the rest of the transaction as the schema's owner, who sees no other schema. */
export async function withRole(trx: Trx, schema: SchemaName): Promise<void> {
  await sql`select set_config('role', ${`${schema}_owner`}, true),
    set_config('search_path', ${schema}, true), set_config('lock_timeout', '3s', true)`.execute(trx);
}
