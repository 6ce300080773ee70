import { sql } from "kysely";
import type { LineRange } from "../match/attach-statements.ts";
import { askForMovements, readFeed, type FeedDeps } from "./follow-feed.ts";
import { recordFacts } from "./record-facts.ts";

/**
 * Reads the payments that lines of a range name and that are not here. The feed brings a payment only with
 * its outcome, and the bank may report it earlier, such as during its review. If a file of another
 * installation names many unknown payments, only some of them are asked about.
 *
 * @returns true if `payments` has answered about all of them.
 */
export async function readNamed(deps: FeedDeps, range: LineRange): Promise<boolean> {
  const named = await namedAndUnknown(deps, range);
  if (named.size === 0) return true;
  const { place } = await readFeed(deps.db, "payments");
  if (!place) return false;
  let [reached, asked] = ["", 0];
  for (const id of named) {
    if (id <= reached) continue;
    if (asked++ === PAGES_ASKED_MAX) return true;
    const page = await askForMovements(deps, "payments", { ...place, of: "rows", id: beginningOf(id) });
    if (!page || "refused" in page) return false;
    await recordFacts(
      deps.db,
      page.facts.filter((fact) => named.has(fact.id)),
    );
    if (page.next.of === "changes") return true;
    reached = page.next.id;
  }
  return true;
}

/** Bounds the pages for each range of lines. Nearly always none or one is needed. */
const PAGES_ASKED_MAX = 20;

/** @returns ids that the gateway can have generated, in their order. */
async function namedAndUnknown(
  { db }: FeedDeps,
  { importId, from, to }: LineRange,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select distinct reference_id as id from line
    where import_id = ${importId} and line_no between ${from} and ${to} and fact_id is null and verdict is null
      and uuid_extract_version(reference_id) = 7 and not exists (select from fact where fact.fact_id = line.reference_id)
    order by id`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The lowest UUIDv7 of the same millisecond: fewer payments than a page's are made in one. */
function beginningOf(id: string): string {
  return `${id.slice(0, 13)}-7000-8000-000000000000`;
}
