import type { FeedPlace, MovementFact, MovementOwner } from "@holdfast/contracts";
import { firstIdAt } from "@holdfast/postgres";
import { pause } from "@holdfast/service-runtime";
import { askForMovements, followFeed, readFeed, type FeedDeps } from "./follow-feed.ts";
import { recordFacts } from "./record-facts.ts";

/** The time in which the compared payments or refunds were made, in epoch milliseconds. */
export type Range = { fromMs: number; beforeMs: number };

/**
 * Asserts that the facts of some days equal their owner's, page by page and in both directions: matches,
 * statements and differences are only as good as the facts. Facts that the feed has left out are recorded and
 * reported. Facts that still differ, or that the owner does not know, are reported. An open fact is only
 * recorded, since the feed begins with the first outcome.
 *
 * @returns true if everything was compared: not while the feed is behind the range, and not without the
 * owner's answers.
 */
export async function compareFacts(
  deps: FeedDeps,
  owner: MovementOwner,
  { fromMs, beforeMs }: Range,
): Promise<boolean> {
  await followFeed(deps, owner);
  const { place, complete_at } = await readFeed(deps.db, owner);
  if (!place || complete_at.getTime() < beforeMs) return false;
  const found = { agreed: 0, mended: 0, differing: 0, unknown: 0 };
  const [from, before] = [firstIdAt(fromMs), firstIdAt(beforeMs)];
  for (let after: string = from; after < before;) {
    const page = deps.isStopping() ? undefined : await comparePage(deps, owner, { place, after, before });
    if (!page) return false;
    found.agreed += page.agreed;
    for (const outcome of ["mended", "differing", "unknown"] as const) {
      if (page[outcome].length > 0) deps.events.factsDiffer(owner, outcome, page[outcome]);
      found[outcome] += page[outcome].length;
    }
    after = page.to;
  }
  deps.events.factsCompared(owner, found);
  return true;
}

type PageRange = { place: FeedPlace; after: string; before: string };

/** A difference may be a change of this moment: it counts if it is still there when the feed has taken that change. */
async function comparePage(deps: FeedDeps, owner: MovementOwner, range: PageRange) {
  const first = await readBoth(deps, owner, range);
  if (!first) return undefined;
  if (first.off.length === 0 && first.unknown.length === 0) return { ...first, ...NOTHING };
  if (!(await feedReaches(deps, owner))) return undefined;
  const second = await readBoth(deps, owner, range);
  if (!second) return undefined;
  await recordFacts(deps.db, second.off);
  const here = await readHere(deps, owner, { ...range, to: second.to });
  const [mended, differing] = [true, false].map((isMended) =>
    second.off
      .filter(({ standing }) => !isMended || standing !== "OPEN")
      .filter((fact) => agrees(here.get(fact.id), fact) === isMended)
      .map(({ id }) => id),
  );
  return { ...second, mended: mended!, differing: differing! };
}

const NOTHING = { mended: [], differing: [], unknown: [] };

/** @returns whether all that an owner has committed until now is here, within a minute. */
async function feedReaches(deps: FeedDeps, owner: MovementOwner): Promise<boolean> {
  const { db, isStopping } = deps;
  const { now } = await readFeed(db, owner);
  for (const until = performance.now() + REACHED_WITHIN_MS; performance.now() < until && !isStopping();) {
    await followFeed(deps, owner);
    if ((await readFeed(db, owner)).complete_at >= now) return true;
    await pause(FOLLOWED_AGAIN_MS);
  }
  return false;
}

const REACHED_WITHIN_MS = 60_000;
const FOLLOWED_AGAIN_MS = 1_000;

/** A page of the owner's facts, and what differs from it here. */
async function readBoth(
  deps: FeedDeps,
  owner: MovementOwner,
  { place, after, before }: PageRange,
): Promise<{ to: string; agreed: number; off: MovementFact[]; unknown: string[] } | undefined> {
  const page = await askForMovements(deps, owner, { ...place, of: "rows", id: after });
  if (!page || "refused" in page) return undefined;
  const { next } = page;
  const end = next.of === "rows" && next.id < before ? next.id : before;
  const here = await readHere(deps, owner, { after, to: end });
  const to = here.size === HERE_MAX ? [...here.keys()].at(-1)! : end;
  const facts = new Map(page.facts.filter(({ id }) => id <= to).map((fact) => [fact.id, fact]));
  const off = [...facts.values()].filter((fact) => !agrees(here.get(fact.id), fact));
  const unknown = [...here.keys()].filter((id) => !facts.has(id));
  return { to, agreed: facts.size - off.length, off, unknown };
}

type Here = { version: number; compared: string };

async function readHere(
  { db }: FeedDeps,
  owner: MovementOwner,
  { after, to }: { after: string; to: string },
): Promise<Map<string, Here>> {
  const rows = await db
    .selectFrom("fact")
    .select(["fact_id", "version", "standing", "amount_minor", "currency"])
    .where("fact_id", ">", after)
    .where("fact_id", "<=", to)
    .where("kind", owner === "refunds" ? "=" : "!=", "REFUND")
    .orderBy("fact_id")
    .limit(HERE_MAX)
    .execute();
  return new Map(
    rows.map(({ fact_id, version, standing, amount_minor, currency }) => [
      fact_id,
      { version, compared: `${standing} ${amount_minor} ${currency}` },
    ]),
  );
}

/** Facts read here at a time: more than a page, where the owner has lost some. */
const HERE_MAX = 2_000;

function agrees(here: Here | undefined, { version, standing, amountMinor, currency }: MovementFact): boolean {
  return here?.compared === `${standing} ${amountMinor} ${currency}` && here.version >= version;
}
