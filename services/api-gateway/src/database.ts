import { assetPath } from "@holdfast/assets";
import type { AuditDatabase } from "@holdfast/audit";
import type {
  Branding,
  ChangedLogLevel,
  CommissionPlan,
  LoggingService,
  Merchant,
  MerchantRules,
} from "@holdfast/contracts";
import { DatabaseUnavailableError, isOutage } from "@holdfast/postgres";
import type { ColumnType, Generated, Kysely, Transaction } from "kysely";
import { DatabaseError } from "pg";

export const MIGRATIONS = assetPath("services/api-gateway/migrations");

/** Tables of the schema `gateway`, as the migrations make them; a test compares the two. */
export type GatewayDatabase = AuditDatabase & {
  merchant: MerchantTable;
  credential: CredentialTable;
  refused_operator: RefusedOperatorTable;
  operator_key: OperatorKeyTable;
  staff_key: OperatorKeyTable;
  log_level: LogLevelTable;
};

export type MerchantTable = {
  merchant_id: Generated<string>;
  name: string;
  status: Generated<Merchant["status"]>;
  commission_rate_percent: string | null;
  commission_fixed: string | null;
  commission_currency: string | null;
  commission_rules: Json<NonNullable<CommissionPlan["rules"]>>;
  commission_may_exceed_amount: Generated<boolean>;
  refunds_commission: Generated<boolean>;
  rules: Json<MerchantRules>;
  branding: Json<Branding>;
  version: Generated<number>;
  created_at: Generated<Date>;
};

export type CredentialTable = {
  api_key: string;
  merchant_id: string;
  secret_hash: Buffer;
  pepper_id: string;
  created_at: Generated<Date>;
  revoked_at: Date | null;
  issued_by: string;
  expires_at: Date | null;
  addresses: string[] | null;
  last_used_on: Generated<string | null>;
};

export type RefusedOperatorTable = {
  person: string;
  reason: string;
  refused_by: string;
  refused_at: Generated<Date>;
};

export type OperatorKeyTable = {
  subject: string;
  scope: string;
  key: string;
  fingerprint: Buffer;
  resource_id: string;
  lease_id: string;
  leased_until: Date;
  answer: Buffer | null;
  created_at: Generated<Date>;
};

export type LogLevelTable = {
  service: LoggingService;
  level: ChangedLogLevel;
  ends_at: Date;
  changed_by: string;
  changed_at: Generated<Date>;
};

/** Written as JSON text: pg would make an array of Postgres of a list. */
type Json<Value> = ColumnType<Value | null, string | null, string | null>;

/**
 * The gateway's reads and writes distinguish their failures: nothing was done (`DatabaseUnavailableError`),
 * it may have been done (`OutcomeUnknownError`), or the statement is wrong (a `DatabaseError`, which is a
 * bug).
 */
export class OutcomeUnknownError extends Error {
  override name = "OutcomeUnknownError";
  readonly code = "outcome_unknown";
}

/** A statement that changes nothing: when its connection breaks, it can simply be repeated. */
export async function read<Result>(query: Promise<Result>): Promise<Result> {
  try {
    return await query;
  } catch (error) {
    throw failureOf(
      error,
      (cause) => new DatabaseUnavailableError("the connection broke in a query", { cause }),
    );
  }
}

/** A transaction that changes something: when its connection breaks, it may have been committed. */
export async function write<Result>(
  db: Kysely<GatewayDatabase>,
  change: (trx: Transaction<GatewayDatabase>) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.transaction().execute(change);
  } catch (error) {
    throw failureOf(
      error,
      (cause) => new OutcomeUnknownError("the connection broke in a transaction", { cause }),
    );
  }
}

function failureOf(error: unknown, onBroken: (cause: unknown) => Error): unknown {
  if (error instanceof DatabaseUnavailableError) return error;
  if (!(error instanceof DatabaseError)) return onBroken(error);
  return isOutage(error) ? new DatabaseUnavailableError("the database refused", { cause: error }) : error;
}
