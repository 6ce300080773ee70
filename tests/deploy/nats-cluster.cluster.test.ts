import { randomBytes, randomUUID, randomUUIDv7 } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pace } from "node:timers/promises";
import { EVENT_STREAM, operations } from "@holdfast/contracts";
import { keepStreamSchema, startStreamKeeper } from "@holdfast/installation";
import { localCertificates, spawnLogged, withParentDeathSignal } from "@holdfast/sandbox/infrastructure";
import { busOptions, connectBus, request, serve, type Bus } from "@holdfast/messaging";
import { confirmEventsHandler, createOutboxPool, outboxSettings, startOutboxRelay } from "@holdfast/outbox";
import { createReplyRecipient } from "@holdfast/sealing";
import { createPool } from "@holdfast/postgres";
import { createLogger, parseConfig, type RunningService } from "@holdfast/service-runtime";
import { createOperatorIdentity, createTestDatabase, eventually } from "../support/index.ts";
import { startLedgerReceiver } from "../support/index.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { startNatsCluster, type NatsCluster } from "./nats-cluster.ts";
import { holdfast } from "../support/holdfast.ts";

test("three nats-servers of the manifests: one is killed, then its data deleted, then another killed, and no webhook is lost", async () => {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-cluster-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const [cluster, database] = await Promise.all([startNatsCluster(dir), createTestDatabase()]);
  onTestFinished(() => cluster.stop());
  const keeper = await startKeeper(cluster);
  onTestFinished(() => keeper.stop());
  const owner = await startOwner(cluster, database.urls.payments.app, database.superuserUrl);
  onTestFinished(() => owner.stop());
  const merchant = await startMerchant(dir, cluster, database.urls.webhooks.app);
  onTestFinished(() => merchant.stop());

  const load = owner.startLoad(merchant.merchantId);
  const hasFlowed = async (count = 100) => {
    const goal = merchant.received().size + count;
    await eventually(() => expect(merchant.received().size).toBeGreaterThan(goal));
  };
  await hasFlowed();
  const leader = await eventually(() => owner.streamOf(3));

  await cluster.kill(leader);
  await hasFlowed();
  await cluster.restart(leader, { withoutData: true });
  await eventually(() => owner.streamOf(3));
  await hasFlowed();
  // Two of three copies are left only if the lost one was rebuilt.
  await cluster.kill((leader + 1) % 3);
  await hasFlowed();

  const sent = await load.end();
  expect(sent.size).toBeGreaterThan(400);
  await eventually(() => expect(sent.difference(merchant.received()).size).toBe(0));
  await eventually(async () => expect(await owner.unconfirmed()).toBe(0));
});

/**
 * Creates the stream, as in Kubernetes, as soon as the servers have agreed on a leader, and again if it were
 * missing.
 */
async function startKeeper(cluster: NatsCluster): Promise<RunningService> {
  const settings = parseConfig(keepStreamSchema, {
    ...cluster.environment("stream-keeper"),
    EVENT_STREAM_REPLICAS: "3",
    HEALTH_PORT: "0",
    LOG_LEVEL: "error",
  });
  return await startStreamKeeper(settings);
}

/** The owner of payments as far as events go: outbox, relay and confirmations, all of them its own code. */
async function startOwner(cluster: NatsCluster, url: string, superuserUrl: string) {
  const log = createLogger("payments", "silent");
  const superuser = new Client({ connectionString: superuserUrl });
  await superuser.connect();
  const pool = createPool({ url, connectionsMax: 2, applicationName: "load", log });
  const outboxPool = createOutboxPool({ url, applicationName: "payments", log });
  const bus = await connectAs(cluster, "payments");
  const settings = parseConfig(z.object(outboxSettings), {
    OUTBOX_REPUBLISH_AFTER: "2s",
    OUTBOX_POLL_INTERVAL: "5s",
  });
  const confirmations = await serve(bus, {
    service: "payments",
    permits: { external: 1_000, local: 1_000 },
    onHandled: () => {},
    handlers: [confirmEventsHandler("payments", outboxPool)],
  });
  const relay = startOutboxRelay({ pool: outboxPool, bus, source: "payments", settings, log });
  return {
    /** Commits an event every few milliseconds. */
    startLoad(merchantId: string) {
      const sent = new Set<string>();
      const ending = new AbortController();
      const running = (async () => {
        while (!ending.signal.aborted) {
          const { rows } = await pool.query<{ event_id: string }>(
            `insert into outbox (event_id, event_type, payment_id, merchant_id, status, body, traceparent)
             values (uuidv7(), 'payment.status_changed', $1, $2, 'SUCCESS', '{}', null) returning event_id`,
            [randomUUID(), merchantId],
          );
          sent.add(rows[0]!.event_id);
          relay.nudge();
          await pace(LOAD_INTERVAL_MS);
        }
      })();
      return {
        async end() {
          ending.abort();
          await running;
          return sent;
        },
      };
    },
    async unconfirmed() {
      const { rows } = await superuser.query<{ count: number }>(
        "select count(*)::int4 as count from payments.outbox where confirmed_at is null",
      );
      return rows[0]!.count;
    },
    /** @returns the number of the stream's leader, once so many servers have all of it. */
    async streamOf(replicas: number): Promise<number> {
      const manager = await jetstreamManager(bus.nats, { timeout: 1_000 });
      const { cluster: state } = await manager.streams.info(EVENT_STREAM.name);
      const current = (state?.replicas ?? []).filter((replica) => replica.current && !replica.offline).length;
      expect(current + 1).toBe(replicas);
      return Number(state!.leader!.at(-1));
    },
    async stop() {
      await relay.stop(1_000);
      await confirmations.stop(0);
      await bus.close(1_000);
      await Promise.all([pool.end(), outboxPool.end(), superuser.end()]);
    },
  };
}

const LOAD_INTERVAL_MS = 5;

/** The dispatcher as a process, a merchant who has webhooks on, and that merchant's HTTPS server. */
async function startMerchant(dir: string, cluster: NatsCluster, databaseUrl: string) {
  const files = await localCertificates(join(dir, "merchant"));
  const receiver = await startLedgerReceiver({
    cert: readFileSync(files.certFile),
    key: readFileSync(files.keyFile),
  });
  const identity = await createOperatorIdentity();
  const dispatcher = await spawnLogged({
    name: "webhook-dispatcher",
    command: withParentDeathSignal("KILL", await holdfast("run", "webhook-dispatcher")),
    env: {
      PATH: process.env.PATH,
      HEALTH_PORT: "0",
      LISTEN_HOST: "127.0.0.1",
      DATABASE_URL: databaseUrl,
      WEBHOOK_SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8,::1/128",
      WEBHOOK_ALLOWED_PORTS: "any",
      WEBHOOK_CA_FILE: files.caFile,
      WEBHOOK_RETRY_SCHEDULE: "300ms",
      ...(await identity.settings(join(dir, "operator-jwks.json"))),
      ...cluster.environment("webhook-dispatcher"),
    },
    logFile: join(dir, "webhook-dispatcher.log"),
  });
  const gateway = await connectAs(cluster, "gateway-operator");
  const merchantId = randomUUIDv7();
  const token = await identity.token();
  await eventually(() => turnWebhooksOn(gateway, token, merchantId, receiver.url));
  return {
    merchantId,
    received: () => new Set(receiver.ledger.map(({ headers }) => String(headers["x-event-id"]))),
    async stop() {
      await dispatcher.stop();
      await gateway.close(1_000);
      await receiver.close();
    },
  };
}

async function turnWebhooksOn(gateway: Bus, token: string, merchantId: string, url: string): Promise<void> {
  const context = { requestId: randomUUID(), deadlineAt: Date.now() + 5_000, operator: { token } };
  const reply = await request(
    gateway,
    operations.putMerchantWebhook.command,
    context,
    { merchantId, url, recipientKey: createReplyRecipient().publicKey },
    { waitUntil: Date.now() + 6_000, traceparent: "" },
  );
  expect(reply.outcome).toBe("done");
}

async function connectAs(cluster: NatsCluster, user: "payments" | "gateway-operator"): Promise<Bus> {
  const settings = cluster.environment(user) as ReturnType<NatsCluster["environment"]> & { NATS_URL: string };
  return await connectBus({ ...busOptions(settings), name: user });
}
