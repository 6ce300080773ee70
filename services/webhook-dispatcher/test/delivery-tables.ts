import { createTestDatabase } from "@holdfast/tests/support";
import { Pool } from "pg";
import { onTestFinished } from "vitest";
import { leasesOf, newLeaseHolder } from "../src/delivery/lease-holder.ts";
import { PLAN_SETTINGS } from "../src/plan-settings.ts";

/** A database for one test, with connections of the superuser and of the dispatcher, which plans as it does in production. */
export async function startDeliveryTables() {
  const database = await createTestDatabase();
  const superuser = new Pool({ connectionString: database.superuserUrl });
  const given = { ...PLAN_SETTINGS, ...leasesOf(newLeaseHolder()) };
  const settings = Object.entries(given).map(([name, value]) => `-c ${name}=${value}`);
  const pool = new Pool({ connectionString: database.urls.webhooks.app, options: settings.join(" ") });
  onTestFinished(async () => {
    await Promise.all([superuser.end(), pool.end()]);
    await database.drop();
  });
  return { superuser, pool };
}
