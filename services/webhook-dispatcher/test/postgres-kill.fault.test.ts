import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  provisionDatabase,
  roleNames,
  startPostgres,
  type RolePasswords,
} from "@holdfast/sandbox/infrastructure";
import { migrate } from "@holdfast/postgres";
import { eventually } from "@holdfast/tests/support";
import { expect, test } from "vitest";
import { brokenPromises } from "./broken-promises.ts";
import { startDispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";

test("PostgreSQL killed mid-run: nothing that was acknowledged is lost, and results that were come twice at most", async () => {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-postgres-kill-"));
  chmodSync(dir, 0o711);
  const options = { dataDir: join(dir, "data"), logFile: join(dir, "postgres.log"), durable: true };
  let postgres = await startPostgres(options);
  const passwords = Object.fromEntries(roleNames.map((role) => [role, role])) as RolePasswords;
  const superuserUrl = postgres.superuserUrl("postgres");
  const urls = await provisionDatabase({ superuserUrl, database: "holdfast", passwords });
  for (const [schema, service] of [
    ["webhooks", "webhook-dispatcher"],
    ["settlement", "settlement"],
  ] as const)
    await migrate(urls[schema].owner, schema, join(import.meta.dirname, "../..", service, "migrations"));
  const database = {
    name: "holdfast",
    superuserUrl: postgres.superuserUrl("holdfast"),
    urls,
    drop: async () => {},
  };
  const harness = await startDispatcherHarness(
    { WEBHOOK_LEASE: "3s", WEBHOOK_ATTEMPT_TIMEOUT: "1s" },
    { database },
  );

  const { merchantId, secret } = await harness.enable();
  const events = Array.from({ length: 60 }, () => newEvent({ merchantId }));
  await harness.publish(...events.slice(0, 30));
  await eventually(() => expect(harness.receiver.ledger.length).toBeGreaterThan(5));
  const killedAt = Date.now();
  postgres.kill();
  await postgres.exited;
  await harness.publish(...events.slice(30));
  postgres = await startPostgres({ ...options, port: postgres.port });

  await eventually(() => {
    const delivered = new Set(harness.receiver.ledger.map(({ headers }) => headers["x-event-id"]));
    expect(delivered.size).toBe(60);
  });
  await eventually(() => expect(new Set(harness.confirmed).size).toBe(60));
  const rules = {
    receivers: [{ merchantId, path: "/webhooks", secrets: [secret] }],
    retryDelaysMs: [30_000],
    // Results that were not on the disk yet are forgotten, and sent again.
    disturbances: [{ fromMs: killedAt, untilMs: killedAt }],
  };
  expect(await brokenPromises(harness, events, rules)).toEqual([]);
  await harness.close();
  await postgres.stop();
});
