import { fillShops, filledWith, markAsFilled } from "../years/filled-home.ts";
import { print, type Bench } from "./bench.ts";
import { whileNobodyLooks } from "./while-stopped.ts";

/** Fills the database with `--payments` of a year in every table, unless its home was filled before. */
export async function fillHome(bench: Bench): Promise<void> {
  const { home, sandbox, payments } = bench;
  const before = filledWith(home);
  if (before !== undefined) {
    print(`${before.toLocaleString("en")} payments are already there`);
    return;
  }
  const startedAt = performance.now();
  const merchantIds = sandbox.merchants.map(({ merchantId }) => merchantId);
  await whileNobodyLooks(bench, () => fillShops(sandbox.databaseUrl, payments, merchantIds));
  markAsFilled(home, payments);
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  print(`${payments.toLocaleString("en")} payments inserted in ${minutes} minutes`);
}
