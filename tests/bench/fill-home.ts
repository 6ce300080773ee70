import { fillShops, filledWith, markAsFilled } from "../years/filled-home.ts";
import { print, type Bench } from "./bench.ts";

/** Fills the database with `--payments` of a year in every table, unless its home was filled before. */
export async function fillHome({ home, sandbox, payments }: Bench): Promise<void> {
  const before = filledWith(home);
  if (before !== undefined) {
    print(`${before.toLocaleString("en")} payments are already there`);
    return;
  }
  const startedAt = performance.now();
  await fillShops(
    sandbox.databaseUrl,
    payments,
    sandbox.merchants.map(({ merchantId }) => merchantId),
  );
  markAsFilled(home, payments);
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  print(`${payments.toLocaleString("en")} payments inserted in ${minutes} minutes`);
}
