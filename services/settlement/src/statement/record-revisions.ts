import { SETTLEMENT_STATEMENT_READY, isLive, type StatementReady } from "@holdfast/contracts";
import { failpoint, startWorkPools, type WorkPoolOptions, type WorkPools } from "@holdfast/service-runtime";
import { sql, type Kysely, type Transaction } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { SettlementDatabase } from "../database.ts";
import { decideRevision } from "./decide-revision.ts";
import {
  measureChanges,
  endChanges,
  leaseChanges,
  planDays,
  type LeasedChanges,
  type StatementsOfOne,
} from "./statement-changes.ts";
import {
  endOfDay,
  readFirstAwaited,
  readStatement,
  type StatementContent,
  type StatementRow,
} from "./statement-queries.ts";
import { describeStatement } from "./describe-statement.ts";

export type RevisionDeps = {
  db: Kysely<SettlementDatabase>;
  events: Pick<BusinessEvents, "statementReady" | "changesWait">;
};

/**
 * Records the revisions of statements, for as long as the process runs. Whoever may have changed a statement nudges.
 */
export function startRecordingRevisions(
  deps: RevisionDeps,
  options: Pick<WorkPoolOptions<never>, "intervalMs" | "clock" | "log">,
): WorkPools {
  const { db, events } = deps;
  return startWorkPools("record revisions", {
    isNudged: true,
    ...options,
    async dueInMs() {
      const { dueInMs, oldestAgeMs } = await measureChanges(db);
      events.changesWait(oldestAgeMs);
      return dueInMs;
    },
    keys: () => ["all"],
    inFlightMax: () => LOOKS_IN_FLIGHT,
    lease: (_all, limit) => leaseChanges(db, { limit, leaseMs: LOOK_LEASE_MS }),
    work: (changes) => recordRevisions(deps, changes),
  });
}

/**
 * Merchants whose statements are added up at the same time: operators' queries and the comparison of files share the
 * database.
 */
const LOOKS_IN_FLIGHT = 2;
const LOOK_LEASE_MS = 60_000;
/** Enough for a merchant's day with hundreds of thousands of lines; less than the lease. */
const LOOK_TIMEOUT_MS = 30_000;

/**
 * Checks the statements of a merchant and currency that something has changed, and those that no longer wait
 * for the bank. Each complete statement whose content differs from its last revision is recorded as the next
 * one. Each day is one transaction, and the changes end after the last one: if the process dies, they are
 * checked again. A day that cannot be added up keeps its changes and delays no later day.
 */
export async function recordRevisions(
  deps: RevisionDeps,
  { days, changeIds, ...whose }: LeasedChanges,
): Promise<void> {
  const { db } = deps;
  // Days are marked before the bank's unreported movements are read: a process that reports one afterwards finds the
  // mark.
  await keepAwaiting(db, whose, days);
  await planDays(db, whose, days);
  const before = await readFirstAwaited(db, whose);
  const failures: unknown[] = [];
  let day = await nextAwaiting(db, whose, { after: "-infinity", before });
  while (day !== undefined) {
    await recordRevision(deps, { ...whose, day }).catch((error: unknown) => void failures.push(error));
    day = await nextAwaiting(db, whose, { after: day, before });
  }
  if (failures.length > 0) throw failures[0];
  await endChanges(db, { changeIds });
}

async function keepAwaiting(
  db: Kysely<SettlementDatabase>,
  { merchantId, currency }: StatementsOfOne,
  days: readonly string[],
): Promise<void> {
  if (days.length === 0) return;
  await db
    .insertInto("statement")
    .values(days.map((day) => ({ merchant_id: merchantId, currency, day, awaits: true })))
    .onConflict((conflict) =>
      conflict
        .columns(["day", "merchant_id", "currency"])
        .doUpdateSet({ awaits: true })
        .where("statement.awaits", "=", false),
    )
    .execute();
}

/**
 * The next past day that may no longer wait for the bank.
 * @param before the first day that certainly still waits; undefined if none does.
 */
async function nextAwaiting(
  db: Kysely<SettlementDatabase>,
  { merchantId, currency }: StatementsOfOne,
  { after, before }: { after: string; before: string | undefined },
): Promise<string | undefined> {
  const row = await db
    .selectFrom("statement")
    .select([
      sql<string>`day::text`.as("day"),
      sql<boolean>`${endOfDay(sql.ref("statement.day"))} <= now()`.as("is_over"),
    ])
    .where("merchant_id", "=", merchantId)
    .where("currency", "=", currency)
    .where("awaits", "=", true)
    .where("day", ">", after)
    .where("day", "<", before ?? "infinity")
    .orderBy("statement.day")
    .limit(1)
    .executeTakeFirst();
  return row?.is_over ? row.day : undefined;
}

/** Works on the statement's locked row, and writes its event. */
async function recordRevision(
  { db, events }: RevisionDeps,
  statement: StatementsOfOne & { day: string },
): Promise<void> {
  const isRecorded = await db.transaction().execute(async (trx) => {
    const last = await lockStatement(trx, statement);
    // Another process has looked since the change.
    if (!last?.awaits) return false;
    // A limit of its own: this is no request, for which the role's time-out is meant.
    await sql`set local statement_timeout = ${sql.lit(LOOK_TIMEOUT_MS)}`.execute(trx);
    const content = await readStatement(trx, statement);
    const { awaits, revision } = decideRevision(last, content);
    await trx
      .updateTable("statement")
      .set({ awaits, ...(revision !== undefined && { revision }) })
      .where("statement_id", "=", last.statement_id)
      .execute();
    if (revision === undefined) return false;
    const recordedAt = await insertRevision(trx, { ...last, revision }, content!);
    await trx
      .insertInto("outbox")
      .values({
        event_type: SETTLEMENT_STATEMENT_READY,
        payment_id: last.statement_id,
        merchant_id: statement.merchantId,
        status: "READY",
        body: statementReadyBody(content!, { revision, recordedAt }),
      })
      .execute();
    await failpoint("settlement.before_revision");
    return true;
  });
  if (isRecorded) events.statementReady();
}

async function lockStatement(
  trx: Transaction<SettlementDatabase>,
  { merchantId, currency, day }: StatementsOfOne & { day: string },
) {
  const locked = await trx
    .selectFrom("statement")
    .select(["statement_id", "revision", "awaits"])
    .where("day", "=", day)
    .where("merchant_id", "=", merchantId)
    .where("currency", "=", currency)
    .forUpdate()
    .executeTakeFirst();
  if (!locked) return undefined;
  // This is a statement of its own, because a join is not evaluated again after the lock had to wait for
  // another process's revision.
  const last = await trx
    .selectFrom("statement_revision")
    .select("digest")
    .where("statement_id", "=", locked.statement_id)
    .where("revision", "=", locked.revision)
    .executeTakeFirst();
  return { ...locked, digest: last?.digest ?? null };
}

/** @returns when, by the database's clock. */
async function insertRevision(
  trx: Transaction<SettlementDatabase>,
  { statement_id, revision }: { statement_id: string; revision: number },
  content: StatementContent,
): Promise<Date> {
  const { sales, refunds, chargebacks, adjustments, commission, bank_fees, lines, digest } = content;
  const { recorded_at } = await trx
    .insertInto("statement_revision")
    .values({
      statement_id,
      revision,
      sales_minor: sales,
      refunds_minor: refunds,
      chargebacks_minor: chargebacks,
      adjustments_minor: adjustments,
      commission_minor: commission,
      bank_fees_minor: bank_fees,
      lines,
      digest,
    })
    .returning("recorded_at")
    .executeTakeFirstOrThrow();
  return recorded_at;
}

/** The body of `settlement.statement_ready`, as its exact bytes. */
function statementReadyBody(
  row: StatementRow,
  { revision, recordedAt }: { revision: number; recordedAt: Date },
): Buffer {
  const { unpricedLines: _none, ...statement } = describeStatement(row);
  const { merchantId, day, currency } = statement;
  const query = new URLSearchParams({ from: day, to: day, currency });
  const body: StatementReady = {
    ...statement,
    livemode: isLive(merchantId),
    complete: true,
    revision,
    version: revision,
    statusDate: recordedAt.toISOString(),
    path: `/api/statements?${query.toString()}`,
  };
  return Buffer.from(JSON.stringify(body));
}
