import type { Kysely } from "kysely";
import type { Pool } from "pg";
import type { Clock } from "../clock.ts";
import type { WebhooksDatabase } from "../database.ts";
import { mergeHealth } from "../endpoint/health-queries.ts";
import type { HealthReport } from "./health-reports.ts";
import { queueWaiting } from "./queue-waiting.ts";

type Deps = {
  pool: Pool;
  db: Kysely<WebhooksDatabase>;
  clock: Pick<Clock, "shiftMs">;
  /** Called when a delivery is due now. */
  nudge: () => void;
};

/**
 * Stores the observed health of endpoints. When an endpoint works again after an outage, its waiting
 * deliveries are sent immediately, since their next scheduled attempts may be a day away.
 */
export function keepHealth({ pool, db, clock, nudge }: Deps) {
  return async (reports: ReadonlyMap<string, HealthReport>): Promise<void> => {
    // Many endpoints may be back together; each has a bound of its own.
    for (const endpointId of await mergeHealth(pool, reports))
      if ((await queueWaiting(db, [endpointId], clock.shiftMs)) > 0) nudge();
  };
}
