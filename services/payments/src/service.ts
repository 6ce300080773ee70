import { assetPath } from "@holdfast/assets";
import { auditForbidden, nudgeAfterEach, watchAuditHead } from "@holdfast/audit";
import { createCardOpener, createRingRecipient } from "@holdfast/sealing";
import { merchantOperations } from "@holdfast/contracts";
import {
  busOptions,
  connectBus,
  followLogLevel,
  handler,
  logHandled,
  serve,
  type ForbiddenAttempt,
} from "@holdfast/messaging";
import { createVerifyToken, staffAdmission } from "@holdfast/operator-token";
import { confirmEventsHandler, nudgeAfter, startOutboxRelay, startReconciliation } from "@holdfast/outbox";
import { awaitSchema, createDatabase, startClockWatch } from "@holdfast/postgres";
import {
  bankWaits,
  checkThat,
  dependencyServers,
  startHealth,
  startCertificateWatch,
  startPeriodicTask,
  startPurges,
  stopInOrder,
  type Logger,
  type RunningService,
} from "@holdfast/service-runtime";
import { notificationHandlers } from "./unknown/notification/notification-handlers.ts";
import { createCurrentBins } from "./accept/bins/current-bins.ts";
import { lookUpBin } from "./accept/bins/look-up-bin.ts";
import { createBusinessEvents, type BusinessEvents } from "./payment/business-events.ts";
import { chargebackHandlers } from "./follow-up/chargeback/chargeback-handlers.ts";
import { checkoutHandlers, type CheckoutDeps } from "./accept/checkout/checkout-handlers.ts";
import { startClosingCheckouts } from "./accept/checkout/conclude-checkout.ts";
import type { Config } from "./config.ts";
import { accountHandlers, probeHandlers } from "./people/accounts/account-handlers.ts";
import { refuseMissingSealingKeys } from "./keys.ts";
import { createRouting } from "./bank/account/routing.ts";
import { startAccounts } from "./bank/calls/connect-acquirer.ts";
import { connectPools } from "./connect-pools.ts";
import type { PaymentsDatabase } from "./database.ts";
import { connectLists } from "./people/list/connect-lists.ts";
import { listHandlers } from "./people/list/list-payments.ts";
import { getPayment } from "./unknown/recovery/get-payment.ts";
import { createMerchantOperations } from "./follow-up/operation/merchant-operations.ts";
import { reservationHandlers } from "./follow-up/refund-reservation/reservation-handlers.ts";
import { operatorHandlers } from "./people/operator/operator-handlers.ts";
import { startFingerprints } from "./accept/fingerprint/fingerprint-ring.ts";
import { createPaymentWrites } from "./payment/payment-writes.ts";
import { staffHandlers } from "./people/staff/staff-handlers.ts";
import { createThreeDs } from "./accept/three-ds/three-ds-handlers.ts";
import { authorizationHandlers } from "./accept/authorization/authorization-handlers.ts";
import { createAdmission } from "./accept/authorization/admit-payment.ts";
import { createAuthorization } from "./accept/authorization/authorize-payment.ts";
import { startMeasuringUnanswered } from "./follow-up/chargeback/measure-unanswered.ts";
import { measureUnresolved } from "./unknown/recovery/measure-unresolved.ts";
import { createMerchantRules } from "./accept/rules/enforce-rules.ts";
import { retentionPolicy } from "./retention/retention-policy.ts";
import type { RecoveryWorkerDeps } from "./unknown/recovery/recovery-worker.ts";
import { startUpkeep } from "./start-upkeep.ts";

/** The whole object graph of the payments service, wired by hand. */
// oxlint-disable-next-line max-lines-per-function -- the wiring reads best in one piece
export async function startPayments(
  config: Config,
  log: Logger,
): Promise<RunningService & { healthPort: number }> {
  const { pool, writePool, outboxPool } = connectPools(config, log);
  await awaitSchema(pool, "payments", assetPath("services/payments/migrations"), log);
  const lists = connectLists(config, log);
  const db = createDatabase<PaymentsDatabase>(pool);
  const { ring: fingerprintKeys, keyRecorder } = await startFingerprints(db, config, log);
  await refuseMissingSealingKeys(db, config, log);
  const bus = await connectBus({
    ...busOptions(config),
    name: "payments",
    onStatus: (bus) => log.warn({ bus }, "bus"),
  });
  followLogLevel(bus, "payments", log);
  const outbox = { pool: outboxPool, bus, source: "payments", settings: config, log } as const;
  const relay = startOutboxRelay(outbox);
  const businessEvents = createBusinessEvents(log);
  const events = {
    ...businessEvents,
    operationEnded: nudgeAfter<Parameters<BusinessEvents["operationEnded"]>, void>(relay, (...end) =>
      businessEvents.operationEnded(...end),
    ),
    // The payment may belong to a checkout that nobody reads.
    unknownConcluded(...concluded: Parameters<BusinessEvents["unknownConcluded"]>): void {
      businessEvents.unknownConcluded(...concluded);
      closing.nudge();
    },
    challengeShown: nudgeAfter<Parameters<BusinessEvents["challengeShown"]>, void>(relay, (...shown) =>
      businessEvents.challengeShown(...shown),
    ),
  };
  const { leaseMs } = bankWaits(config);
  const times = { leaseMs, expireAfterMs: config.AUTHORIZATION_EXPIRES_AFTER };
  const writes = createPaymentWrites({ pool: writePool, db, relay }, times);
  const { banks, bankFor, accounts, accountOf, defaults, connecting, upkeep } = await startAccounts(config, {
    db,
    log,
  });
  const clock = await startClockWatch({ pool, log, intervalMs: config.CLOCK_INTERVAL });
  const auditWatch = watchAuditHead({ db, chain: "payments", settings: config, log });
  const bins = createCurrentBins(db, log);
  // The table is read before the first payment. Without a database nothing can be claimed either.
  await bins.refresh().catch((error: unknown) => log.warn({ error }, "the BIN table could not be read yet"));
  const { HOME_COUNTRY: homeCountry } = config;
  const common = { db, writes, events, now: Date.now };
  const cards = createCardOpener(config.CARD_SEALING_KEYS);
  // The connections for requests of merchants, their staff and buyers; upkeep and refunds have their own.
  const bank = bankFor("payments");
  const rules = createMerchantRules({ ...common, pool: writePool });
  const findRoute = createRouting(accounts, banks, Date.now);
  const claims = { bins: bins.table, fingerprintKeys, homeCountry };
  const admission = createAdmission({ ...common, cards, bank, findRoute, rules, claims });
  const limits = {
    leaseMs,
    overdueAfterMs: config.UNRESOLVED_OVERDUE_AFTER,
    firstInquiryMs: config.RECOVERY_SCHEDULE[0] ?? 0,
    sessionMs: config.THREE_DS_SESSION_DURATION,
    scheduleMs: config.RECOVERY_SCHEDULE,
    adoptWithinMs: config.ADOPT_WITHIN,
    reverseUnseenAfterMs: config.REVERSE_UNSEEN_AFTER,
  };
  const paying = { ...common, bank, admission, limits };
  const authorization = createAuthorization(paying);
  const threeDs = createThreeDs(paying);
  const finishing = { ...common, limits, maySend: true };
  const recovery: RecoveryWorkerDeps = { ...finishing, bank: bankFor("upkeep") };
  const operations = createMerchantOperations({ ...finishing, bank, accountOf, fingerprintKeys });
  const twoAbove = config.REFUND_TWO_APPROVERS_ABOVE ?? new Map<string, bigint>();
  const lookUps = { bins: bins.table, homeCountry, findRoute };
  const checkouts: CheckoutDeps = {
    ...common,
    cards,
    lookUps,
    fingerprintKeys,
    lists: lists.db,
    paying: { ...authorization, enrol: threeDs.enrol },
    limits: {
      checkoutAttemptsMax: config.CHECKOUT_ATTEMPTS_MAX,
      linkAttemptsMax: config.PAYMENT_LINK_ATTEMPTS_MAX,
      checkoutExpiresAfterMs: config.CHECKOUT_EXPIRES_AFTER,
    },
  };
  const { recovery: recovering, tasks: upkeepTasks } = startUpkeep(recovery, { config, upkeep, clock, log });
  const closing = startClosingCheckouts(checkouts, {
    intervalMs: config.CHECKOUT_INTERVAL,
    onClosed: () => relay.nudge(),
    clock,
    log,
  });
  const worked = { nudge: () => [recovering, closing].forEach((each) => each.nudge()) };
  // Actions of people are audited, and some of them are events.
  const committed = { nudge: () => [auditWatch, relay].forEach((each) => each.nudge()) };
  const serving = await serve(bus, {
    service: "payments",
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
      // Each of these may leave a payment undecided or due, or may end a checkout's payment; even a read may
      // ask the bank.
      ...nudgeAfterEach(worked, [
        ...authorizationHandlers(authorization),
        ...threeDs.handlers,
        ...operations.handlers,
        ...nudgeAfterEach(relay, checkoutHandlers(checkouts)),
        handler(merchantOperations.getPayment.command, ({ context, payload }) =>
          getPayment({ ...finishing, bank }, context.merchant.merchantId, payload.paymentId),
        ),
        ...notificationHandlers({ ...connecting, db, accounts, bus, log }),
        ...nudgeAfterEach(committed, [
          ...operatorHandlers({ ...recovery, limits }),
          ...staffHandlers({ ...checkouts, operations, limits: { ...checkouts.limits, ...limits } }),
          ...chargebackHandlers({
            db,
            fileKeys: config.FILE_KEYS,
            recipient: createRingRecipient(config.FILE_KEYS),
            twoAbove: config.CHARGEBACK_TWO_PEOPLE_ABOVE ?? new Map(),
          }),
          ...accountHandlers({ ...connecting, db, defaults, refresh: () => accounts.refresh() }),
          ...probeHandlers({ ...connecting, db, bank, now: Date.now }),
        ]),
      ]),
      ...listHandlers({ lists: lists.db, limits }),
      handler(merchantOperations.getBin.command, async ({ context, payload }) =>
        lookUpBin(lookUps, context.merchant.merchantId, payload),
      ),
      ...nudgeAfterEach(auditWatch, reservationHandlers({ ...common, bank: bankFor("refunds"), twoAbove })),
      confirmEventsHandler("payments", outboxPool),
    ],
  });
  const tasks = [
    auditWatch,
    startCertificateWatch({ watched: dependencyServers(config), log }),
    ...upkeepTasks,
    startPeriodicTask("accounts", {
      intervalMs: config.ACCOUNT_REFRESH,
      round: () => accounts.refresh(),
      log,
    }),
    startPeriodicTask("BIN table", { intervalMs: config.BIN_TABLE_REFRESH, round: bins.refresh, log }),
    closing,
    ...startPurges(retentionPolicy, { deps: db, settings: config, log }),
    keyRecorder,
    startPeriodicTask("measure unresolved", {
      intervalMs: config.UNRESOLVED_MEASURE_INTERVAL,
      round: () => measureUnresolved({ db, events }),
      log,
    }),
    startMeasuringUnanswered({ db, log }),
    ...startReconciliation(outbox),
  ];
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT, [
    clock.database,
    checkThat("bus", () => bus.isReady),
    checkThat("BIN table", () => bins.table() !== undefined),
    checkThat("accounts", () => accounts.table() !== undefined),
    clock.check,
  ]);

  return {
    healthPort: health.port,
    stop: () =>
      stopInOrder(health, [
        [serving, clock, ...tasks].map((each) => () => each.stop(config.DRAIN_TIMEOUT)),
        [() => relay.stop(RELAY_STOP_TIMEOUT_MS)],
        [() => bus.close(BUS_CLOSE_TIMEOUT_MS)],
        [() => banks.close()],
        [pool, writePool, outboxPool, lists].map((each) => () => each.end()),
      ]),
  };
}

const BUS_CLOSE_TIMEOUT_MS = 2_000;
const RELAY_STOP_TIMEOUT_MS = 1_000;
