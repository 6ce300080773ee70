import { FACTS_MAX } from "@holdfast/contracts";
import { readFacts, type AskDeps } from "./ask-owners.ts";

type Owner = "payments" | "refunds";

/**
 * Asks their owners about the facts that are here, a page at a time in the order of their ids, and names those that an
 * owner does not know: it was restored to an earlier time, and has forgotten money that was moved. An id that the
 * gateway generated carries the time at which it was made, so that the days are a range of the key.
 *
 * @param range in epoch milliseconds. Facts from before the earliest time at which a month may be in an archive are
 * left out.
 * @returns how many an owner does not know, for each that has answered all questions.
 */
export async function countUnknown(
  deps: AskDeps,
  owners: readonly Owner[],
  { fromMs, beforeMs }: { fromMs: number; beforeMs: number },
  isStopping: () => boolean,
): Promise<Map<Owner, number>> {
  const counts = new Map(owners.map((owner) => [owner, 0]));
  const before = firstIdOf(beforeMs);
  let after = firstIdOf(Math.max(fromMs, Date.now() - MAY_BE_ARCHIVED_AFTER_MS));
  for (;;) {
    if (isStopping()) return new Map();
    const page = await readPage(deps, after, before);
    for (const [owner, count] of counts) {
      const ids = page.filter(({ kind }) => (kind === "REFUND") === (owner === "refunds"));
      const unknown = await unknownTo(
        deps,
        owner,
        ids.map(({ fact_id }) => fact_id),
      );
      if (unknown && unknown.length > 0) deps.events.factsUnknown(owner, unknown);
      if (unknown) counts.set(owner, count + unknown.length);
      else counts.delete(owner);
    }
    if (page.length < FACTS_MAX || counts.size === 0) return counts;
    after = page.at(-1)!.fact_id;
  }
}

/** A month is archived half a year after its end at the earliest; its payments are then unknown to their owner. */
const MAY_BE_ARCHIVED_AFTER_MS = 180 * 86_400_000;

/** The lowest UUIDv7 of a time. */
function firstIdOf(epochMs: number): string {
  const hex = Math.trunc(epochMs).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

async function readPage({ pool }: AskDeps, after: string, before: string) {
  const { rows } = await pool.query<{ fact_id: string; kind: string }>(
    "select fact_id, kind from fact where fact_id > $1 and fact_id < $2 order by fact_id limit $3",
    [after, before, FACTS_MAX],
  );
  return rows;
}

async function unknownTo(deps: AskDeps, owner: Owner, ids: string[]): Promise<string[] | undefined> {
  const facts = await readFacts(deps, owner, ids);
  const known = new Set(facts?.map(({ id }) => id));
  return facts && ids.filter((id) => !known.has(id));
}
