import { nameOf, type Merchant } from "@holdfast/contracts";
import type { ExpressionBuilder, Selectable } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { GatewayDatabase, MerchantTable } from "../database.ts";
import { isTestKey } from "./credential.ts";
import { SETTINGS_COLUMNS, settingsOf, type SettingsColumns } from "./merchant-settings.ts";

/** The columns that a merchant is shown from, with its credentials. */
export function merchantColumns(eb: ExpressionBuilder<GatewayDatabase, "merchant">) {
  const credentials = eb
    .selectFrom("credential")
    .select(["api_key", "created_at", "revoked_at", "issued_by", "expires_at", "addresses", "last_used_on"])
    .whereRef("credential.merchant_id", "=", "merchant.merchant_id")
    .orderBy("created_at")
    .orderBy("api_key");
  return [
    "merchant_id",
    "name",
    "status",
    ...SETTINGS_COLUMNS,
    "branding",
    "version",
    "created_at",
    jsonArrayFrom(credentials).as("credentials"),
  ] as const;
}

export type MerchantRow = SettingsColumns &
  Pick<
    Selectable<MerchantTable>,
    "merchant_id" | "name" | "status" | "branding" | "version" | "created_at"
  > & {
    credentials: {
      api_key: string;
      created_at: string;
      revoked_at: string | null;
      issued_by: string;
      expires_at: string | null;
      addresses: string[] | null;
      last_used_on: string | null;
    }[];
  };

export function toMerchant(row: MerchantRow): Merchant {
  return {
    merchantId: row.merchant_id,
    name: row.name,
    status: row.status,
    ...settingsOf(row),
    ...(row.branding && { branding: row.branding }),
    version: row.version,
    createdAt: row.created_at.toISOString(),
    credentials: row.credentials.map(({ api_key: apiKey, created_at, revoked_at, issued_by, ...limits }) => ({
      apiKey,
      livemode: !isTestKey(apiKey),
      createdAt: new Date(created_at).toISOString(),
      ...(revoked_at !== null && { revokedAt: new Date(revoked_at).toISOString() }),
      ...(limits.expires_at !== null && { expiresAt: new Date(limits.expires_at).toISOString() }),
      ...(limits.addresses && { addresses: limits.addresses }),
      ...(limits.last_used_on !== null && { lastUsedOn: limits.last_used_on }),
      issuedBy: nameOf(issued_by),
    })),
  };
}
