import type { Kysely } from "kysely";
import { read, type GatewayDatabase } from "../database.ts";

export async function findMerchantNames(
  db: Kysely<GatewayDatabase>,
  merchantIds: string[],
): Promise<Map<string, string>> {
  const ids = [...new Set(merchantIds)];
  if (ids.length === 0) return new Map();
  const query = db.selectFrom("merchant").select(["merchant_id", "name"]).where("merchant_id", "in", ids);
  const rows = await read(query.execute());
  return new Map(rows.map(({ merchant_id, name }) => [merchant_id, name]));
}
