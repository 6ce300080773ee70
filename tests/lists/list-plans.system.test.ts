import { randomUUID } from "node:crypto";
import { LOOK_UP_FILTERS, testIdOf } from "@holdfast/contracts";
import {
  createListPool,
  listStatement,
  READ_PER_ROW,
  type ListFilters,
  type ListQuery,
  type ListTable,
} from "@holdfast/lists";
import { createDatabase } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { sql, type Kysely } from "kysely";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHECKOUTS } from "../../services/payments/src/accept/checkout/list-checkouts.ts";
import { OPERATORS_PAYMENTS, PAYMENTS } from "../../services/payments/src/people/list/payment-list-table.ts";
import { PAYMENT_STATES, merchantStatus } from "../../services/payments/src/payment/payment.ts";
import { OPERATORS_REFUNDS, REFUNDS } from "../../services/refunds/src/list/refund-list-table.ts";
import { REFUND_STATES, merchantStatus as refundStatus } from "../../services/refunds/src/refund/refund.ts";
import { createTestDatabase, type TestDatabase } from "../support/index.ts";
import { insertPayments, insertRefunds } from "./list-rows.ts";

/**
 * So many rows that no plan scans a table because it is small; one merchant has most of them, as in practice.
 */
const PAYMENT_ROWS = 60_000;
const REFUND_ROWS = 30_000;
const LARGE = randomUUID();
const SMALL = randomUUID();
const TESTER = randomUUID();
const TEST_ROWS = 1_000;
/** The account of every 4th payment. */
const ACCOUNT = randomUUID();
const LIMIT = 50;

let database: TestDatabase;
let asSuperuser: (text: string, values?: unknown[]) => Promise<unknown>;
let dbs: { payments: Kysely<never>; refunds: Kysely<never> };
const pools: { end(): Promise<void> }[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  const connect = (url: string) => {
    const pool = createListPool({ url, applicationName: "test", log: createLogger("test", "error") });
    pools.push(pool);
    return createDatabase<never>(pool);
  };
  const pool = new Pool({ connectionString: database.superuserUrl, max: 1 });
  pools.push(pool);
  const query = (text: string, values?: unknown[]) => pool.query(text, values);
  asSuperuser = query;
  const share = (rows: number) => [
    { merchantId: LARGE, count: rows * 0.95 },
    { merchantId: SMALL, count: rows * 0.05 },
  ];
  for (const rows of share(PAYMENT_ROWS)) await insertPayments(query, rows);
  for (const rows of share(REFUND_ROWS)) await insertRefunds(query, { ...rows, apartMs: 3_000 });
  await query("update payments.payment set account_id = $1 where amount_minor % 4 = 0", [ACCOUNT]);
  await insertPayments(query, { merchantId: TESTER, count: TEST_ROWS });
  await insertRefunds(query, { merchantId: testIdOf(TESTER), count: TEST_ROWS });
  await query("update payments.payment set merchant_id = $2, account_id = $3 where merchant_id = $1", [
    TESTER,
    testIdOf(TESTER),
    testIdOf(ACCOUNT),
  ]);
  await query("vacuum (analyze) payments.payment, refunds.refund");
  dbs = { payments: connect(database.urls.payments.app), refunds: connect(database.urls.refunds.app) };
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

type Plan = {
  "Node Type": string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Plan[];
};

/** Rows that the plan read of tables, whether it kept them or not. */
function rowsRead(plan: Plan): number {
  const own =
    plan["Node Type"].endsWith("Scan") && !plan.Plans
      ? (plan["Actual Rows"] +
          (plan["Rows Removed by Filter"] ?? 0) +
          (plan["Rows Removed by Index Recheck"] ?? 0)) *
        plan["Actual Loops"]
      : 0;
  return own + (plan.Plans ?? []).reduce((sum, below) => sum + rowsRead(below), 0);
}

/** The plan in a line for each node. */
function outline(plan: Plan, depth = 0): string {
  const {
    "Node Type": type,
    "Actual Rows": rows,
    "Actual Loops": loops,
    "Rows Removed by Filter": removed = 0,
  } = plan;
  const line = `${"  ".repeat(depth)}${type} ${plan["Index Name"] ?? ""} rows=${rows} loops=${loops} removed=${removed}`;
  return [line, ...(plan.Plans ?? []).map((below) => outline(below, depth + 1))].join("\n");
}

async function explain(table: ListTable, query: ListQuery): Promise<{ plan: Plan; text: string }> {
  const db = table.name === "refund" ? dbs.refunds : dbs.payments;
  const { sql, parameters } = listStatement(table, query).compile(db);
  const { rows } = await db.executeQuery<{ "QUERY PLAN": { Plan: Plan }[] }>({
    ...listStatement(table, query).compile(db),
    sql: `explain (analyze, buffers, timing off, format json) ${sql}`,
    parameters,
  });
  const plan = rows[0]!["QUERY PLAN"][0]!.Plan;
  return { plan, text: outline(plan) };
}

/** Two values for every filter: one that matches some rows, and one that matches none. */
const VALUES: Record<
  Exclude<keyof ListFilters, "merchantId" | "from" | "to" | "parentPaymentId">,
  [string, string]
> = {
  orderId: ["order-500", "none"],
  customerId: ["customer-7", "none"],
  last4: ["0040", "9999"],
  externalTransactionId: ["ext-order-500", "none"],
  authCode: ["000500", "none"],
  status: ["SUCCESS", "REJECTED"],
  transactionType: ["PAYMENT", "REFUND"],
  bin: ["979200", "123456"],
  currency: ["EUR", "KWD"],
  amountFrom: ["50", "5000"],
  amountTo: ["50", "0.01"],
  accountId: [ACCOUNT, randomUUID()],
  sold: ["true", "false"],
  answered: ["true", "false"],
};
const NAMES = Object.keys(VALUES) as (keyof typeof VALUES)[];
const OF_OPERATORS: ReadonlySet<string> = new Set(["accountId", "sold", "answered"]);
const RANGE = { from: new Date(Date.now() - 30 * 86_400_000).toISOString(), to: new Date().toISOString() };

/** Each filter alone and with each other one, with values that match and with values that do not. */
function searches(table: ListTable): ListFilters[] {
  // Lists of operators alone have these, of payments.
  const names = NAMES.filter((name) => !OF_OPERATORS.has(name) || table === OPERATORS_PAYMENTS);
  const pairs = names.flatMap((a, index) => names.slice(index).map((b) => [...new Set([a, b])]));
  return [
    {},
    ...pairs.flatMap((names) =>
      [0, 1].map(
        (which) => Object.fromEntries(names.map((name) => [name, VALUES[name][which]])) as ListFilters,
      ),
    ),
  ];
}

const TABLES: [string, ListTable, ListFilters][] = [
  ["a large merchant's payments", PAYMENTS, { merchantId: LARGE }],
  ["a small merchant's payments", PAYMENTS, { merchantId: SMALL }],
  ["all merchants' payments", OPERATORS_PAYMENTS, {}],
  ["a large merchant's refunds", REFUNDS, { merchantId: LARGE }],
  ["a small merchant's refunds", REFUNDS, { merchantId: SMALL }],
  ["all merchants' refunds", OPERATORS_REFUNDS, {}],
];

/**
 * States of the planner's statistics, which must not slow a page: a table is new, or `ANALYZE` saw a sample of its own.
 */
const STATISTICS = [
  ["with fresh statistics", "vacuum (analyze) payments.payment, refunds.refund"],
  [
    "without statistics",
    "delete from pg_statistic where starelid in ('payments.payment'::regclass, 'refunds.refund'::regclass)",
  ],
] as const;
const PAGES = STATISTICS.flatMap(([known, statement]) =>
  TABLES.map(([name, table, whose]) => ({ name: `${name} ${known}`, statement, table, whose })),
);

describe.each(PAGES)("a page of $name", ({ statement, table, whose }) => {
  beforeAll(async () => {
    await asSuperuser(statement);
  });
  const deep = {
    createdAt: new Date(Date.now() - 20_000_000).toISOString().replace("Z", "000Z"),
    id: randomUUID(),
  };

  test("is read in its order, and no statement reads more than 50 rows for each that it was asked for", async () => {
    for (const search of searches(table)) {
      for (const { after, ...range } of [{ after: undefined }, { ...RANGE, after: deep }]) {
        const query = { filter: { ...search, ...range, ...whose }, after, limit: LIMIT };
        const { plan, text } = await explain(table, query);
        const read = rowsRead(plan);
        const context = `${JSON.stringify(query)} read ${read} rows\n${text}`;
        // One more row shows that there is a next page, and each row has its latest operation.
        expect(read, context).toBeLessThanOrEqual((LIMIT + 1) * (READ_PER_ROW + 1));
        // No plan reads everything to sort it and drop most of it.
        expect(text, context).not.toContain("Sort");
        expect(text, context).not.toContain("Seq Scan");
      }
    }
  });

  test("that an index answers whole reads what it shows, and nothing else", async () => {
    const ofStatus = table.hasStatusIndex(whose) ? [{ status: "SUCCESS" }, { status: "REJECTED" }] : [];
    const lookUps = LOOK_UP_FILTERS.map((name) => ({ [name]: VALUES[name][0] }));
    for (const search of [{}, ...ofStatus, ...lookUps] as ListFilters[]) {
      const { plan, text } = await explain(table, { filter: { ...search, ...whose }, limit: LIMIT });
      // Each shown row may read at most one latest operation.
      expect(rowsRead(plan), `${JSON.stringify(search)}\n${text}`).toBeLessThanOrEqual(
        2 * plan["Actual Rows"] + 1,
      );
    }
  });
});

const pagesOf = ({ plan }: { plan: Plan }) => plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];

test("the last page of a range is read like its first", async () => {
  for (const [table, filter] of [
    [PAYMENTS, { merchantId: LARGE }],
    [PAYMENTS, { merchantId: LARGE, status: "SUCCESS" }],
    [OPERATORS_PAYMENTS, {}],
    [OPERATORS_REFUNDS, {}],
  ] as const) {
    const query = { filter: { ...filter, ...RANGE }, limit: LIMIT };
    const db = table.name === "refund" ? dbs.refunds : dbs.payments;
    const { rows: end } = await sql<{ createdAt: string; id: string }>`
      select created_at::text as "createdAt", ${sql.ref(table.id)} as id from ${sql.table(table.name)}
      where created_at >= ${RANGE.from} and created_at < ${RANGE.to}
        ${"merchantId" in filter ? sql`and merchant_id = ${filter.merchantId}` : sql``}
        ${"status" in filter ? sql`and state = ${filter.status}` : sql``}
      order by created_at, ${sql.ref(table.id)} offset ${LIMIT - 1} limit 1`.execute(db);
    const first = await explain(table, query);
    const deep = await explain(table, { ...query, after: end[0]! });
    // Entries of an index that are passed over are no rows of a plan, but they stand on pages.
    expect(deep.plan["Actual Rows"]).toBe(LIMIT - 1);
    expect(pagesOf(deep), deep.text).toBeLessThanOrEqual(pagesOf(first) + LIMIT);
  }
});

test("a payment's refunds and a merchant's checkouts are read by an index, too", async () => {
  for (const [table, filter] of [
    [REFUNDS, { merchantId: LARGE, parentPaymentId: randomUUID() }],
    [CHECKOUTS, { merchantId: LARGE }],
    [CHECKOUTS, { merchantId: LARGE, orderId: "order-1" }],
  ] as const) {
    const { text } = await explain(table, { filter, limit: LIMIT });
    expect(text).toContain("Index Scan");
  }
});

test("the status of the indexes is the status that merchants see", async () => {
  const shown = async (db: Kysely<never>, { status }: ListTable, states: readonly string[]) => {
    const { sql } = status.compile(db);
    const text = `select state, ${sql} as status from unnest($1::text[]) as state`;
    const { rows } = await db.executeQuery<{ state: string; status: string }>({
      ...status.compile(db),
      sql: text,
      parameters: [states],
    });
    return Object.fromEntries(rows.map(({ state, status: as }) => [state, as]));
  };
  expect(await shown(dbs.payments, PAYMENTS, PAYMENT_STATES)).toEqual(
    Object.fromEntries(PAYMENT_STATES.map((state) => [state, merchantStatus(state)])),
  );
  const refundStates = REFUND_STATES.filter((state) => state !== "RESERVING");
  expect(await shown(dbs.refunds, REFUNDS, refundStates)).toEqual(
    Object.fromEntries(refundStates.map((state) => [state, refundStatus(state)])),
  );
});

test.each([
  ["payments", OPERATORS_PAYMENTS],
  ["refunds", OPERATORS_REFUNDS],
] as const)("operators' %s of test mode are read without a live one", async (_name, table) => {
  const { plan, text } = await explain(table, { filter: {}, livemode: false, limit: LIMIT });
  expect(plan["Actual Rows"], text).toBe(LIMIT + 1);
  expect(rowsRead(plan), text).toBeLessThanOrEqual(4 * (LIMIT + 1));
});

test("operators' live payments are read past those of test mode", async () => {
  const { plan, text } = await explain(OPERATORS_PAYMENTS, { filter: {}, livemode: true, limit: LIMIT });
  expect(plan["Actual Rows"], text).toBe(LIMIT + 1);
  expect(rowsRead(plan), text).toBeLessThanOrEqual(TEST_ROWS + 4 * (LIMIT + 1));
});
