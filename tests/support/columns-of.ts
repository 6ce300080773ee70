import { withClient, type SchemaName } from "@holdfast/sandbox/infrastructure";
import type { TestDatabase } from "./test-database.ts";

/** Every column of a schema's tables, by table, without the migrations' own tables. */
export async function columnsOf(
  { superuserUrl }: TestDatabase,
  schema: SchemaName,
): Promise<Record<string, Record<string, "null" | "not null">>> {
  const { rows } = await withClient(superuserUrl, (client) =>
    client.query<{ table_name: string; column_name: string; is_nullable: "YES" | "NO" }>(
      `select table_name, column_name, is_nullable from information_schema.columns
       where table_schema = $1 and table_name not like 'migration%'`,
      [schema],
    ),
  );
  const columns: Record<string, Record<string, "null" | "not null">> = {};
  for (const { table_name, column_name, is_nullable } of rows) {
    (columns[table_name] ??= {})[column_name] = is_nullable === "YES" ? "null" : "not null";
  }
  return columns;
}
