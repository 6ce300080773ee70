import { randomUUIDv7 } from "node:crypto";
import { FACTS_MAX, readComparedFacts, type ComparedFact, type ListPlace } from "@holdfast/contracts";
import { request } from "@holdfast/messaging";
import { takeFacts, type AskDeps } from "./ask-owners.ts";
import { countUnknown } from "./find-unknown.ts";

/** The time in which the compared facts were made, in epoch milliseconds. */
type Range = { fromMs: number; beforeMs: number };
type Owner = "payments" | "refunds";

/**
 * Compares the owners' records of some days with the facts here, row by row and in both directions: a match, a
 * statement and a difference are worth no more than the facts are complete. A fact that is missing or older here is
 * asked for; one that still differs, or that its owner does not know, is for people. Every process does so by itself:
 * it changes nothing that is right.
 */
export async function compareFacts(deps: AskDeps, range: Range, isStopping: () => boolean): Promise<void> {
  const compared = new Map<Owner, FoundInOwner>();
  for (const owner of ["payments", "refunds"] as const) {
    const found = await compareWith(deps, owner, range, isStopping);
    if (found) compared.set(owner, found);
  }
  const unknown = await countUnknown(deps, [...compared.keys()], range, isStopping);
  for (const [owner, count] of unknown)
    deps.events.factsCompared(owner, { ...compared.get(owner)!, unknown: count });
}

type FoundInOwner = { agreed: number; mended: number; differing: number };

/** @returns undefined unless the owner has answered all of it. */
async function compareWith(
  deps: AskDeps,
  owner: Owner,
  range: Range,
  isStopping: () => boolean,
): Promise<FoundInOwner | undefined> {
  const found = { agreed: 0, mended: 0, differing: 0 };
  let after: ListPlace | undefined;
  do {
    const page = isStopping() ? undefined : await readPage(deps, owner, range, after);
    if (!page) return undefined;
    const { facts, next } = page;
    const ids = await differingFrom(deps, facts);
    for (let at = 0; at < ids.length; at += FACTS_MAX) {
      // Some facts may have changed since the page was read, so they are asked for again, and compared with that
      // answer.
      const taken = await takeFacts(deps, owner, ids.slice(at, at + FACTS_MAX));
      if (!taken) return undefined;
      const left = await differingFrom(deps, taken);
      if (left.length > 0) deps.events.factsDiffer(owner, left);
      found.differing += left.length;
      found.mended += taken.length - left.length;
    }
    found.agreed += facts.length - ids.length;
    after = next;
  } while (after);
  return found;
}

async function readPage({ bus, events }: AskDeps, owner: Owner, range: Range, after: ListPlace | undefined) {
  const deadlineAt = Date.now() + ASK_TIMEOUT_MS;
  const context = { requestId: randomUUIDv7(), deadlineAt, service: { name: "settlement" } };
  const [from, before] = [range.fromMs, range.beforeMs].map((ms) => new Date(ms).toISOString());
  const asked = { from: from!, before: before!, ...(after && { after }) };
  const reply = await request(bus, readComparedFacts[owner], context, asked, {
    waitUntil: deadlineAt,
    traceparent: "",
  });
  if (reply.outcome === "done") return reply.result;
  events.ownerSilent(owner, reply.outcome);
  return undefined;
}

const ASK_TIMEOUT_MS = 10_000;

/** @returns the ids of those that are missing here, or differ. */
async function differingFrom({ pool }: AskDeps, facts: readonly ComparedFact[]): Promise<string[]> {
  const { rows } = await pool.query<Pick<ComparedFact, "id" | "standing" | "currency"> & { minor: bigint }>(
    "select fact_id as id, standing, currency, amount_minor as minor from fact where fact_id = any($1::uuid[])",
    [facts.map(({ id }) => id)],
  );
  const here = new Map(rows.map((row) => [row.id, `${row.standing} ${row.minor} ${row.currency}`]));
  return facts
    .filter(
      ({ id, standing, amountMinor, currency }) => here.get(id) !== `${standing} ${amountMinor} ${currency}`,
    )
    .map(({ id }) => id);
}
