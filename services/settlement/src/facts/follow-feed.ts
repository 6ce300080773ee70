import { readMovements, type FeedPlace, type MovementOwner, type MovementPage } from "@holdfast/contracts";
import { sql, type Kysely, type Selectable, type Updateable } from "kysely";
import { askOwner, type AskDeps } from "../ask-owner.ts";
import type { BusinessEvents } from "../business-events.ts";
import type { SettlementDatabase } from "../database.ts";
import type { FeedTable } from "./feed-table.ts";
import { recordFacts } from "./record-facts.ts";

export type FeedDeps = AskDeps & {
  db: Kysely<SettlementDatabase>;
  events: BusinessEvents;
  isStopping: () => boolean;
};

/**
 * Reads an owner's movements, page by page, until no more are there. The place moves in the transaction that records
 * the page's facts. Any number of processes may read side by side: the same page again changes nothing.
 */
export async function followFeed(deps: FeedDeps, owner: MovementOwner): Promise<void> {
  while (!deps.isStopping() && (await takePage(deps, owner)));
}

export type Feed = Selectable<FeedTable> & { now: Date };

export async function readFeed(db: Kysely<SettlementDatabase>, owner: MovementOwner): Promise<Feed> {
  return await db
    .selectFrom("feed")
    .selectAll()
    .select(sql<Date>`clock_timestamp()`.as("now"))
    .where("owner", "=", owner)
    .executeTakeFirstOrThrow();
}

/** @returns whether there may be more. */
async function takePage(deps: FeedDeps, owner: MovementOwner): Promise<boolean> {
  const { db, events } = deps;
  const feed = await readFeed(db, owner);
  // With every page: a feed that is read from its beginning may take hours.
  events.feedRead(owner, { behindMs: feed.now.getTime() - feed.complete_at.getTime() });
  const page = await askForMovements(deps, owner, feed.place ?? undefined);
  if (page === undefined) return false;
  const isRefused = "refused" in page;
  const set = isRefused ? BEGINNING : { place: JSON.stringify(page.next), ...completion(feed, page) };
  const moved = await db.transaction().execute(async (trx) => {
    // A place that is lost in a crash is lost with its facts, and both before all that was made of them.
    await sql`set local synchronous_commit = off`.execute(trx);
    if (!isRefused) await recordFacts(trx, page.facts);
    // Another process may have read on meanwhile.
    return await trx
      .updateTable("feed")
      .set(set)
      .where("owner", "=", owner)
      .where(sql<boolean>`place is not distinct from ${feed.place && JSON.stringify(feed.place)}::jsonb`)
      .executeTakeFirst();
  });
  if (!isRefused && page.facts.length > 0) events.factsRecorded(owner, page.facts.length);
  if (isRefused && moved.numUpdatedRows > 0n) events.feedRestarted(owner, page.refused);
  return isRefused || !page.isLast;
}

const BEGINNING: Updateable<FeedTable> = { place: null, aim: null, aimed_at: null };

/**
 * A transaction that had committed when a page was asked for began before the page's `unbegun`, so that all of them are
 * here once the feed has been read up to that number: often with the same page, else with a later one.
 */
export function completion(
  { complete_at, aim, aimed_at, now }: Feed,
  page: Exclude<MovementPage, { refused: string }>,
): Pick<Selectable<FeedTable>, "complete_at" | "aim" | "aimed_at"> {
  const isReached = (transaction: string) =>
    page.isLast && BigInt(page.next.transaction) >= BigInt(transaction);
  if (isReached(page.unbegun)) return { complete_at: now, aim: null, aimed_at: null };
  const next = { aim: page.unbegun, aimed_at: now };
  if (aim === null || aimed_at === null) return { complete_at, ...next };
  return isReached(aim) ? { complete_at: aimed_at, ...next } : { complete_at, aim, aimed_at };
}

/** @returns undefined unless the owner has answered; it is asked again in the next round. */
export async function askForMovements(
  deps: AskDeps,
  owner: MovementOwner,
  after: FeedPlace | undefined,
): Promise<MovementPage | undefined> {
  return await askOwner(deps, owner, readMovements[owner], { after });
}
