import type { InstallmentPrice, routeSchema } from "@holdfast/contracts";
import type { Generated, JSONColumnType } from "kysely";
import type { z } from "zod";

/** `PROPOSED` until a first version is in use; `NO_NEW_PAYMENTS` and `CLOSED` still carry what was begun. */
export const ACCOUNT_STATES = ["PROPOSED", "ACTIVE", "NO_NEW_PAYMENTS", "CLOSED"] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export type AcquirerAccountTable = {
  account_id: string;
  protocol: string;
  name: string;
  currencies: string[];
  state: AccountState;
  is_default: Generated<boolean>;
  is_test_default: Generated<boolean>;
  time_zone: string;
  cut_off: string;
  late_arrival_ms: bigint;
  connections_max: number;
  version: number | null;
  used_version: Generated<number | null>;
  created_at: Generated<Date>;
};

export type AcquirerAccountVersionTable = {
  account_id: string;
  version: number;
  attributes: JSONColumnType<AccountAttributes>;
  settings: JSONColumnType<object>;
  sealed_secrets: Buffer;
  proposed_by: string;
  proposed_at: Generated<Date>;
  confirmed_by: string | null;
  confirmed_at: Date | null;
};

/** The attributes of an account's version, beside its settings and credentials. */
export type AccountAttributes = {
  name: string;
  state: Exclude<AccountState, "PROPOSED">;
  currencies: string[];
  businessDay: { timeZone: string; cutOff: string };
  lateArrivalSeconds: number;
  connectionsMax: number;
  /** Null or absent if the bank has no limit. */
  callsPerMinute?: number | null;
  default: boolean;
  /** True if the version has other credentials than the previous one. */
  secretsChange: boolean;
  /** Absent if none was ever set. */
  installmentPrices?: readonly InstallmentPrice[];
};

export type AcquirerCallSlotTable = { account_id: string; slot: number; taken_at: Generated<Date> };

export type MerchantRouteTable = {
  merchant_id: string;
  version: number;
  routes: JSONColumnType<Route[]>;
  proposed_by: string;
  proposed_at: Generated<Date>;
  confirmed_by: string | null;
  confirmed_at: Date | null;
};

/**
 * One line of a merchant's routes. A payment has to match every given criterion; a missing criterion matches
 * all payments.
 */
export type Route = z.infer<typeof routeSchema>;

/** This folder's part of the schema; `database.ts` composes all parts. */
export type AccountTables = {
  acquirer_account: AcquirerAccountTable;
  acquirer_account_version: AcquirerAccountVersionTable;
  acquirer_call_slot: AcquirerCallSlotTable;
  merchant_route: MerchantRouteTable;
};
