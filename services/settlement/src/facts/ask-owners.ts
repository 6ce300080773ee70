import { randomUUIDv7 } from "node:crypto";
import { FACTS_MAX, readMovementFacts, type MovementFact } from "@holdfast/contracts";
import { request, type Bus } from "@holdfast/messaging";
import { sql, type Kysely } from "kysely";
import type { Pool } from "pg";
import type { BusinessEvents } from "../business-events.ts";
import type { SettlementDatabase } from "../database.ts";
import { recordFacts } from "./record-facts.ts";

export type AskDeps = {
  bus: Bus;
  pool: Pool;
  db: Kysely<SettlementDatabase>;
  events: BusinessEvents;
  askFirstMs: number;
};

/** Asks about the open facts, and those without an account, that are due, page by page, until none is due or an owner does not answer. */
export async function askAboutOpenFacts(deps: AskDeps): Promise<void> {
  for (;;) {
    const due = await takeDue(deps);
    const answered = [
      await askOwner(deps, "payments", idsOf(due, false)),
      await askOwner(deps, "refunds", idsOf(due, true)),
    ].every(Boolean);
    if (due.length < FACTS_MAX || !answered) return;
  }
}

type Due = { fact_id: string; kind: MovementFact["kind"] };

function idsOf(due: readonly Due[], refunds: boolean): string[] {
  return due.filter(({ kind }) => (kind === "REFUND") === refunds).map(({ fact_id }) => fact_id);
}

/**
 * Schedules the next question before this one, so that any number of processes share the work and one that dies leaves
 * a later try. A fact that has been open for 40 days is given up: it is asked about when a bank's line names it.
 */
async function takeDue({ db, askFirstMs }: AskDeps): Promise<Due[]> {
  const { rows } = await sql<Due>`
    update fact set
      asked = least(asked + 1, 1000),
      ask_at = case when occurred_at > now() - interval '40 days'
        then now() + least(${askFirstMs} * power(4, least(asked, 12)), 86400000) * interval '1 millisecond' end
    where fact_id in (
      select fact_id from fact where ask_at <= now() order by ask_at limit ${FACTS_MAX} for update skip locked)
    returning fact_id, kind`.execute(db);
  return rows;
}

/**
 * Asks for facts by id, and records the answer. Ids that the owner does not know are left out. A refund has the account
 * of its payment, so payments whose account is not known here are asked about first.
 *
 * @param ids `FACTS_MAX` at most.
 * @returns whether it has answered.
 */
export async function askOwner(
  deps: Omit<AskDeps, "db">,
  owner: "payments" | "refunds",
  ids: readonly string[],
): Promise<boolean> {
  return (await takeFacts(deps, owner, ids)) !== undefined;
}

/** Does the same as `askOwner`. @returns the owner's answer, which is recorded, or undefined. */
export async function takeFacts(
  deps: Omit<AskDeps, "db">,
  owner: "payments" | "refunds",
  ids: readonly string[],
): Promise<MovementFact[] | undefined> {
  const facts = await readFacts(deps, owner, ids);
  if (facts === undefined || facts.length === 0) return facts;
  const { pool, events, askFirstMs } = deps;
  if (!(await askOwner(deps, "payments", await parentsToAsk(pool, facts)))) return undefined;
  await recordFacts(pool, facts, { askFirstMs });
  events.factsRecorded({ count: facts.length, source: "owner" });
  return facts;
}

/**
 * Asks and records nothing.
 *
 * @param ids `FACTS_MAX` at most.
 * @returns the facts of those ids that the owner knows, or undefined if it has not answered.
 */
export async function readFacts(
  { bus, events }: Pick<AskDeps, "bus" | "events">,
  owner: "payments" | "refunds",
  ids: readonly string[],
): Promise<MovementFact[] | undefined> {
  if (ids.length === 0) return [];
  const deadlineAt = Date.now() + ASK_TIMEOUT_MS;
  const context = { requestId: randomUUIDv7(), deadlineAt, service: { name: "settlement" } };
  const options = { waitUntil: deadlineAt, traceparent: "" };
  const reply = await request(bus, readMovementFacts[owner], context, { ids: [...ids] }, options);
  if (reply.outcome === "done") return reply.result.facts;
  events.ownerSilent(owner, reply.outcome);
  return undefined;
}

/** Asks both owners about ids that may be either's. @returns whether both have answered. */
export async function askBothOwners(deps: Omit<AskDeps, "db">, ids: readonly string[]): Promise<boolean> {
  return (await askOwner(deps, "payments", ids)) && (await askOwner(deps, "refunds", ids));
}

async function parentsToAsk(pool: Pick<Pool, "query">, facts: readonly MovementFact[]): Promise<string[]> {
  const parents = new Set(facts.flatMap(({ parentId }) => parentId ?? []));
  if (parents.size === 0) return [];
  const { rows } = await pool.query<{ fact_id: string }>(
    "select fact_id from fact where fact_id = any($1::uuid[]) and account_id is not null",
    [[...parents]],
  );
  return [...parents.difference(new Set(rows.map(({ fact_id }) => fact_id)))];
}

const ASK_TIMEOUT_MS = 10_000;
