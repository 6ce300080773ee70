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
 * Reads an owner's movements, page by page, until there are no more. The place in the feed moves in the
 * transaction that records the page's facts. Any number of processes may read side by side, since the same
 * page again changes nothing.
 *
 * @returns the place up to which everything that the owner had committed is here; undefined if that is not
 * known yet.
 */
export async function followFeed(deps: FeedDeps, owner: MovementOwner): Promise<FeedPlace | undefined> {
  while (!deps.isStopping()) {
    const { mayBeMore, reached } = await takePage(deps, owner);
    if (!mayBeMore) return reached;
  }
  return undefined;
}

/**
 * Makes the round that follows a feed at intervals. When all has been read, a round asks the owner alone whether something
 * came, and each {@link NOTED_EVERY}th notes that nothing did: whoever has to know it sooner calls {@link followFeed}.
 */
export function watchFeed(deps: FeedDeps, owner: MovementOwner): () => Promise<void> {
  let place: FeedPlace | undefined;
  let rounds = 0;
  return async () => {
    if (place && ++rounds < NOTED_EVERY) {
      const page = await askForMovements(deps, owner, place);
      place = page && nothingCame(page) ? page.next : undefined;
      // A silent owner is asked again in the next round, which measures how far behind the feed is.
      if (place || !page) return;
    }
    rounds = 0;
    place = await followFeed(deps, owner);
  };
}

const NOTED_EVERY = 6;

function nothingCame(page: MovementPage): page is CompletePage {
  return !("refused" in page) && page.isLast && page.facts.length === 0;
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

/** A page that the owner has not refused. */
type CompletePage = Exclude<MovementPage, { refused: string }>;

type Taken = { mayBeMore: boolean; reached?: FeedPlace };

async function takePage(deps: FeedDeps, owner: MovementOwner): Promise<Taken> {
  const { db, events } = deps;
  const feed = await readFeed(db, owner);
  const page = await askForMovements(deps, owner, feed.place ?? undefined);
  const completed = page === undefined || "refused" in page ? undefined : completion(feed, page);
  const { complete_at } = completed ?? feed;
  // This is reported with every page: a feed that is read from its beginning may take hours.
  events.feedRead(owner, { behindMs: feed.now.getTime() - complete_at.getTime() });
  if (page === undefined) return { mayBeMore: false };
  const set = "refused" in page ? BEGINNING : { place: JSON.stringify(page.next), ...completed };
  const moved = await db.transaction().execute(async (trx) => {
    // A place that is lost in a crash is lost with its facts, and both before all that was made of them.
    await sql`set local synchronous_commit = off`.execute(trx);
    if (!("refused" in page)) await recordFacts(trx, page.facts);
    // Another process may have read on meanwhile.
    return await trx
      .updateTable("feed")
      .set(set)
      .where("owner", "=", owner)
      .where(sql<boolean>`place is not distinct from ${feed.place && JSON.stringify(feed.place)}::jsonb`)
      .executeTakeFirst();
  });
  if ("refused" in page) {
    if (moved.numUpdatedRows > 0n) events.feedRestarted(owner, page.refused);
    return { mayBeMore: true };
  }
  if (page.facts.length > 0) events.factsRecorded(owner, page.facts.length);
  return { mayBeMore: !page.isLast, ...(completed?.aim === null && { reached: page.next }) };
}

const BEGINNING: Updateable<FeedTable> = { place: null, aim: null, aimed_at: null };

/**
 * A transaction that had committed when a page was requested began before the page's `unbegun`. All such
 * transactions are here once the feed has been read up to that number: often with the same page, else with a
 * later one.
 */
export function completion(
  { complete_at, aim, aimed_at, now }: Feed,
  page: CompletePage,
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
