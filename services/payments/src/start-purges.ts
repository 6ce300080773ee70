import { startPeriodicTask, type Logger, type PeriodicTask } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import { purgeIdempotencyKeys } from "@holdfast/idempotency";
import { purgeRefusals } from "./refund-reservation/purge-refusals.ts";
import { purgeRuleCounts } from "./merchant-rules/rule-queries.ts";
import { forgetChallenges } from "./three-ds/forget-challenges.ts";
import type { PaymentsDatabase } from "./database.ts";

/** Forgets what no request can be about any more. */
export function startPurges({
  db,
  idempotencyRetentionMs,
  log,
}: {
  db: Kysely<PaymentsDatabase>;
  idempotencyRetentionMs: number;
  log: Logger;
}): PeriodicTask[] {
  const purges: [name: string, intervalMs: number, round: () => Promise<unknown>][] = [
    [
      "purge idempotency keys",
      HOUR_MS,
      () => purgeIdempotencyKeys(db, { olderThanMs: idempotencyRetentionMs }),
    ],
    ["purge refused reservations", HOUR_MS, () => purgeRefusals(db, { olderThanMs: REFUSALS_KEPT_MS })],
    ["forget challenges", CHALLENGE_INTERVAL_MS, () => forgetChallenges(db)],
    ["purge rule counts", RULE_PURGE_INTERVAL_MS, () => purgeRuleCounts(db)],
  ];
  return purges.map(([name, intervalMs, round]) => startPeriodicTask(name, { intervalMs, round, log }));
}

const HOUR_MS = 3_600_000;
/** Far longer than any copy of a request can be under way. */
const REFUSALS_KEPT_MS = 86_400_000;
const CHALLENGE_INTERVAL_MS = 60_000;
const RULE_PURGE_INTERVAL_MS = 300_000;
