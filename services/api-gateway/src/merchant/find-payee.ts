import { merchantIdOf, type Branding, type MerchantSettings } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { read, type GatewayDatabase } from "../database.ts";
import { SETTINGS_COLUMNS, settingsOf } from "./merchant-settings.ts";

/**
 * A merchant as the pages for browsers may know it: the branding for its buyers, and the plan and rules for
 * payments.
 */
export type Payee = {
  merchantId: string;
  /** The name that the merchant's buyers know. */
  name: string;
  isActive: boolean;
  branding?: Branding;
} & MerchantSettings;

/** Finds a payee by the merchant's id in either mode, which it keeps. The pages' role may not read credentials. */
export async function findPayee(db: Kysely<GatewayDatabase>, merchantId: string): Promise<Payee | undefined> {
  const query = db
    .selectFrom("merchant")
    .select(["merchant_id", "name", "status", "branding", ...SETTINGS_COLUMNS])
    .where("merchant_id", "=", merchantIdOf(merchantId));
  const row = await read(query.executeTakeFirst());
  return (
    row && {
      merchantId,
      name: row.branding?.name ?? row.name,
      isActive: row.status === "ACTIVE",
      ...settingsOf(row),
      ...(row.branding && { branding: row.branding }),
    }
  );
}
