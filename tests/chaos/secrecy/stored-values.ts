import { isUtf8 } from "node:buffer";
import { withClient } from "@holdfast/sandbox/infrastructure";

/** A text that a table has, and where. Bytes that are a text are read as one. */
export type StoredValue = { column: string; value: string };

/** Every text in every table, within JSON and bytes, too, without numbers, times and ids. */
export async function readStoredValues(superuserUrl: string): Promise<StoredValue[]> {
  return await withClient(superuserUrl, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const found: StoredValue[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ stored: object }>(
        `select to_jsonb(stored) as stored from ${name} stored`,
      );
      for (const { stored } of rows) found.push(...valuesIn(name, stored));
    }
    return found;
  });
}

/** Every text in a document, with the way to it. */
export function valuesIn(column: string, value: unknown): StoredValue[] {
  if (typeof value === "string") return [{ column, value: decoded(value) }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => valuesIn(`${column}.${name}`, inner));
}

/** Bytes as PostgreSQL writes them, where they are a text. */
function decoded(value: string): string {
  if (!/^\\x(?:[\da-f]{2})+$/.test(value)) return value;
  const bytes = Buffer.from(value.slice(2), "hex");
  return isUtf8(bytes) && !/\p{Cc}/u.test(bytes.toString()) ? bytes.toString() : value;
}
