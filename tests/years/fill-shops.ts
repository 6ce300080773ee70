import { randomUUID } from "node:crypto";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { fillYears } from "./fill-years.ts";

/**
 * Fills shops, of which the first has six of ten payments: a year of millions of payments, otherwise a month.
 */
export async function fillShops(databaseUrl: string, payments: number): Promise<void> {
  const isLarge = payments >= 1_000_000;
  const merchantIds = Array.from({ length: SHOPS }, () => randomUUID());
  await fillYears(databaseUrl, {
    payments,
    days: isLarge ? 365 : 28,
    merchantIds,
    largestTenths: 6,
    // Enough cases in a small shop for far more than a page.
    chargedBackEvery: isLarge ? 50 : 10,
    inBulk: isLarge,
  });
  await withClient(databaseUrl, (client) =>
    client.query(
      "insert into gateway.merchant (merchant_id, name, status) select id, 'Shop of years', 'ACTIVE' from unnest($1::uuid[]) as id",
      [merchantIds],
    ),
  );
}

const SHOPS = 50;
