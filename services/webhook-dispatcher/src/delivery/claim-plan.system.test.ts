import { createDatabase } from "@holdfast/postgres";
import { measurePlan, type PlanWork } from "@holdfast/tests/support";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { startDeliveryTables } from "../../test/delivery-tables.ts";
import { insertWaiting, type WaitingGroup } from "../../test/waiting-deliveries.ts";
import { takeFailing } from "../accept/warn-of-endpoints.ts";
import { MEASURE_STATE } from "../measure-statements.ts";
import { claimValues, claimWindow } from "./claim-deliveries.ts";
import { CLAIM } from "./claim-statements.ts";

const request = { limit: 500, leaseMs: 30_000, shiftMs: 0, after: undefined };

type Surroundings = {
  /**
   * `partial` has statistics of the largest tables alone; autovacuum never analyses a table with a few rows.
   */
  statistics?: "fresh" | "partial";
  /** The number of endpoints that fail for long enough that others get a warning. */
  failing?: number;
  /** True if a transaction older than the first row is open, so that no row that was deleted since goes. */
  oldSnapshot?: boolean;
  /** True if every endpoint is switched off. */
  off?: boolean;
};

const LARGE = "webhooks.delivery, webhooks.endpoint";
const VACUUM = {
  fresh: `vacuum (analyze) ${LARGE}, webhooks.endpoint_health`,
  partial: `vacuum (analyze) ${LARGE}`,
};

async function holdSnapshot(superuser: Pool): Promise<void> {
  const client = await superuser.connect();
  onTestFinished(async () => {
    await client.query("rollback");
    client.release();
  });
  await client.query("begin isolation level repeatable read");
  await client.query("select from webhooks.delivery");
}

/** The work of a statement while these deliveries wait. */
async function workOf(
  waiting: WaitingGroup,
  statement: (merchants: string[]) => { text: string; values?: unknown[] },
  { statistics = "fresh", oldSnapshot = false, failing = 0, off = false }: Surroundings = {},
): Promise<PlanWork> {
  const { superuser, pool } = await startDeliveryTables();
  if (oldSnapshot) await holdSnapshot(superuser);
  const merchants = await insertWaiting(superuser, waiting);
  await superuser.query(
    `insert into webhooks.endpoint_health (endpoint_id, failing_since, breaker_open, reported_at)
     select endpoint_id, now() - interval '1 day', true, now() from webhooks.endpoint limit $1`,
    [failing],
  );
  if (off) await superuser.query("update webhooks.endpoint set state = 'waiting'");
  await superuser.query(VACUUM[statistics]);
  const client = await pool.connect();
  try {
    return await measurePlan(client, statement(merchants));
  } finally {
    client.release();
  }
}

/** The statement that finds the endpoints to warn of, as it runs. */
function warning(): { text: string; values: unknown[] } {
  const { sql, parameters } = takeFailing(TERMS).compile(COMPILER);
  return { text: sql, values: [...parameters] };
}

const TERMS = { warnAfterMs: 3_600_000, windowMs: 48 * 3_600_000, shiftMs: 0 };

/** Only compiles statements to text. */
const COMPILER = createDatabase<never>(new Pool());

/** A claim's work while these deliveries wait and the process knows each of their endpoints. */
const workOfClaim = (waiting: WaitingGroup, room: number, surroundings?: Surroundings) =>
  workOf(
    waiting,
    (merchants) => {
      const asked = { ...request, rooms: merchants.map((endpointId) => ({ endpointId, room })) };
      return { text: CLAIM.text, values: claimValues(asked, claimWindow(asked)) };
    },
    surroundings,
  );

test.each([
  ["are due later", { each: 2, dueInSeconds: 3_600 }, 1],
  ["are due and have no room", { each: 2, dueInSeconds: -60 }, 0],
  ["are due and have room for one each", { each: 2, dueInSeconds: -60 }, 1],
])(
  "a claim's work grows no faster than the failing endpoints whose deliveries %s",
  async (_, group, room) => {
    const few = await workOfClaim({ merchants: 1_000, ...group }, room);
    const many = await workOfClaim({ merchants: 4_000, ...group }, room);
    // Four times as many: linear is 4, and a little more where an index gets a level; quadratic is 16.
    expect(many.pages).toBeLessThan(8 * few.pages);
    expect(many.rows).toBeLessThan(8 * few.rows + 1);
  },
);

test.each<[string, Surroundings]>([
  ["whose tables are analyzed", { statistics: "fresh" }],
  ["whose smallest table is not analyzed", { statistics: "partial" }],
  ["beside an old snapshot", { statistics: "partial", oldSnapshot: true }],
])(
  "a claim, a measurement and a look for whom to warn read next to nothing for endpoints with nothing due, %s",
  async (_, surroundings) => {
    const later = { merchants: 4_000, each: 2, dueInSeconds: 36_000 };
    for (const { rows, pages } of [
      await workOfClaim(later, 1, surroundings),
      await workOf(later, () => ({ text: MEASURE_STATE }), surroundings),
      await workOf(later, warning, surroundings),
    ]) {
      expect(rows).toBeLessThan(20);
      // Less than a page for each endpoint.
      expect(pages).toBeLessThan(later.merchants / 4);
    }
  },
);

test.each(["fresh", "partial"] as const)(
  "a look for whom to warn reads the deliveries of those that fail, and of no other, with %s statistics",
  async (statistics) => {
    const later = { merchants: 4_000, each: 2, dueInSeconds: 36_000 };
    const { rows, pages } = await workOf(later, warning, { statistics, failing: 3 });
    // Each row passes a node or ten of the plan.
    expect(rows).toBeLessThan(150);
    expect(pages).toBeLessThan(500);
  },
);

test.each(["fresh", "partial"] as const)(
  "a claim and a measurement step over all that waits for endpoints that are off, with %s statistics",
  async (statistics) => {
    const backlog = { merchants: 2, each: 20_000, dueInSeconds: -86_400 };
    for (const { rows, pages } of [
      await workOfClaim(backlog, 8, { statistics, off: true }),
      await workOf(backlog, () => ({ text: MEASURE_STATE }), { statistics, off: true }),
    ]) {
      expect(rows).toBeLessThan(50);
      // Reading either backlog would take more pages of the index.
      expect(pages).toBeLessThan(100);
    }
  },
);
