import { assetPath } from "@holdfast/assets";
import { auditForbidden, nudgeAfterEach, watchAuditHead } from "@holdfast/audit";
import {
  getRefund as getRefundCommand,
  operations,
  readMovements,
  refundNotified,
} from "@holdfast/contracts";
import { createListPool } from "@holdfast/lists";
import {
  busOptions,
  connectBus,
  followLogLevel,
  handler,
  logHandled,
  onNotice,
  serve,
  type ForbiddenAttempt,
} from "@holdfast/messaging";
import { createVerifyToken, staffAdmission } from "@holdfast/operator-token";
import {
  confirmEventsHandler,
  createOutboxPool,
  nudgeAfter,
  startOutboxRelay,
  startReconciliation,
} from "@holdfast/outbox";
import { awaitSchema, createDatabase, createPool, startClockWatch } from "@holdfast/postgres";
import {
  bankWaits,
  checkThat,
  dependencyServers,
  permitsOfOne,
  startHealth,
  startCertificateWatch,
  startPeriodicTask,
  startPurges,
  stopInOrder,
  type Logger,
  type RunningService,
} from "@holdfast/service-runtime";
import { createBusinessEvents } from "./business-events.ts";
import type { Config } from "./config.ts";
import type { RefundsDatabase } from "./database.ts";
import { listForOperator } from "./list/list-operator-refunds.ts";
import { listForMerchant } from "./list/list-merchant-refunds.ts";
import { getRefund } from "./refund/get-refund.ts";
import { createBeyondDeadline } from "./operator/beyond-deadline.ts";
import type { DecideDeps } from "./operator/decide-refund.ts";
import { operatorHandlers } from "./operator/operator-handlers.ts";
import { staffHandlers } from "./staff/staff-handlers.ts";
import { createPaymentsPort } from "./payments-port.ts";
import { readRefundMovements } from "./refund/movement-facts.ts";
import { createRefundBank } from "./refund/refund-bank.ts";
import { bringInquiryForward } from "./refund/refund-queries.ts";
import { permitsByAccount, shareBank } from "./refund/shared-bank.ts";
import { measureQueue } from "./recovery/measure-queue.ts";
import { startRecovery } from "./recovery/recovery-worker.ts";
import { retentionPolicy } from "./retention-policy.ts";
import { requestRefundByMerchant } from "./request/merchant-request.ts";
import type { RequestRefundDeps } from "./request/request-refund.ts";

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
  await awaitSchema(pool, "refunds", assetPath("services/refunds/migrations"), log);
  const outboxPool = createOutboxPool({
    url: config.DATABASE_URL,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: "refunds",
    log,
  });
  const listPool = createListPool({
    url: config.DATABASE_URL,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: "refunds",
    log,
  });
  const db = createDatabase<RefundsDatabase>(pool);
  const lists = createDatabase<RefundsDatabase>(listPool);
  const bus = await connectBus({
    ...busOptions(config),
    name: "refunds",
    onStatus: (bus) => log.warn({ bus }, "bus"),
  });
  followLogLevel(bus, "refunds", log);
  const { leaseMs } = bankWaits(config);
  const bank = createRefundBank(bus);
  const permitsOf = permitsByAccount({
    max: config.REFUND_CALLS_MAX,
    ofOneMax: permitsOfOne(config.REFUND_CALLS_MAX, config.ACQUIRER_CONNECTIONS_SHARE),
  });
  const outbox = { pool: outboxPool, bus, source: "refunds", settings: config, log } as const;
  const relay = startOutboxRelay(outbox);
  const events = createBusinessEvents(log, { undecidedOverdueAfterMs: config.UNDECIDED_OVERDUE_AFTER });
  const beyondDeadline = createBeyondDeadline({ now: Date.now, log });
  const deps: DecideDeps & RequestRefundDeps = {
    db,
    bank: shareBank(bank, permitsOf),
    payments: createPaymentsPort(bus, { timeoutMs: config.PAYMENTS_TIMEOUT }),
    events: {
      ...events,
      ended: nudgeAfter(relay, (refund) => events.ended(refund)),
      waiting(refund, attempt) {
        events.waiting(refund, attempt);
        recovery.nudge();
      },
    },
    view: { overdueAfterMs: config.UNRESOLVED_OVERDUE_AFTER },
    beyondDeadline,
    limits: {
      approverDailyMax: config.REFUND_APPROVER_DAILY_MAX ?? new Map(),
      scheduleMs: config.RECOVERY_SCHEDULE,
      // A step at the bank may be two calls, and has to end before its lease does.
      acquirerTimeoutMs: leaseMs / 3,
      leaseMs,
    },
    now: Date.now,
  };
  const clock = await startClockWatch({ pool, log, intervalMs: config.CLOCK_INTERVAL });
  const recovery = startRecovery(
    { ...deps, bank, log },
    { inFlightMax: config.RECOVERY_IN_FLIGHT_MAX, intervalMs: config.RECOVERY_INTERVAL, clock },
  );
  onNotice(bus, refundNotified, ({ refundId }) => {
    const brought = bringInquiryForward(db, refundId).then(() => recovery.nudge());
    brought.catch((error: unknown) =>
      log.warn(
        { refundId, error },
        "a refund of which the bank has sent a notification waits for its schedule",
      ),
    );
  });
  const auditWatch = watchAuditHead({ db, chain: "refunds", settings: config, log });
  // A request that has not ended for sure is due immediately.
  const requested = { nudge: () => [relay, recovery].forEach((each) => each.nudge()) };
  // Actions of people are audited, and some of them are events.
  const committed = { nudge: () => [auditWatch, requested].forEach((each) => each.nudge()) };
  const serving = await serve(bus, {
    service: "refunds",
    permits: { external: config.COMMANDS_IN_FLIGHT_MAX, local: config.LOCAL_COMMANDS_IN_FLIGHT_MAX },
    share: config.COMMANDS_IN_FLIGHT_SHARE,
    clock,
    operators: {
      verify: createVerifyToken(config, log),
      onForbidden: (attempt) => auditForbidden(db, attempt),
    },
    staff: staffAdmission(config, log, (attempt: ForbiddenAttempt) => auditForbidden(db, attempt)),
    onHandled: logHandled(log),
    handlers: [
      ...nudgeAfterEach(requested, [
        handler(operations.requestRefund.command, (message) => requestRefundByMerchant(deps, message)),
      ]),
      handler(getRefundCommand, ({ context, payload }) =>
        getRefund(db, context.merchant.merchantId, payload.refundId),
      ),
      handler(operations.listPaymentRefunds.command, ({ context, payload }) =>
        listForMerchant(lists, context.merchant.merchantId, payload),
      ),
      handler(operations.listRefunds.command, ({ context, payload }) =>
        listForOperator({ ...deps, lists }, context, payload),
      ),
      ...nudgeAfterEach(committed, [...operatorHandlers(deps), ...staffHandlers({ ...deps, lists })]),
      confirmEventsHandler("refunds", outboxPool),
      handler(readMovements.refunds, ({ payload }) => readRefundMovements(lists, payload)),
    ],
  });
  const tasks = [
    startCertificateWatch({ watched: dependencyServers(config), log }),
    recovery,
    beyondDeadline,
    auditWatch,
    startPeriodicTask("measure queue", {
      intervalMs: config.QUEUE_MEASURE_INTERVAL,
      round: () => measureQueue(deps),
      log,
    }),
    ...startPurges(retentionPolicy, { deps: db, settings: config, log }),
    ...startReconciliation(outbox),
  ];
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT, [
    clock.database,
    checkThat("bus", () => bus.isReady),
    clock.check,
  ]);

  return {
    healthPort: health.port,
    stop: () =>
      stopInOrder(health, [
        [serving, clock, ...tasks].map((each) => () => each.stop(config.DRAIN_TIMEOUT)),
        [() => relay.stop(RELAY_STOP_TIMEOUT_MS)],
        [() => bus.close(BUS_CLOSE_TIMEOUT_MS)],
        [pool, outboxPool, listPool].map((each) => () => each.end()),
      ]),
  };
}

const BUS_CLOSE_TIMEOUT_MS = 2_000;
const RELAY_STOP_TIMEOUT_MS = 1_000;
