import { createNaturalBatcher } from "@holdfast/service-runtime";
import { sql, type Kysely } from "kysely";
import { DatabaseError, type Pool } from "pg";
import type { PaymentsDatabase } from "../database.ts";
import { runStatement } from "../payment/payment-writes.ts";
import { ASK_RULES, QUESTION_COLUMNS, type RuleQuestion, type RuleVerdict } from "./rule-statements.ts";

/** `askedAt` by the database's clock. */
export type RuleAnswer = { verdict: RuleVerdict; askedAt: Date };

/** Asks the rules about one payment. Questions that arrive together become one statement, as claims do. */
export type AskRules = (question: RuleQuestion) => Promise<RuleAnswer>;

export function createAskRules(pool: Pool): AskRules {
  const questions = createNaturalBatcher<RuleQuestion, RuleAnswer>({
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

/** Deletes attempts that no rule looks back on. */
export async function purgeRuleCounts(db: Kysely<PaymentsDatabase>): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from rule_counter where ctid = any(array(
        select ctid from rule_counter where expires_at < now() limit ${PURGE_BATCH} for update skip locked
      ))`.execute(db);
    if (numAffectedRows < BigInt(PURGE_BATCH)) break;
  }
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from rule_attempt where ctid = any(array(
        select ctid from rule_attempt
        where attempted_at < now() - ${LONGEST_WINDOW_SECONDS} * interval '1 second' limit ${PURGE_BATCH}
      ))`.execute(db);
    if (numAffectedRows < BigInt(PURGE_BATCH)) break;
  }
}

const PURGE_BATCH = 1_000;
/** The longest a rule may look back (`merchantRulesSchema`). */
const LONGEST_WINDOW_SECONDS = 86_400;
