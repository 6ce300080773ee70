import { merchantIdOf } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { read, type GatewayDatabase } from "../database.ts";
import { Refusal } from "../http/refusal.ts";

/**
 * The merchants whose name contains the text, in any case; newest first, and one more than `limit` if there
 * are more.
 */
export async function findMerchantsByName(
  db: Kysely<GatewayDatabase>,
  text: string,
  limit: number,
): Promise<Map<string, string>> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const query = db
    .selectFrom("merchant")
    .select(["merchant_id", "name"])
    .where("name", "ilike", pattern)
    .orderBy("merchant_id", "desc")
    .limit(limit + 1);
  const rows = await read(query.execute());
  return new Map(rows.map(({ merchant_id, name }) => [merchant_id, name]));
}

/** The items with their merchants' names, if known. In test mode a merchant has the same name. */
export async function withMerchantNames<Item extends { merchantId?: string | undefined }>(
  db: Kysely<GatewayDatabase>,
  items: Item[],
): Promise<(Item & { merchantName?: string })[]> {
  const idOf = ({ merchantId }: Item) => (merchantId === undefined ? undefined : merchantIdOf(merchantId));
  const names = await findMerchantNames(
    db,
    items.map(idOf).filter((id) => id !== undefined),
  );
  return items.map((item) => {
    const merchantName = names.get(idOf(item) ?? "");
    return { ...item, ...(merchantName !== undefined && { merchantName }) };
  });
}

/** Adds merchants' names to a page of a list, which may be a refusal. */
export async function namedPage<Page extends { items: { merchantId?: string | undefined }[] }>(
  db: Kysely<GatewayDatabase>,
  page: Page | Refusal,
): Promise<Page | Refusal> {
  return page instanceof Refusal ? page : { ...page, items: await withMerchantNames(db, page.items) };
}

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
