import { expect } from "vitest";
import { eventually } from "../../support/index.ts";
import type { RunningSandbox } from "../running-sandbox.ts";

/**
 * With nothing to do no process asks its database more than about twice a second. What a start leaves to be done is done
 * first: once it is so over a whole window, it is so.
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
      await eventually(
        async () => {
          const now = await countStatements(url);
          const seconds = (now.atMs - since.atMs) / 1_000;
          if (seconds < WINDOW_S) throw new Error(`${name} is watched`);
          const perSecond = (now.statements - since.statements) / seconds;
          since = now;
          if (perSecond > PER_SECOND_MAX) throw new Error(`${name}: ${perSecond.toFixed(2)} a second`);
        },
        { withinMs: 180_000, everyMs: 1_000 },
      );
    }),
  );
}

/** Two, and room for a busy machine, which asks the time three times where one answer was slow. */
const PER_SECOND_MAX = 2.5;
/** Has every round that comes more often than once in a quarter of a minute. */
const WINDOW_S = 20;

/** All statements of a process so far, of all its pools: BEGIN and COMMIT are some, too. */
async function countStatements(healthUrl: string): Promise<{ statements: number; atMs: number }> {
  const text = await (await fetch(`${healthUrl}/metrics`)).text();
  const counts = [...text.matchAll(/^db_client_operation_duration_count\{.*\} (\d+)/gm)];
  expect(counts, "series of statements").not.toEqual([]);
  return {
    statements: counts.reduce((sum, [, count]) => sum + Number(count), 0),
    atMs: performance.now(),
  };
}
