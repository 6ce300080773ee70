import { assetPath } from "@holdfast/assets";
import { auditForbidden, nudgeAfterEach, watchAuditHead } from "@holdfast/audit";
import {
  busOptions,
  connectBus,
  followLogLevel,
  logHandled,
  serve,
  type ForbiddenAttempt,
} from "@holdfast/messaging";
import { createVerifyToken, staffAdmission } from "@holdfast/operator-token";
import { createStreamMeasurement } from "@holdfast/outbox";
import {
  awaitSchema,
  createDatabase,
  createPool,
  refuseMissingKeys,
  startClockWatch,
} from "@holdfast/postgres";
import {
  checkThat,
  dependencyServers,
  startHealth,
  startCertificateWatch,
  startPeriodicTask,
  stopInOrder,
  type Logger,
  type RunningService,
} from "@holdfast/service-runtime";
import { startEventConsumer } from "./accept/event-consumer.ts";
import { warnOfFailing } from "./accept/warn-of-endpoints.ts";
import { createBusinessEvents } from "./business-events.ts";
import { createClock, SKEW_STOP_MS, type Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { WebhooksDatabase } from "./database.ts";
import { attemptTimes, type AttemptTimes } from "./delivery/attempt-times.ts";
import { deliver } from "./delivery/deliver.ts";
import { startDeliveryWorker } from "./delivery/delivery-worker.ts";
import { reapDeliveries } from "./delivery/reap-deliveries.ts";
import { leasesOf, newLeaseHolder, watchLeases } from "./delivery/lease-holder.ts";
import { HealthReports } from "./delivery/health-reports.ts";
import { createResultRecorder } from "./delivery/record-results.ts";
import { readEndpoint } from "./endpoint/endpoint-queries.ts";
import { createSecretOpener } from "./endpoint/endpoint-secrets.ts";
import { keepHealth } from "./delivery/keep-health.ts";
import { secretKeysInUse } from "./endpoint/secret-keys-in-use.ts";
import { shareReadings } from "./endpoint/shared-readings.ts";
import { createLookup, type Lookup } from "./http-client/resolve-target.ts";
import { createWebhookClient } from "./http-client/webhook-client.ts";
import { measureState } from "./measure.ts";
import { merchantHandlers } from "./merchant/merchant-handlers.ts";
import { operatorHandlers } from "./operator/operator-handlers.ts";
import { staffHandlers } from "./staff/staff-handlers.ts";
import { PLAN_SETTINGS } from "./plan-settings.ts";
import { startWhileClockIsRight } from "./pause-consumer.ts";
import { createProgress } from "./progress.ts";
import { maintainPartitions } from "./maintain-partitions.ts";

export type WebhookDispatcher = RunningService & { healthPort: number };

/** Replacements of the clock, of DNS and of the time for connecting, for tests. */
export type Overrides = { clock?: Clock; lookup?: Lookup; connectMaxMs?: number };

/** The whole object graph of the webhook dispatcher, wired by hand. */
// oxlint-disable-next-line max-lines-per-function -- the wiring reads best in one piece
export async function startWebhookDispatcher(
  config: Config,
  log: Logger,
  {
    clock = createClock(),
    connectMaxMs,
    lookup = createLookup({
      servers: config.WEBHOOK_DNS_SERVERS,
      timeoutMs: timesOf(config, connectMaxMs).connectMs,
    }),
  }: Overrides = {},
): Promise<WebhookDispatcher> {
  const poolOptions = {
    url: config.DATABASE_URL,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: "webhook-dispatcher",
    log,
  };
  const leaseHolder = newLeaseHolder();
  const pool = createPool({
    ...poolOptions,
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    settings: { ...PLAN_SETTINGS, ...leasesOf(leaseHolder) },
  });
  await awaitSchema(pool, "webhooks", assetPath("services/webhook-dispatcher/migrations"), log);
  // A crash of the database may lose results (see the recorder), but no accepted event.
  const resultsPool = createPool({
    ...poolOptions,
    applicationName: "webhook-dispatcher results",
    connectionsMax: 2,
    // One plan serves batches of any size. A claim needs its own plan for the endpoints that it names.
    settings: { ...PLAN_SETTINGS, plan_cache_mode: "force_generic_plan", synchronous_commit: "off" },
  });
  const db = createDatabase<WebhooksDatabase>(pool);
  const secretKeys = config.WEBHOOK_SECRET_KEYS;
  await refuseMissingKeys(db, secretKeysInUse(secretKeys), { abandoned: config.KEYS_ABANDONED, log });
  const openSecrets = createSecretOpener(secretKeys);
  const events = createBusinessEvents(log);
  const progress = createProgress(STUCK_AFTER_MS);
  const bus = await connectBus({
    ...busOptions(config),
    name: "webhook-dispatcher",
    onStatus: (bus) => log.warn({ bus }, "bus"),
  });
  followLogLevel(bus, "webhook-dispatcher", log);
  const { connectMs, attemptMs, leaseMarginMs, leaseMs } = timesOf(config, connectMaxMs);
  const rules = { allowedPorts: config.WEBHOOK_ALLOWED_PORTS, allowedCidrs: config.WEBHOOK_ALLOWED_CIDRS };
  const client = createWebhookClient({
    rules,
    lookup,
    attemptTimeoutMs: config.WEBHOOK_ATTEMPT_TIMEOUT,
    attemptBoundMs: attemptMs,
    connectTimeoutMs: connectMs,
    caFile: config.WEBHOOK_CA_FILE,
    onHandshake: () => events.handshake(),
  });
  const retention = retentionOf(config, events);
  await maintainPartitions(db, retention).catch((error: unknown) => events.claimFailed(error));
  const watch = await startClockWatch({
    pool,
    log,
    intervalMs: config.CLOCK_INTERVAL,
    now: () => clock.now() - clock.shiftMs,
    onMeasured(skewMs) {
      clock.measured(skewMs);
      if (Math.abs(skewMs) > SKEW_STOP_MS) events.tooSkewedToSend(skewMs);
    },
  });

  const leases = watchLeases(pool, leaseHolder, { leaseMs });
  // The dispatcher holds its lock before it has its first lease. While the database is unreachable there are
  // no leases, and the task tries again.
  await leases.look().catch((error: unknown) => log.warn({ error }, "the lease lock could not be taken yet"));
  const nudge = () => worker.nudge();
  const reports = new HealthReports(keepHealth({ pool: resultsPool, db, clock, nudge }));
  const retry = { delaysMs: config.WEBHOOK_RETRY_SCHEDULE };
  const shared = shareReadings((endpointId) => readEndpoint(db, endpointId));
  const delivering = { client, openSecrets, retry, clock, events, readEndpoint: shared };
  const limits = {
    leaseMs,
    leaseMarginMs,
    inFlightMax: config.WEBHOOK_SENDS_IN_FLIGHT_MAX,
    claimIntervalMs: config.WEBHOOK_CLAIM_INTERVAL,
    windowMs: config.WEBHOOK_RETRY_WINDOW,
    eventDays: config.WEBHOOK_EVENT_RETENTION_DAYS,
    activateAfterMs: config.WEBHOOK_SECRET_ACTIVATION,
    endpointsMax: config.WEBHOOK_ENDPOINTS_MAX,
  };
  const worker = startDeliveryWorker({
    deliver: (delivery) => deliver(delivering, delivery),
    pool,
    clock,
    events,
    progress,
    results: createResultRecorder(resultsPool),
    reports,
    limits,
  });
  const accepting = { pool, db, bus, clock, worker, events, progress, limits };
  const startConsumer = () => startEventConsumer(accepting);
  const consumer = startWhileClockIsRight(startConsumer, watch, progress);
  const auditWatch = watchAuditHead({ db, chain: "webhooks", settings: config, log });
  const commands = { db, secretKeys, openSecrets, urls: { rules, lookup }, clock, client, limits, nudge };
  const serving = await serve(bus, {
    service: "webhooks",
    permits: { external: config.COMMANDS_IN_FLIGHT_MAX, local: config.LOCAL_COMMANDS_IN_FLIGHT_MAX },
    share: config.COMMANDS_IN_FLIGHT_SHARE,
    clock: watch,
    operators: {
      verify: createVerifyToken(config, log),
      onForbidden: (attempt) => auditForbidden(db, attempt),
    },
    staff: staffAdmission(config, log, (attempt: ForbiddenAttempt) => auditForbidden(db, attempt)),
    onHandled: logHandled(log),
    // A merchant's own changes and tests append to the audit log, too.
    handlers: nudgeAfterEach(auditWatch, [
      ...operatorHandlers(commands),
      ...merchantHandlers(commands),
      ...staffHandlers(commands),
    ]),
  });
  const warn = async () => {
    const warnAfterMs = config.WEBHOOK_WARN_AFTER;
    const { windowMs } = limits;
    const warned = await warnOfFailing({ db, warnAfterMs, windowMs, shiftMs: clock.shiftMs });
    if (warned > 0) events.warned(warned);
  };
  const task = (operation: string, intervalMs: number | (() => number), round: () => Promise<unknown>) =>
    startPeriodicTask(operation, { intervalMs, round, log });
  let isQuiet = false;
  const untilMeasured = () => (isQuiet ? MEASURE_QUIET_INTERVAL_MS : MEASURE_INTERVAL_MS);
  const measureStream = createStreamMeasurement();
  const tasks = [
    startCertificateWatch({ watched: dependencyServers(config), log }),
    task("reap", config.WEBHOOK_REAP_INTERVAL, async () => {
      const reaped = await reapDeliveries(db, clock, limits.eventDays);
      events.reaped(reaped);
      if (reaped.expiredLeases > 0) nudge();
    }),
    task("watch leases", leases.untilNextLook, async () => {
      const expiredLeases = await leases.look();
      if (expiredLeases === 0) return;
      events.reaped({ expiredLeases, failed: 0, cancelled: 0, removed: 0 });
      worker.nudge();
    }),
    task("report health", config.WEBHOOK_REAP_INTERVAL, () => reports.flush()),
    task("warn of endpoints", WARN_EVERY * config.WEBHOOK_REAP_INTERVAL, () => warn()),
    task("measure state", untilMeasured, async () => {
      isQuiet = await measureState(db, worker.queue, events);
    }),
    task("measure stream", MEASURE_INTERVAL_MS, () => measureStream(bus.nats)),
    task("keep partitions", PARTITIONS_INTERVAL_MS, () => maintainPartitions(db, retention)),
  ];
  const health = await startHealth(
    config.LISTEN_HOST,
    config.HEALTH_PORT,
    [watch.database, checkThat("bus", () => bus.isReady), watch.check],
    () => progress.stuck(),
  );

  return {
    healthPort: health.port,
    stop() {
      const drainMs = Math.min(config.DRAIN_TIMEOUT, DRAIN_MAX_MS);
      return stopInOrder(health, [
        [consumer, serving, worker].map((each) => () => each.stop(drainMs)),
        [watch, auditWatch, ...tasks].map((each) => () => each.stop(TASK_STOP_MS)),
        [() => client.close(), () => reports.flush().catch((error: unknown) => events.recordFailed(error))],
        [() => bus.close(BUS_CLOSE_TIMEOUT_MS), () => leases.stop()],
        [pool, resultsPool].map((each) => () => each.end()),
      ]);
    },
  };
}

function timesOf(config: Config, connectMaxMs?: number): AttemptTimes {
  return attemptTimes(config.WEBHOOK_ATTEMPT_TIMEOUT, config.WEBHOOK_LEASE, connectMaxMs);
}

const STUCK_AFTER_MS = 30_000;
const MEASURE_INTERVAL_MS = 15_000;
const MEASURE_QUIET_INTERVAL_MS = 60_000;
/** A warning comes after an hour, so that a minute is soon. */
const WARN_EVERY = 6;
const PARTITIONS_INTERVAL_MS = 3_600_000;
/** The longest attempt is over by then. */
const DRAIN_MAX_MS = 8_000;
const TASK_STOP_MS = 1_000;
const BUS_CLOSE_TIMEOUT_MS = 2_000;

function retentionOf(config: Config, events: ReturnType<typeof createBusinessEvents>) {
  return {
    eventDays: config.WEBHOOK_EVENT_RETENTION_DAYS,
    attemptDays: config.WEBHOOK_ATTEMPT_RETENTION_DAYS,
    events,
  };
}
