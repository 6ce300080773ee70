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
import {
  confirmEventsHandler,
  createOutboxPool,
  nudgeAfter,
  startOutboxRelay,
  startReconciliation,
} from "@holdfast/outbox";
import { createRingRecipient } from "@holdfast/sealing";
import { awaitSchema, createDatabase, createPool, startClockWatch } from "@holdfast/postgres";
import {
  checkThat,
  dependencyServers,
  startCertificateWatch,
  startHealth,
  startPeriodicTask,
  startPurges,
  stopInOrder,
  type Logger,
  type RunningService,
} from "@holdfast/service-runtime";
import type { MovementOwner } from "@holdfast/contracts";
import { createBusinessEvents } from "./business-events.ts";
import type { Config } from "./config.ts";
import type { SettlementDatabase } from "./database.ts";
import { sendChargebacks } from "./chargeback/send-chargebacks.ts";
import { compareFacts } from "./facts/compare-facts.ts";
import { watchAccounts } from "./facts/copy-accounts.ts";
import { followFeed, watchFeed, type FeedDeps } from "./facts/follow-feed.ts";
import { readNamed } from "./facts/read-named.ts";
import { retentionPolicy } from "./retention-policy.ts";
import { endInterrupted, endUnconfirmed } from "./import/end-interrupted.ts";
import { removeLeftLines } from "./import/import-queries.ts";
import { readMappings, SHIPPED_MAPPINGS } from "./import/mapping.ts";
import { readUploads } from "./import/read-uploads.ts";
import { FILE_BOUNDS, LEASE_MS } from "./import/import-leased-file.ts";
import { measureDifferences, measureUnconfirmed } from "./match/measure-differences.ts";
import { matchImports } from "./match/match-imports.ts";
import { operatorHandlers } from "./operator/operator-handlers.ts";
import { startSettlingWork } from "./settle-work.ts";
import { startRecordingRevisions } from "./statement/record-revisions.ts";

/** The whole object graph of the settlement service, wired by hand. It has no card data and calls no bank. */
// oxlint-disable-next-line max-lines-per-function -- the wiring reads best in one piece
export async function startSettlement(
  config: Config,
  log: Logger,
): Promise<RunningService & { healthPort: number }> {
  const pool = createPool({
    url: config.DATABASE_URL,
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: "settlement",
    log,
  });
  await awaitSchema(pool, "settlement", assetPath("services/settlement/migrations"), log);
  const outboxPool = createOutboxPool({
    url: config.DATABASE_URL,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: "settlement",
    connectionsMax: OUTBOX_CONNECTIONS,
    log,
  });
  const db = createDatabase<SettlementDatabase>(pool);
  const bus = await connectBus({
    ...busOptions(config),
    name: "settlement",
    onStatus: (bus) => log.warn({ bus }, "bus"),
  });
  followLogLevel(bus, "settlement", log);
  const outbox = { pool: outboxPool, bus, source: "settlement", settings: config, log } as const;
  const relay = startOutboxRelay(outbox);
  const events = createBusinessEvents(log);
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  const mappings = await readMappings([
    SHIPPED_MAPPINGS,
    ...(config.SETTLEMENT_MAPPINGS ? [config.SETTLEMENT_MAPPINGS] : []),
  ]);
  const fileKeys = config.FILE_KEYS;
  const files = {
    db,
    pool,
    events,
    mappings,
    fileKeys,
    bounds: FILE_BOUNDS,
    leaseMs: LEASE_MS,
    twoPeople: config.FILE_CHANGES_TWO_PEOPLE,
  };
  const facts: FeedDeps = {
    bus,
    db,
    events: {
      ...events,
      // New facts may change statements.
      factsRecorded(owner, count) {
        events.factsRecorded(owner, count);
        revisions.nudge();
      },
    },
    isStopping,
  };
  const clock = await startClockWatch({ pool, log, intervalMs: config.CLOCK_INTERVAL });
  const revisions = startRecordingRevisions(
    { db, events: { ...events, statementReady: nudgeAfter(relay, () => events.statementReady()) } },
    { intervalMs: config.MATCH_INTERVAL, clock, log },
  );
  const auditWatch = watchAuditHead({ db, chain: "settlement", settings: config, log });
  // An operator's command may change statements, and is audited.
  const committed = { nudge: () => [auditWatch, revisions].forEach((each) => each.nudge()) };
  const serving = await serve(bus, {
    service: "settlement",
    permits: { external: config.COMMANDS_IN_FLIGHT_MAX, local: config.COMMANDS_IN_FLIGHT_MAX },
    clock,
    operators: {
      verify: createVerifyToken(config, log),
      onForbidden: (attempt) => auditForbidden(db, attempt),
    },
    staff: staffAdmission(config, log, (attempt: ForbiddenAttempt) => auditForbidden(db, attempt)),
    onHandled: logHandled(log),
    handlers: [
      ...nudgeAfterEach(
        committed,
        operatorHandlers({
          db,
          events,
          mappings,
          fileKeys,
          recipient: createRingRecipient(fileKeys),
          bytesMax: BigInt(config.UPLOADS_MIB_MAX) * 1_048_576n,
          twoAbove: config.DIFFERENCE_TWO_PEOPLE_ABOVE ?? new Map(),
        }),
      ),
      confirmEventsHandler("settlement", outboxPool),
    ],
  });
  const tasks = [
    startCertificateWatch({ watched: dependencyServers(config), log }),
    ...OWNERS.flatMap((owner) => [
      startPeriodicTask(`follow ${owner}`, {
        intervalMs: config.FEED_INTERVAL,
        round: watchFeed(facts, owner),
        clock,
        log,
      }),
      startPeriodicTask(`compare ${owner}`, { ...comparing(facts, owner, config), clock, log }),
    ]),
    startPeriodicTask("copy accounts", {
      intervalMs: Math.min(ACCOUNTS_EVERY * config.FEED_INTERVAL, ACCOUNTS_INTERVAL_MS),
      round: watchAccounts(facts),
      clock,
      log,
    }),
    startPeriodicTask("end forgotten imports", {
      intervalMs: FORGOTTEN_INTERVAL_MS,
      async round() {
        await endUnconfirmed(db, events);
        await removeLeftLines(db);
      },
      clock,
      log,
    }),
    startSettlingWork(
      {
        db,
        work: {
          interrupted: () => endInterrupted(db, events),
          uploads: () => readUploads(files, isStopping),
          chargebacks: () => sendChargebacks(facts, isStopping),
          feeds: () => Promise.all(OWNERS.map((owner) => followFeed(facts, owner))),
          async comparison() {
            await matchImports({ db, readNamed: (range) => readNamed(facts, range) }, isStopping);
            revisions.nudge();
          },
        },
      },
      { intervalMs: config.MATCH_INTERVAL, clock, log },
    ),
    startPeriodicTask("measure differences", {
      intervalMs: MEASURE_INTERVAL_MS,
      async round() {
        events.differencesOpen(await measureDifferences(db));
        events.filesWait(await measureUnconfirmed(db));
      },
      clock,
      log,
    }),
    revisions,
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
    stop() {
      stopping.abort();
      return stopInOrder(health, [
        [serving, clock, auditWatch, ...tasks].map((each) => () => each.stop(config.DRAIN_TIMEOUT)),
        [() => relay.stop(RELAY_STOP_TIMEOUT_MS)],
        [() => bus.close(BUS_CLOSE_TIMEOUT_MS)],
        [pool, outboxPool].map((each) => () => each.end()),
      ]);
    },
  };
}

/** A comparison with an owner that could not be complete is made again after a minute. */
function comparing(
  deps: FeedDeps,
  owner: MovementOwner,
  { FACT_COMPARE_INTERVAL, FACT_COMPARE_SPAN }: Config,
) {
  let isComplete = true;
  return {
    intervalMs: () =>
      isComplete ? FACT_COMPARE_INTERVAL : Math.min(FACT_COMPARE_INTERVAL, COMPARE_AGAIN_MS),
    async round() {
      const nowMs = Date.now();
      // Younger facts may still be under way.
      const beforeMs = nowMs - Math.min(FACT_COMPARE_INTERVAL, 3_600_000);
      isComplete = false;
      isComplete = await compareFacts(deps, owner, { fromMs: nowMs - FACT_COMPARE_SPAN, beforeMs });
    },
  };
}

const OWNERS: readonly MovementOwner[] = ["payments", "refunds"];
const COMPARE_AGAIN_MS = 60_000;
const ACCOUNTS_EVERY = 5;
/** An operator's file for a new account is refused until then. */
const ACCOUNTS_INTERVAL_MS = 15_000;
/** None of these lines count, so they may wait. */
const FORGOTTEN_INTERVAL_MS = 600_000;
const MEASURE_INTERVAL_MS = 60_000;
/** Events are as many as days of merchants, and not as payments. */
const OUTBOX_CONNECTIONS = 2;
const BUS_CLOSE_TIMEOUT_MS = 2_000;
const RELAY_STOP_TIMEOUT_MS = 1_000;
