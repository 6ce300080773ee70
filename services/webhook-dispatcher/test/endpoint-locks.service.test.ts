import { operations } from "@holdfast/contracts";
import { createDatabase, createPool } from "@holdfast/postgres";
import { createReplyRecipient } from "@holdfast/sealing";
import { createLogger } from "@holdfast/service-runtime";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { WebhooksDatabase } from "../src/database.ts";
import { lockEndpoint, lockEndpointsOf } from "../src/endpoint/endpoint-queries.ts";
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

test("a change that waits while the setting is taken back is refused", async () => {
  const { merchantId } = await harness.enable();
  await harness.operate(operations.setWebhookManagement.command, { merchantId, managedBy: "api" });
  const { publicKey: recipientKey } = createReplyRecipient();
  const [own, by] = [{ endpointId: merchantId }, { merchant: { merchantId } }];
  const { url } = await harness.startReceiver();
  const waiting = await database()
    .transaction()
    .execute(async (trx) => {
      await lockEndpointsOf(trx, merchantId);
      const asked = [
        harness.call(
          operations.createWebhook.command,
          { url, events: ["payment.captured"], recipientKey },
          by,
        ),
        harness.call(operations.changeWebhook.command, { ...own, url }, by),
        harness.call(operations.changeWebhook.command, { ...own, enabled: false, whileOff: "skip" }, by),
        harness.call(operations.rotateWebhookSecret.command, { ...own, recipientKey }, by),
        harness.call(operations.activateWebhookSecret.command, own, by),
        harness.call(operations.removeWebhook.command, own, by),
      ];
      await eventually(async () =>
        expect(
          await harness.query(
            `select from pg_locks where locktype = 'advisory' and not granted
               and database = (select oid from pg_database where datname = current_database())`,
          ),
        ).toHaveLength(asked.length),
      );
      await trx.updateTable("merchant_setting").set({ managed_by: "operators" }).execute();
      return asked;
    });
  for (const reply of await Promise.all(waiting))
    expect(reply).toMatchObject({ outcome: "problem", code: "webhook_change_not_allowed" });
});
