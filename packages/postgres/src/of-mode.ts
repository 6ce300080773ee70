import { sql, type RawBuilder, type SqlBool } from "kysely";

/**
 * Rows of live or of test mode, which a merchant's id says (`isLive`): in the words of the partial indexes of test mode, or
 * the planner does not use them.
 *
 * @param column of the merchant's id.
 */
export function ofMode(column: string, livemode: boolean): RawBuilder<SqlBool> {
  const version = sql`uuid_extract_version(${sql.ref(column)})`;
  return livemode
    ? sql<SqlBool>`${version} is distinct from 8`
    : sql<SqlBool>`${version} is not distinct from 8`;
}
