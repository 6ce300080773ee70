import { escapeLiteral, type ClientBase } from "pg";

/** A statement's reads, as the server counted them; unlike a time, they are the same on a busy machine. */
export type PlanWork = {
  /** Rows of all nodes of the plan: those that they returned and those that they read in vain. */
  rows: number;
  /** Pages that were looked at, in memory or on disk. */
  pages: number;
};

type PlanNode = Record<string, unknown> & { Plans?: PlanNode[] };

/** Runs a statement, counts its reads, and rolls it back. The connection's settings decide the plan. */
export async function measurePlan(
  client: ClientBase,
  { text, values = [] }: { text: string; values?: unknown[] },
): Promise<PlanWork> {
  await client.query("begin");
  try {
    const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
      `explain (analyze, buffers, timing off, format json) ${text}`,
      values,
    );
    const { Plan: plan } = rows[0]!["QUERY PLAN"][0];
    return {
      rows: Math.round(rowsOf(plan)),
      pages: numberOf(plan, "Shared Hit Blocks") + numberOf(plan, "Shared Read Blocks"),
    };
  } finally {
    await client.query("rollback");
  }
}

type BatchValue = string | number | boolean | Date | Buffer | null;

/**
 * `execute` of a prepared statement that takes a batch, with an array for each column, so that the plan is
 * the connection's cached one, and not one for these rows.
 *
 * @param before the statement's parameters before the arrays.
 */
export function executeBatch<Column extends string>(
  name: string,
  {
    before = [],
    columns,
    rows,
  }: {
    before?: number[];
    columns: readonly (readonly [Column, string])[];
    rows: Partial<Record<Column, BatchValue>>[];
  },
): string {
  const arrays = columns.map(([column]) => `{${rows.map((row) => elementOf(row[column] ?? null)).join()}}`);
  return `execute ${name} (${[...before, ...arrays.map((array) => escapeLiteral(array))].join()})`;
}

/** A value within the text of an array. */
function elementOf(value: BatchValue): string {
  if (value === null) return "null";
  const text = Buffer.isBuffer(value)
    ? String.raw`\x${value.toString("hex")}`
    : value instanceof Date
      ? value.toISOString()
      : String(value);
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function rowsOf(node: PlanNode): number {
  const perLoop =
    numberOf(node, "Actual Rows") +
    numberOf(node, "Rows Removed by Filter") +
    numberOf(node, "Rows Removed by Join Filter") +
    numberOf(node, "Rows Removed by Index Recheck");
  const below = (node.Plans ?? []).map((child) => rowsOf(child));
  return below.reduce((sum, rows) => sum + rows, perLoop * numberOf(node, "Actual Loops"));
}

function numberOf(node: PlanNode, name: string): number {
  const value = node[name];
  return typeof value === "number" ? value : 0;
}
