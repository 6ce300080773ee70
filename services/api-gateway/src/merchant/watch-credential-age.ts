import { startPeriodicTask, type Logger, type PeriodicTask } from "@holdfast/service-runtime";
import { meterOf } from "@holdfast/telemetry";
import { sql, type Kysely } from "kysely";
import type { GatewayDatabase } from "../database.ts";

/**
 * Measures each hour how many usable credentials are older than they should be, or end soon, for the alert to
 * replace them (PCI DSS 8.6.3).
 */
export function watchCredentialAge(
  db: Kysely<GatewayDatabase>,
  { CREDENTIAL_AGE_MAX: ageMaxMs }: { CREDENTIAL_AGE_MAX: number },
  log: Logger,
): PeriodicTask {
  const gauge = meterOf("api-gateway").createGauge("holdfast.credentials.due", {
    description: "Usable credentials of merchants that are to be replaced, by reason",
  });
  return startPeriodicTask("measure the age of credentials", {
    intervalMs: 3_600_000,
    log,
    async round() {
      const { old, ending } = await readCredentialsDue(db, ageMaxMs);
      gauge.record(old, { reason: "old" });
      gauge.record(ending, { reason: "ending" });
      if (old + ending > 0)
        log.warn({ operation: "credential age", old, ending }, "credentials are to be replaced");
    },
  });
}

export async function readCredentialsDue(
  db: Kysely<GatewayDatabase>,
  ageMaxMs: number,
): Promise<{ old: number; ending: number }> {
  const { rows } = await sql<{ old: number; ending: number }>`
    select (count(*) filter (where created_at < now() - ${ageMaxMs} * interval '1 millisecond'))::int as old,
      (count(*) filter (where expires_at < now() + ${ENDING_MS} * interval '1 millisecond'))::int as ending
    from credential where revoked_at is null and (expires_at is null or expires_at > now())`.execute(db);
  return rows[0]!;
}

/** Time to issue another one and to change over. */
const ENDING_MS = 14 * 86_400_000;
