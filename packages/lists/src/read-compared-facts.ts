import {
  COMPARED_FACTS_MAX,
  type CommandReply,
  type ComparedFact,
  type ListPlace,
  type MovementFact,
  type readComparedFacts as readComparedFactsCommand,
} from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { z } from "zod";
import type { ListTable } from "./list-statement.ts";
import { readList } from "./read-list.ts";

type Owner = keyof typeof readComparedFactsCommand;

/**
 * A page of all shown rows of live merchants that were made in some time, oldest first, as settlement compares them.
 */
export async function readComparedFacts(
  db: Pick<Kysely<never>, "getExecutor">,
  table: ListTable,
  { from, before, after }: z.infer<(typeof readComparedFactsCommand)[Owner]["request"]>,
  factOf: (row: never) => MovementFact,
): Promise<CommandReply<{ facts: ComparedFact[]; next?: ListPlace }>> {
  const { rows, readTo } = await readList<never>(
    db,
    { ...table, columns: sql`${sql.ref(table.name)}.*` },
    { filter: { from, to: before }, livemode: true, after, limit: COMPARED_FACTS_MAX, oldestFirst: true },
  );
  const facts = rows
    .map((row) => factOf(row))
    .map(({ id, standing, amountMinor, currency }) => ({ id, standing, amountMinor, currency }));
  return { outcome: "done", result: { facts, ...(readTo && { next: readTo }) } };
}
