import { startWorkPools, type WorkPools, type WorkPoolsOptions } from "@holdfast/service-runtime";
import { inLinkedSpan } from "@holdfast/telemetry";
import { sql, type Kysely } from "kysely";
import type { SettlementDatabase } from "./database.ts";
import { missingAtBank } from "./match/match-imports.ts";
import { overduePayouts } from "./payout/judge-payouts.ts";

/** Kinds of work on banks' files: the end of imports whose reader has died, and one for each step of a file. */
const WORK_KINDS = ["interrupted", "uploads", "chargebacks", "feeds", "comparison"] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** Does each kind of work that is waiting, in a trace of its own. One statement in each interval looks for all kinds. */
export function startSettlingWork(
  { db, work }: { db: Kysely<SettlementDatabase>; work: Record<WorkKind, () => Promise<unknown>> },
  options: Required<Pick<WorkPoolsOptions<never, never>, "intervalMs" | "clock" | "log">>,
): WorkPools {
  const waiting = new Set<WorkKind>();
  return startWorkPools<WorkKind, WorkKind>("settle", {
    ...options,
    async dueInMs() {
      const found = await lookForWork(db);
      for (const kind of found) waiting.add(kind);
      return found.length > 0 ? 0 : undefined;
    },
    keys: () => [...waiting],
    // One round of a kind is for all that waits. Another process may be in the same round.
    inFlightMax: () => 1,
    lease: (kind) => Promise.resolve(waiting.delete(kind) ? [kind] : []),
    work: (kind) => inLinkedSpan(`settle ${kind}`, undefined, work[kind]),
  });
}

/** @returns the kinds that something waits for. */
export async function lookForWork(db: Kysely<SettlementDatabase>): Promise<WorkKind[]> {
  const { rows } = await sql<Record<WorkKind, boolean>>`
    select
      exists (select from import where state = 'READING' and lease_until < now()) as interrupted,
      exists (select from upload) as uploads,
      exists (select from chargeback_report where tell_at <= now()) as chargebacks,
      exists (${TO_COMPARE} and ended_at > ${COMPLETE_AT}) as feeds,
      exists (${TO_COMPARE} and ended_at <= ${COMPLETE_AT})
        or exists (select from fact where judge) or exists (select from payout where judge)
        or exists (${missingAtBank(1)}) or exists (${overduePayouts(1)}) as comparison`.execute(db);
  return WORK_KINDS.filter((kind) => rows[0]?.[kind]);
}

const TO_COMPARE = sql`select from import where state = 'TAKEN' and matched_at is null`;
/** A file that ended later waits until the feeds have been read on: all that the owners had committed is here then. */
const COMPLETE_AT = sql`(select min(complete_at) from feed)`;
