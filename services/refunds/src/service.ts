import { createSimulatorAcquirer, observeAcquirer } from "@holdfast/acquirer";
import { getRefund as getRefundCommand, requestRefund as requestRefundCommand } from "@holdfast/contracts";
import { purgeIdempotencyKeys } from "@holdfast/idempotency";
import { busOptions, connectBus, handler, serve, type Handled } from "@holdfast/messaging";
import {
  confirmEventsHandler,
  createOutboxPool,
  startOutboxRelay,
  startReconciliation,
  type OutboxRelay,
} from "@holdfast/outbox";
import {
  createPool,
  startHealth,
  startPeriodicTask,
  type Logger,
  type RunningService,
} from "@holdfast/service-runtime";
import { createBusinessEvents, type BusinessEvents } from "./business-events.ts";
import type { Config } from "./config.ts";
import { createDatabase } from "./database.ts";
import { getRefund } from "./lookup/get-refund.ts";
import type { DecideDeps } from "./operator/decide-refund.ts";
import { operatorHandlers } from "./operator/operator-handlers.ts";
import { createPaymentsPort } from "./payments-port.ts";
import { measureQueue } from "./recovery/measure-queue.ts";
import { recoverDue } from "./recovery/recovery-worker.ts";
import { requestRefundByMerchant } from "./request/merchant-request.ts";

/** The whole object graph of the refunds service, wired by hand. */
// oxlint-disable-next-line max-lines-per-function -- the wiring reads best in one piece
export async function startRefunds(
  config: Config,
  log: Logger,
): Promise<RunningService & { healthPort: number }> {
  const pool = createPool({
    url: config.DATABASE_URL,
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: "refunds",
    log,
  });
  const outboxPool = createOutboxPool({
    url: config.DATABASE_URL,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: "refunds",
    log,
  });
  const db = createDatabase(pool);
  const bus = await connectBus({
    ...busOptions(config),
    name: "refunds",
    onStatus: (bus) => log.warn({ bus }, "bus"),
  });
  const simulator = createSimulatorAcquirer({
    url: config.ACQUIRER_URL,
    connectTimeoutMs: ACQUIRER_CONNECT_TIMEOUT_MS,
    connectionsMax: config.ACQUIRER_CONNECTIONS_MAX,
  });
  const acquirer = observeAcquirer(simulator, { url: config.ACQUIRER_URL });
  const outbox = { pool: outboxPool, bus, source: "refunds", settings: config, log } as const;
  const relay = startOutboxRelay(outbox);
  const deps: DecideDeps = {
    db,
    acquirer,
    payments: createPaymentsPort(bus, { timeoutMs: config.PAYMENTS_TIMEOUT }),
    events: nudgingRelay(
      createBusinessEvents(log, { undecidedOverdueAfterMs: config.UNDECIDED_OVERDUE_AFTER }),
      relay,
    ),
    view: {
      twoAbove: config.REFUND_TWO_APPROVERS_ABOVE ?? new Map(),
      overdueAfterMs: config.UNRESOLVED_OVERDUE_AFTER,
    },
    scheduleMs: config.RECOVERY_SCHEDULE,
    // Each phase is under a lease of its own length, and has to end before it does.
    acquirerTimeoutMs: Math.min(config.ACQUIRER_TIMEOUT, config.LEASE_DURATION / 2),
    leaseMs: config.LEASE_DURATION,
    now: Date.now,
    log,
  };
  const serving = await serve(bus, {
    service: "refunds",
    version: "0.1.0",
    inFlightMax: config.COMMANDS_IN_FLIGHT_MAX,
    onHandled: (handled) => logHandled(log, handled),
    handlers: [
      handler(requestRefundCommand, (message) => requestRefundByMerchant(deps, message)),
      handler(getRefundCommand, ({ context, payload }) =>
        getRefund(db, context.merchant.merchantId, payload.refundId),
      ),
      ...operatorHandlers(deps),
      confirmEventsHandler("refunds", outboxPool),
    ],
  });
  const tasks = [
    startPeriodicTask("recovery", {
      intervalMs: config.RECOVERY_INTERVAL,
      round: () => recoverDue(deps),
      log,
    }),
    startPeriodicTask("measure queue", {
      intervalMs: config.QUEUE_MEASURE_INTERVAL,
      round: () => measureQueue(deps),
      log,
    }),
    startPeriodicTask("purge idempotency keys", {
      intervalMs: PURGE_INTERVAL_MS,
      round: () => purgeIdempotencyKeys(db, { olderThanMs: config.IDEMPOTENCY_RETENTION }),
      log,
    }),
    ...startReconciliation(outbox),
  ];
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT, [
    { name: "database", check: async () => void (await pool.query("select 1")) },
    { name: "bus", check: () => assertUp(bus.connected) },
  ]);

  return {
    healthPort: health.port,
    async stop() {
      health.markDraining();
      await Promise.all([
        serving.stop(config.DRAIN_TIMEOUT),
        ...tasks.map((task) => task.stop(config.DRAIN_TIMEOUT)),
      ]);
      await relay.stop(RELAY_STOP_TIMEOUT_MS);
      await bus.close(BUS_CLOSE_TIMEOUT_MS);
      await acquirer.close();
      await Promise.all([pool.end(), outboxPool.end()]);
      await health.close();
    },
  };
}

const PURGE_INTERVAL_MS = 3_600_000;
const ACQUIRER_CONNECT_TIMEOUT_MS = 2_000;
const BUS_CLOSE_TIMEOUT_MS = 2_000;
const RELAY_STOP_TIMEOUT_MS = 1_000;

/** An event is on its way as soon as it is committed, and not when the relay next looks. */
function nudgingRelay(events: BusinessEvents, relay: OutboxRelay): BusinessEvents {
  return {
    ...events,
    ended(refund) {
      events.ended(refund);
      relay.nudge();
    },
  };
}

function assertUp(up: boolean): void {
  if (!up) throw new Error("down");
}

/** Business events have their own lines; what a handler could not do is written here. */
function logHandled(log: Logger, { outcome, subject, context, durationMs, error }: Handled): void {
  if (outcome === "done" || outcome === "pending" || outcome === "problem") return;
  log.warn(
    {
      outcome,
      subject,
      durationMs,
      error,
      requestId: context?.requestId,
      merchantId: context && "merchant" in context ? context.merchant.merchantId : undefined,
    },
    "command not carried out",
  );
}
