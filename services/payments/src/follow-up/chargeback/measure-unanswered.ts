import { fromNow, ofMode } from "@holdfast/postgres";
import { startPeriodicTask, type Logger, type PeriodicTask } from "@holdfast/service-runtime";
import { meterOf } from "@holdfast/telemetry";
import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";

type Deps = { db: Kysely<PaymentsDatabase>; log: Logger };

/** Measures open cases without evidence, for an alert: a case without evidence at the bank's deadline is lost. */
export function startMeasuringUnanswered({ db, log }: Deps): PeriodicTask {
  const unanswered = meterOf("payments").createGauge("holdfast.payments.chargebacks.unanswered", {
    description: "Open chargebacks without evidence, whose deadline is near or has passed",
  });
  const round = async () => {
    const measure = await measureUnanswered(db);
    for (const deadline of ["near", "passed"] as const) unanswered.record(measure[deadline], { deadline });
  };
  return startPeriodicTask("measure unanswered", { intervalMs: MEASURE_INTERVAL_MS, round, log });
}

/** Counts open cases of live mode that have no evidence although their deadline is near or has passed. */
export async function measureUnanswered(
  db: Kysely<PaymentsDatabase>,
): Promise<{ near: number; passed: number }> {
  // A value and not an `exists`, for which the planner would put the evidence of all cases into a hash.
  const { rows } = await sql<{ near: number; passed: number }>`
    select count(*) filter (where respond_by > now())::int as near,
      count(*) filter (where respond_by <= now())::int as passed
    from chargeback
    where status = 'OPEN' and respond_by < ${fromNow(NEAR_MS)} and ${ofMode("chargeback.merchant_id", true)}
      and coalesce((
        select false from chargeback_evidence as evidence
        where evidence.chargeback_id = chargeback.chargeback_id and sealed_at is not null limit 1), true)`.execute(
    db,
  );
  return rows[0]!;
}

/** Enough time for a merchant to find the files, and so short that most cases have them by then. */
const NEAR_MS = 3 * 86_400_000;
/** A long interval, since deadlines are days away, and an idle process asks for little. */
const MEASURE_INTERVAL_MS = 600_000;
