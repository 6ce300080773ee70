import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withClient } from "@holdfast/sandbox/infrastructure";
import type { Client } from "pg";
import {
  createTestDatabase,
  makeTestCertificates,
  startLedgerReceiver,
  startTestSystem,
} from "../support/index.ts";
import { startTestInfrastructure } from "../support/template-database.ts";
import { fillYears } from "./fill-years.ts";
import { logPlans, readPlans, type RanStatement } from "./logged-plans.ts";

export type YearsSystem = Awaited<ReturnType<typeof startYearsSystem>>;

/** All services on a PostgreSQL of their own, which has years of data and logs every plan; nothing runs yet. */
export async function startYearsSystem({ payments }: { payments: number }) {
  const infrastructure = await startTestInfrastructure({ backend: "embedded" });
  const database = await createTestDatabase(infrastructure.provided);
  const logFile = await withClient(database.superuserUrl, async (client) => {
    await fill(client, payments);
    await logPlans(client);
    const { rows } = await client.query<{ directory: string }>(
      "select current_setting('data_directory') as directory",
    );
    return join(dirname(rows[0]!.directory), "postgres.log");
  });
  const certificates = await makeTestCertificates();
  const receiver = await startLedgerReceiver(certificates);
  const system = await startTestSystem({
    services: [...SERVICES, "gateway-merchant", "gateway-operator"],
    running: SERVICES,
    database: { ...database, drop: () => Promise.resolve() },
    env: {
      OPTIONAL_EVENTS: "true",
      ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
      WEBHOOK_CA_FILE: certificates.caFile,
      ...HASTE,
    },
  });
  const merchantApi = await system.start("gateway-merchant");
  const operatorApi = await system.start("gateway-operator");
  return {
    ...system,
    receiver,
    merchantApi,
    operatorApi,
    /** What the roles of the services have run so far; what the test itself asks as the superuser is left out. */
    ranStatements: (): RanStatement[] =>
      readPlans(readFileSync(logFile, "utf8")).filter(({ role }) =>
        /^(console|gateway|payments|refunds|webhooks|settlement)_/.test(role),
      ),
    async close(): Promise<void> {
      await system.close();
      await receiver.close();
      await infrastructure.stop();
    },
  };
}

/** Shops, of which one has six of ten payments. With millions of payments a year of them, otherwise a month. */
export async function fill(client: Client, payments: number): Promise<void> {
  const isLarge = payments >= 1_000_000;
  if (isLarge) for (const setting of WHILE_FILLING) await client.query(`alter system set ${setting}`);
  await client.query("select pg_reload_conf()");
  const merchantIds = Array.from({ length: 50 }, () => randomUUID());
  await fillYears((text, values) => client.query(text, values), {
    payments,
    days: isLarge ? 365 : 28,
    merchantIds,
    largestTenths: 6,
    // With few payments so many that all cases are far more than a page of them.
    chargedBackEvery: isLarge ? 50 : 10,
    indexesLast: isLarge,
  });
  await client.query(
    "insert into gateway.merchant (merchant_id, name, status) select id, 'Shop of years', 'ACTIVE' from unnest($1::uuid[]) as id",
    [merchantIds],
  );
  for (const setting of isLarge ? WHILE_FILLING : [])
    await client.query(`alter system reset ${setting.split(" ")[0]}`);
}

const WHILE_FILLING = ["autovacuum = off", "max_wal_size = '3GB'", "maintenance_work_mem = '512MB'"];

const SERVICES = ["payments", "refunds", "webhook-dispatcher", "settlement"] as const;

/** So that every periodic task runs within the test. */
const HASTE = {
  ACCOUNT_REFRESH: "1s",
  BIN_TABLE_REFRESH: "1s",
  CHECKOUT_INTERVAL: "500ms",
  EXPIRY_INTERVAL: "500ms",
  FACT_ASK_FIRST: "100ms",
  FACT_ASK_INTERVAL: "500ms",
  FACT_COMPARE_INTERVAL: "5s",
  MATCH_INTERVAL: "500ms",
  OUTBOX_RECONCILE_INTERVAL: "1s",
  QUEUE_MEASURE_INTERVAL: "1s",
  UNRESOLVED_MEASURE_INTERVAL: "1s",
  WATCH_INTERVAL: "500ms",
};
