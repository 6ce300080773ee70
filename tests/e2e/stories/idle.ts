import { expect } from "vitest";
import { eventually } from "../../support/index.ts";
import type { RunningSandbox } from "../running-sandbox.ts";

/**
 * With nothing to do no process asks its database more than twice a second. Work left by a start ends first: one whole
 * quiet window is enough.
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
  await Promise.all(
    services.map(async ([name, url]) => {
      let since = await countStatements(url);
      let found = "";
      await eventually(
        async () => {
          const now = await countStatements(url);
          const seconds = (now.atMs - since.atMs) / 1_000;
          if (seconds < WINDOW_S) throw new Error(`${name} is watched; ${found}`);
          const rates = [...now.counts].map(([statement, count]) => ({
            statement,
            perSecond: (count - (since.counts.get(statement) ?? 0)) / seconds,
          }));
          const perSecond = rates.reduce((sum, rate) => sum + rate.perSecond, 0);
          found = rates
            .toSorted((one, other) => other.perSecond - one.perSecond)
            .slice(0, 8)
            .map((rate) => `${rate.perSecond.toFixed(2)} ${rate.statement}`)
            .join(", ");
          since = now;
          if (perSecond > PER_SECOND_MAX)
            throw new Error(`${name}: ${perSecond.toFixed(2)} a second: ${found}`);
        },
        { withinMs: 180_000, everyMs: 1_000 },
      );
    }),
  );
}

const PER_SECOND_MAX = 2;
/** Has every round that comes more often than once in a quarter of a minute. */
const WINDOW_S = 20;

/** All statements of a process so far, of all its pools, by their summary: BEGIN and COMMIT are some, too. */
async function countStatements(healthUrl: string): Promise<{ counts: Map<string, number>; atMs: number }> {
  const text = await (await fetch(`${healthUrl}/metrics`)).text();
  const counts = new Map<string, number>();
  for (const [, labels, count] of text.matchAll(
    /^db_client_operation_duration_seconds_count\{(.*)\} (\d+)/gm,
  )) {
    const statement = /db_query_summary="([^"]*)"/.exec(labels!)?.[1] ?? "other";
    counts.set(statement, (counts.get(statement) ?? 0) + Number(count));
  }
  expect([...counts], "series of statements").not.toEqual([]);
  return { counts, atMs: performance.now() };
}
