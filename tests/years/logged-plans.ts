import type { Client } from "pg";

/** A statement as it ran, with its reads and rows. */
export type RanStatement = {
  /** The role that sent it, or on whose behalf a function did. */
  role: string;
  /** The statement on one line. */
  text: string;
  /** Rows of tables that it looked at, whether it kept them or not. */
  read: number;
  /** Rows that it returned or changed. */
  returned: number;
  /** Pages that were looked at to read those rows, in memory or on disk. */
  pages: number;
  /** The plan in a line for each node. */
  outline: string;
};

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  Operation?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
  Plans?: Plan[];
};

/**
 * Makes every session of the server log the plan and reads of every statement from now on, including
 * statements within functions.
 */
export async function logPlans(client: Client): Promise<void> {
  // The module's settings exist once it is loaded.
  await client.query("load 'auto_explain'");
  for (const [name, value] of Object.entries(PLAN_SETTINGS))
    await client.query(`alter system set ${name} = '${value}'`);
  await client.query("select pg_reload_conf()");
}

const PLAN_SETTINGS = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_buffers": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_format": "json",
  log_line_prefix: "%u|",
};

/** Reads the server's log, in which a plan is a line that says so and the lines after it that begin with a tab. */
export function readPlans(log: string): RanStatement[] {
  const entries: { role: string; json: string[] }[] = [];
  let current: string[] | undefined;
  for (const line of log.split("\n")) {
    if (line.startsWith("\t")) {
      current?.push(line);
      continue;
    }
    const [, role] = /^(\w*)\|LOG: {2}duration: [\d.]+ ms {2}plan:$/.exec(line) ?? [];
    current = role === undefined ? undefined : [];
    if (role !== undefined && current) entries.push({ role, json: current });
  }
  return entries.map(({ role, json }) => statementOf(role, json.join("\n")));
}

function statementOf(role: string, json: string): RanStatement {
  const { "Query Text": text, Plan: plan } = JSON.parse(json) as { "Query Text": string; Plan: Plan };
  return {
    role,
    text: text.replace(/\s+/g, " ").trim(),
    read: Math.round(sumOf(plan, readBy)),
    returned: Math.round(Math.max(rowsOf(plan), sumOf(plan, changedBy))),
    pages: sumOf(plan, pagesOf),
    outline: outlineOf(plan),
  };
}

function sumOf(plan: Plan, of: (plan: Plan) => number): number {
  return (plan.Plans ?? []).reduce((sum, below) => sum + sumOf(below, of), of(plan));
}

function rowsOf(plan: Plan): number {
  return (plan["Actual Rows"] ?? 0) * (plan["Actual Loops"] ?? 0);
}

/**
 * Rows that a node reads from its table: a bitmap's index counts with the node above it, and other nodes pass rows on.
 */
function readBy(plan: Plan): number {
  if (!plan["Relation Name"] || plan.Operation) return 0;
  const removed = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
  return rowsOf(plan) + removed * (plan["Actual Loops"] ?? 0);
}

function changedBy(plan: Plan): number {
  return plan.Operation ? (plan.Plans ?? []).reduce((sum, below) => sum + rowsOf(below), 0) : 0;
}

/** Pages read by a node; the pages that a change writes are many for each row, one for each index. */
function pagesOf(plan: Plan): number {
  const isRead = plan["Relation Name"] !== undefined && !plan.Operation;
  return isRead ? (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0) : 0;
}

function outlineOf(plan: Plan, depth = 0): string {
  const { "Node Type": type, "Relation Name": table = "", "Index Name": index = "" } = plan;
  const removed = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
  const counts = `rows=${plan["Actual Rows"] ?? 0} loops=${plan["Actual Loops"] ?? 0} removed=${removed} pages=${pagesOf(plan)}`;
  const line = `${"  ".repeat(depth)}${[type, table, index].filter(Boolean).join(" ")} ${counts}`;
  return [line, ...(plan.Plans ?? []).map((below) => outlineOf(below, depth + 1))].join("\n");
}
