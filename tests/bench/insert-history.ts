import { withClient } from "@holdfast/sandbox/infrastructure";
import { insertPayments, insertRefunds } from "../lists/list-rows.ts";
import { print, type Bench } from "./bench.ts";

/** Inserts `rows` payments of the first merchant, and one refund for every twenty of them. */
export async function insertHistory({ rows, sandbox }: Bench): Promise<void> {
  const [merchant] = sandbox.merchants;
  await withClient(sandbox.databaseUrl, async (client) => {
    const query = (text: string, values?: unknown[]) => client.query(text, values);
    await query("set session_replication_role = replica; set synchronous_commit = off");
    const newest = Date.now() - 60_000;
    for (let done = 0; done < rows; done += BATCH) {
      const newestAt = new Date(newest - done * APART_MS);
      const batch = { merchantId: merchant!.merchantId, newestAt, apartMs: APART_MS, order: `bench-${done}` };
      await insertPayments(query, { ...batch, count: BATCH });
      await insertRefunds(query, { ...batch, count: BATCH / 20, apartMs: APART_MS * 20 });
    }
    await query("vacuum (analyze) payments.payment");
    await query("vacuum (analyze) refunds.refund");
  });
  print(`history: ${rows.toLocaleString("en")} payments, and one refund for every twenty of them`);
}

const BATCH = 100_000;
/** With a million rows the history is somewhat longer than the longest range of a search. */
const APART_MS = 3_000;
