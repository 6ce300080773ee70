import { auditForbidden } from "@holdfast/audit";
import type { Endpoint } from "@holdfast/contracts";
import { DatabaseUnavailableError } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { GatewayDatabase } from "../database.ts";
import type { Exchange } from "../http/exchange.ts";

/** Writes into the audit log who asked for what their roles do not allow, before they hear so. */
export function recordForbidden(db: Kysely<GatewayDatabase>) {
  return async ({ requestId, operator }: Exchange, { operationId, role }: Endpoint): Promise<void> => {
    if (!operator || role === undefined) return;
    try {
      await auditForbidden(db, { actor: operator.subject, subject: operationId, role, requestId });
    } catch (cause) {
      // Nothing was started, whether the line was written or not.
      throw new DatabaseUnavailableError("a refused attempt could not be recorded", { cause });
    }
  };
}
