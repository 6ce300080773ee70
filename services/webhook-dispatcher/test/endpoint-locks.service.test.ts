import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { WebhooksDatabase } from "../src/database.ts";
import { lockEndpoint } from "../src/endpoint/endpoint-queries.ts";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";

// Changes of endpoints beside each other, and beside the events of their merchant.
let harness: DispatcherHarness;
beforeAll(async () => {
  harness = await startDispatcherHarness();
});
afterAll(() => harness.close());

function database() {
  const url = harness.database.urls.webhooks.app;
  const log = createLogger("test", "silent");
  const pool = createPool({ url, connectionsMax: 2, applicationName: "test", log });
  onTestFinished(() => pool.end());
  return createDatabase<WebhooksDatabase>(pool);
}

test("events are accepted and sent while their endpoint is being changed", async () => {
  const receiver = await harness.startReceiver();
  const { merchantId } = await harness.enable(receiver.url);
  await database()
    .transaction()
    .execute(async (trx) => {
      expect(await lockEndpoint(trx, { merchantId, endpointId: merchantId })).toBeDefined();
      await harness.publish(newEvent({ merchantId }));
      await eventually(() => expect(receiver.ledger).toHaveLength(1));
    });
});
