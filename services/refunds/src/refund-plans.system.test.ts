import { createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase, TEST_ACCOUNT_ID, type TestDatabase } from "@holdfast/tests/support";
import { Kysely, PostgresDialect, sql, type CompiledQuery } from "kysely";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RefundsDatabase } from "./database.ts";
import { exceedsApproverLimit } from "./operator/approver-limit.ts";
import { findQueue, type QueueQuery } from "./operator/operator-refund-queries.ts";
import { measureQueue } from "./recovery/measure-queue.ts";
import { leaseDue } from "./refund/refund-queries.ts";

/** The plans of the service's own statements among 60 000 refunds never read all of them, at any time. */
const REFUNDS = 60_000;
/** Refunds that wait for a decision, or are between it and the end. */
const UNDER_WAY = 6_000;
const PAGE = 51;
/** Filling a table is the work of the test, and takes what the machine takes. */
const patient = { queryTimeoutMs: 0, settings: { statement_timeout: "0" } };

let database: TestDatabase;
let pool: Pool;
let db: Kysely<RefundsDatabase>;
const asked: CompiledQuery[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const log = createLogger("refunds", "fatal");
  pool = createPool({
    // The service itself inserts no refund in another state than the first.
    url: database.urls.refunds.owner,
    connectionsMax: 2,
    applicationName: "plans",
    log,
    ...patient,
  });
  db = new Kysely<RefundsDatabase>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  });
  // One refund of ten is under way: half of these wait for a decision, and the others are in the four states
  // between it and the end.
  await sql`
    insert into refund (refund_id, payment_id, merchant_id, state, version, amount_minor, currency, currency_exponent,
      kind, order_id, installment_count, card_holder_name, masked_pan, account_id, recover_at, created_at)
    select gen_random_uuid(), ('00000000-0000-7000-8000-' || lpad((n % 30000)::text, 12, '0'))::uuid,
      ('00000000-0000-4000-8000-' || lpad((case when n % 20 > 1 and n % 7 = 0 then 9 else n % 3 end)::text, 12, '0'))::uuid,
      state, 1, 100, 'TRY', 2,
      'refund', 'order', 1, 'Ada Lovelace', '411111******1111', ${TEST_ACCOUNT_ID}::uuid,
      case when state in ('EXECUTING', 'SETTLING', 'FAILING', 'REJECTING') then now() + n * interval '1 second' end,
      now() - n * interval '1 minute'
    from (
      select n, case
        when n % 20 = 0 then 'PENDING_APPROVAL'
        when n % 20 = 1 then (array['EXECUTING', 'SETTLING', 'FAILING', 'REJECTING'])[1 + (n / 20) % 4]
        else (array['SUCCESS', 'FAILED', 'REJECTED'])[1 + (n / 20) % 3] end as state
      from generate_series(1, ${REFUNDS}) n) as states`.execute(db);
  await sql`
    insert into refund_approval (refund_id, approved_by, request_id, at)
    select refund_id, 'approver-' || (row_number() over ()) % 100, refund_id::text, created_at from refund`.execute(
    db,
  );
  await withClient(database.urls.refunds.owner, async (owner) => {
    await owner.query("set statement_timeout = 0");
    await owner.query("analyze refund");
    await owner.query("analyze refund_approval");
  });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

type Node = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Node[];
};

/** The nodes of the plans of what `work` asks, as they were carried out. */
async function plansOf(work: () => Promise<unknown>): Promise<Node[]> {
  asked.length = 0;
  await work();
  const nodes: Node[] = [];
  for (const { sql: text, parameters } of asked) {
    // A statement that would change something is rolled back.
    const client = await pool.connect();
    await client.query("begin");
    const { rows } = await client.query<{ "QUERY PLAN": { Plan: Node }[] }>(
      `explain (analyze, format json) ${text}`,
      [...parameters],
    );
    await client.query("rollback");
    client.release();
    flatten(rows[0]!["QUERY PLAN"][0]!.Plan, nodes);
  }
  return nodes;
}

function flatten(node: Node, into: Node[]): void {
  into.push(node);
  for (const child of node.Plans ?? []) flatten(child, into);
}

/** Rows that a plan has read of a table, those included that a filter threw away. */
function rowsRead(nodes: Node[]): number {
  return nodes
    .filter(
      (node) => node["Relation Name"]?.startsWith("refund") === true || node["Node Type"].includes("Sort"),
    )
    .reduce((sum, node) => {
      const gone = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
      return Math.max(sum, (node["Actual Rows"] + gone) * node["Actual Loops"]);
    }, 0);
}

describe("a page of the operators' list reads those under way at most, and mostly a page", () => {
  const merchantId = "00000000-0000-4000-8000-000000000001";
  /** A merchant all of whose refunds have ended. */
  const quietMerchantId = "00000000-0000-4000-8000-000000000009";
  const somewhere = { createdAt: new Date(Date.now() - 20_000 * 60_000).toISOString(), id: merchantId };
  const lists: [string, Partial<QueueQuery>][] = [
    ["of all", {}],
    ["of one merchant", { merchantId }],
    ["of those that wait for a decision", { status: "PENDING_APPROVAL" }],
    ["of those under way", { status: "EXECUTING" }],
    ["of those that have ended", { status: "SUCCESS" }],
    ["of one merchant's that wait", { merchantId, status: "PENDING_APPROVAL" }],
    ["of one merchant's that are under way", { merchantId, status: "EXECUTING" }],
    ["of one merchant's of whom none waits", { merchantId: quietMerchantId, status: "PENDING_APPROVAL" }],
    ["of one merchant's of whom none is under way", { merchantId: quietMerchantId, status: "EXECUTING" }],
  ];
  test.each(lists)("%s", async (_, filter) => {
    for (const after of [undefined, somewhere]) {
      const nodes = await plansOf(() => findQueue(db, { ...filter, limit: PAGE, after }));
      expect(rowsRead(nodes)).toBeLessThanOrEqual(UNDER_WAY / 2);
    }
  });
});

describe("what is asked again and again reads what is under way, not what has ended", () => {
  test("the measure of the queue", async () => {
    const nodes = await plansOf(() => measureQueue({ db, events: { queueMeasured() {} } }));
    expect(rowsRead(nodes)).toBeLessThanOrEqual(UNDER_WAY);
  });

  test("recovery", async () => {
    const nodes = await plansOf(() => leaseDue(db, { leaseMs: 1, limit: 64, accountId: TEST_ACCOUNT_ID }));
    expect(rowsRead(nodes)).toBeLessThanOrEqual(64);
  });
});

test("the sum that decides about an approval reads one person's day", async () => {
  const refund = (await findQueue(db, { limit: 1, after: undefined }))[0]!;
  const nodes = await plansOf(() =>
    exceedsApproverLimit(
      db as Parameters<typeof exceedsApproverLimit>[0],
      { approver: "approver-1", refund },
      new Map([["TRY", 1n]]),
    ),
  );
  expect(rowsRead(nodes)).toBeLessThan(2_000);
});
