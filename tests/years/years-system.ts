import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withClient } from "@holdfast/sandbox/infrastructure";
import {
  createTestDatabase,
  makeTestCertificates,
  startLedgerReceiver,
  startTestSystem,
} from "../support/index.ts";
import { allowSlowStatements, startTestInfrastructure } from "../support/template-database.ts";
import { fillShops } from "./fill-shops.ts";
import { logPlans, readPlans, type RanStatement } from "./logged-plans.ts";

export type YearsSystem = Awaited<ReturnType<typeof startYearsSystem>>;

/** All services on a PostgreSQL of their own, which has years of data and logs every plan; nothing runs yet. */
export async function startYearsSystem({ payments }: { payments: number }) {
  const database = await startNewDatabase(payments);
  const logFile = await withClient(database.superuserUrl, async (client) => {
    await allowSlowStatements(client);
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
    database: { name: "of years", ...database, drop: () => Promise.resolve() },
    env: {
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
    /** The statements of the services' roles so far, without the test's own as the superuser. */
    ranStatements: (): RanStatement[] =>
      readPlans(readFileSync(logFile, "utf8")).filter(({ role }) =>
        /^(console|gateway|payments|refunds|webhooks|settlement)_/.test(role),
      ),
    async close(): Promise<void> {
      await system.close();
      await receiver.close();
      await database.stop();
    },
  };
}

async function startNewDatabase(payments: number) {
  const infrastructure = await startTestInfrastructure({ backend: "embedded" });
  const { superuserUrl, urls } = await createTestDatabase(infrastructure.provided);
  await fillShops(superuserUrl, payments);
  return { superuserUrl, urls, stop: () => infrastructure.stop() };
}

const SERVICES = ["payments", "refunds", "webhook-dispatcher", "settlement"] as const;

/** Short intervals, so that every periodic task runs within the test. */
const HASTE = {
  ACCOUNT_REFRESH: "1s",
  BIN_TABLE_REFRESH: "1s",
  CHECKOUT_INTERVAL: "500ms",
  EXPIRY_INTERVAL: "500ms",
  FEED_INTERVAL: "500ms",
  FACT_COMPARE_INTERVAL: "5s",
  MATCH_INTERVAL: "500ms",
  OUTBOX_RECONCILE_INTERVAL: "1s",
  QUEUE_MEASURE_INTERVAL: "1s",
  UNRESOLVED_MEASURE_INTERVAL: "1s",
  WATCH_INTERVAL: "500ms",
};
