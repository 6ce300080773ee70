import { expect } from "vitest";
import { eventually } from "../../support/index.ts";
import type { RunningSandbox } from "../running-sandbox.ts";

/**
 * Expects idle processes to ask the database at most twice a second altogether. Work left by a start ends
 * first, so one whole quiet window is enough.
 */
export async function expectQuietServices({ file }: RunningSandbox): Promise<void> {
  const services = Object.entries(file.healthUrls);
  expect(services.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      "api-gateway",
      "console",
      "payments",
      "refunds",
      "settlement",
      "webhook-dispatcher",
    ]),
  );
  const countAll = async () => {
    const counted = await Promise.all(services.map(([name, url]) => countStatements(name, url)));
    return { counts: new Map(counted.flat()), atMs: performance.now() };
  };
  let since = await countAll();
  let found = "";
  await eventually(
    async () => {
      if (performance.now() - since.atMs < WINDOW_MS) throw new Error(`they are watched; ${found}`);
      const now = await countAll();
      const seconds = (now.atMs - since.atMs) / 1_000;
      const rates = [...now.counts].map(([statement, count]) => ({
        statement,
        perSecond: (count - (since.counts.get(statement) ?? 0)) / seconds,
      }));
      const perSecond = rates.reduce((sum, rate) => sum + rate.perSecond, 0);
      const most = rates.toSorted((one, other) => other.perSecond - one.perSecond).slice(0, 12);
      found = `${perSecond.toFixed(2)} a second: ${most.map(describeRate).join(", ")}`;
      since = now;
      if (perSecond > PER_SECOND_MAX) throw new Error(found);
    },
    { withinMs: 240_000, everyMs: 1_000 },
  );
}

const PER_SECOND_MAX = 2;
/** Has every round that comes once in a minute or more often. */
const WINDOW_MS = 61_000;

const describeRate = ({ statement, perSecond }: { statement: string; perSecond: number }) =>
  `${perSecond.toFixed(2)} ${statement}`;

/** All statements of a process so far, of all its pools, by their summary: BEGIN and COMMIT are some, too. */
async function countStatements(
  name: string,
  healthUrl: string,
): Promise<[statement: string, count: number][]> {
  const text = await (await fetch(`${healthUrl}/metrics`)).text();
  const counts = new Map<string, number>();
  for (const [, labels, count] of text.matchAll(
    /^db_client_operation_duration_seconds_count\{(.*)\} (\d+)/gm,
  )) {
    const statement = `${name} ${/db_query_summary="([^"]*)"/.exec(labels!)?.[1] ?? "other"}`;
    counts.set(statement, (counts.get(statement) ?? 0) + Number(count));
  }
  expect([...counts], "series of statements").not.toEqual([]);
  return [...counts];
}
