import type { GatewayResultCode } from "@holdfast/contracts";
import { sql, type SqlBool } from "kysely";

/** The payments that count as sold, in the figures and in the lists that these lead to. */
export const IS_SOLD = sql<SqlBool>`state in ('SUCCESS', 'CAPTURED')`;

/** The payments that a bank has approved; a cancelled one was approved if it has an authorization code. */
export const IS_APPROVED = sql<SqlBool>`(${IS_SOLD} or state = 'CANCELLED' and auth_code is not null)`;

/** The results of payments that no bank has declined. */
const NOT_DECLINED: GatewayResultCode[] = [
  "acquirer_unavailable",
  "deadline_passed",
  "expired_request",
  "reversed",
  "resolved",
];

/** The payments that a bank has declined: not those that were never sent or were taken back. */
export const IS_DECLINED = sql<SqlBool>`(state = 'FAILED' and result_code <> all(${NOT_DECLINED}::text[]))`;
