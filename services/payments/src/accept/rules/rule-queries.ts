import { createNaturalBatcher } from "@holdfast/service-runtime";
import { sql, type Kysely } from "kysely";
import { DatabaseError, type Pool } from "pg";
import type { PaymentsDatabase } from "../../database.ts";
import type { ClaimRow } from "../../payment/payment-statements.ts";
import { runStatement } from "../../payment/payment-writes.ts";
import { cardSubject } from "./merchant-rules.ts";
import { ASK_RULES, QUESTION_COLUMNS, type RuleQuestion, type RuleVerdict } from "./rule-statements.ts";

/** `askedAt` by the database's clock. */
export type RuleAnswer = { verdict: RuleVerdict; askedAt: Date };

/** Asks the rules about one payment. Questions that arrive together become one statement, as claims do. */
export type AskRules = (question: RuleQuestion) => Promise<RuleAnswer>;

export function createAskRules(pool: Pool): AskRules {
  const questions = createNaturalBatcher<RuleQuestion, RuleAnswer>({
    name: "rules",
    sizeMax: 64,
    flushesMax: 2,
    isolates: (error) => error instanceof DatabaseError,
    flush: (items) => askAll(pool, items),
  });
  return (question) => questions.add(question);
}

async function askAll(pool: Pool, items: RuleQuestion[]): Promise<RuleAnswer[]> {
  const rows = await runStatement<{ lease_token: string; asked_at: Date; verdict: RuleVerdict }>(pool, {
    ...ASK_RULES,
    values: QUESTION_COLUMNS.map(([column]) => items.map((item) => item[column])),
  });
  const answers = new Map(
    rows.map(({ lease_token, verdict, asked_at }) => [lease_token, { verdict, askedAt: asked_at }]),
  );
  return items.map((item) => answers.get(item.lease_token)!);
}

/**
 * Moves a card's counters under the ring's other keys to the counter under the active key. During a rotation
 * the attempts of one card are counted under two keys. They are moved together before the rule is checked, so
 * that a rotation forgets no attempt. A rule is exceeded at most by payments that processes with different
 * active keys check at the same moment. Every statement that changes several counters locks them in the same
 * order.
 */
export async function adoptCardCounters(
  db: Kysely<PaymentsDatabase>,
  {
    merchant_id,
    pan_fingerprint,
    older_pan_fingerprints,
  }: Pick<ClaimRow, "merchant_id" | "pan_fingerprint" | "older_pan_fingerprints">,
): Promise<void> {
  const subject = cardSubject(pan_fingerprint);
  const older = older_pan_fingerprints.map(cardSubject);
  await sql`
    with locked as materialized (
      select subject from rule_counter
      where merchant_id = ${merchant_id} and kind = 'CARD' and subject = any(${[subject, ...older]})
      order by subject for update
    ), moved as (
      delete from rule_counter
      where merchant_id = ${merchant_id} and kind = 'CARD' and subject = any(${older})
        and subject in (select subject from locked)
      returning *
    )
    insert into rule_counter as counter
      (merchant_id, kind, subject, attempts, granted, attempts_max, window_seconds, expires_at)
    select merchant_id, kind, ${subject}, (${LATEST_ATTEMPTS} from moved, unnest(moved.attempts) as attempt ${LATEST_FIRST})),
      max(granted), max(attempts_max), max(window_seconds), max(expires_at)
    from moved group by merchant_id, kind
    on conflict (merchant_id, kind, subject) do update set
      attempts = (${LATEST_ATTEMPTS} from unnest(counter.attempts || excluded.attempts) as attempt ${LATEST_FIRST})),
      expires_at = greatest(counter.expires_at, excluded.expires_at)`.execute(db);
}

/** The latest attempts, as many as the table allows. */
const LATEST_ATTEMPTS = sql`select array(select attempt`;
const LATEST_FIRST = sql`order by attempt desc limit 1000`;

/** Deletes attempts that no rule looks back on. @returns how many rows were deleted. */
export async function purgeRuleCounts(db: Kysely<PaymentsDatabase>): Promise<number> {
  let purged = 0n;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from rule_counter where ctid = any(array(
        select ctid from rule_counter where expires_at < now() limit ${PURGE_BATCH} for update skip locked
      ))`.execute(db);
    purged += numAffectedRows;
    if (numAffectedRows < BigInt(PURGE_BATCH)) break;
  }
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from rule_attempt where ctid = any(array(
        select ctid from rule_attempt
        where attempted_at < now() - ${LONGEST_WINDOW_SECONDS} * interval '1 second' limit ${PURGE_BATCH}
      ))`.execute(db);
    purged += numAffectedRows;
    if (numAffectedRows < BigInt(PURGE_BATCH)) return Number(purged);
  }
}

const PURGE_BATCH = 1_000;
/** The longest a rule may look back (`merchantRulesSchema`). */
const LONGEST_WINDOW_SECONDS = 86_400;
