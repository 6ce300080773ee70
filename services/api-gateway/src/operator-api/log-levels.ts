import {
  LOG_LEVEL_SECONDS_DEFAULT,
  LOG_LEVEL_SECONDS_MAX,
  LOGGING_SERVICES,
  logLevelAsked,
  logLevelChanged,
  logLevelReported,
  operations,
  type LoggingService,
  type ServiceLogLevel,
} from "@holdfast/contracts";
import { type Bus, onNotice, publishNotice } from "@holdfast/messaging";
import { startPeriodicTask, type Logger, type PeriodicTask } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import type { Actor } from "../merchant/merchant-queries.ts";
import { actorOf } from "./actor-of.ts";
import { changeLogLevel, logLevelChanges, type LogLevelChange } from "./log-level-queries.ts";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

type Deps = { db: Kysely<GatewayDatabase>; bus: Bus; log: Logger };

export type LogLevels = Pick<PeriodicTask, "stop"> & { routes: Route[] };

/**
 * The present log level of each replica, and the change by which operators have a service log more for a time
 * (docs/adr/0051).
 */
export function startLogLevels({ db, bus, log }: Deps): LogLevels {
  const replicas = reachReplicas(bus);
  const repetition = startPeriodicTask("repeat log levels", {
    intervalMs: REPEATED_EVERY_MS,
    round: async () => (await logLevelChanges(db)).forEach((change) => replicas.publish(change)),
    log,
  });
  return { ...repetition, routes: logLevelRoutes({ db, replicas, log }) };
}

/** A replica that missed a change, or starts while it is in force, follows it this late at most. */
const REPEATED_EVERY_MS = 15_000;

type RouteDeps = Pick<Deps, "db" | "log"> & { replicas: ReplicaLogLevels };

function logLevelRoutes(deps: RouteDeps): Route[] {
  const { db, replicas } = deps;
  return [
    defineRoute(operations.getLogLevels, async () => {
      const changes = await logLevelChanges(db);
      const reports = await replicas.ask();
      const items = LOGGING_SERVICES.map((service) => {
        const change = changes.find((each) => each.service === service);
        return describe(service, change, reports);
      });
      return { status: 200, body: { items } };
    }),
    defineRoute(operations.putLogLevel, async (call) => {
      const { service, level, seconds = LOG_LEVEL_SECONDS_DEFAULT } = call.body;
      return { status: 200, body: await applyLogLevel(deps, { service, level, seconds }, actorOf(call)) };
    }),
  ];
}

/** Answers what was committed: no failure after the commit changes the answer. */
export async function applyLogLevel(
  { db, replicas, log }: RouteDeps,
  wanted: Parameters<typeof changeLogLevel>[1],
  by: Actor,
): Promise<ServiceLogLevel> {
  const { service } = wanted;
  const change = await changeLogLevel(db, wanted, by);
  const publish = (inForce: LogLevelChange | undefined) =>
    replicas.publish(inForce ?? { service, level: null });
  publish(change);
  // Each replica gets the two messages in the order in which they were published.
  const reports = await replicas.ask();
  // A round that had read the row before this change may have published it afterwards, so the present level
  // is published last.
  try {
    publish((await logLevelChanges(db)).find((each) => each.service === service));
  } catch (error) {
    log.warn({ operation: "repeat log levels", error }, "what is in force could not be read again");
    publish(change);
  }
  return describe(service, change, reports);
}

function describe(
  service: LoggingService,
  change: LogLevelChange | undefined,
  reports: readonly LogLevelReport[],
): ServiceLogLevel {
  const replicas = reports
    .filter((report) => report.service === service)
    .map(({ instance, level, until }) => ({ instance, level, ...(until && { until }) }))
    .toSorted((one, other) => (one.instance < other.instance ? -1 : 1));
  if (!change) return { service, replicas };
  const { level, until, changedBy, changedAt } = change;
  return {
    service,
    change: { level, until: until.toISOString(), changedBy, changedAt: changedAt.toISOString() },
    replicas,
  };
}

/** The log level that one replica reports; `until` by this machine's clock. */
type LogLevelReport = { service: LoggingService; instance: string; level: string; until?: string };

type ReplicaLogLevels = {
  /** Has every replica of a service follow a change, or with `null` go back to its setting. */
  publish(
    change: Pick<LogLevelChange, "service" | "level" | "endsInMs"> | { service: LoggingService; level: null },
  ): void;
  /** Asks every replica of every service, and resolves after a second with the answers that came. */
  ask(): Promise<LogLevelReport[]>;
};

/**
 * Reaches all replicas: a request on the bus would reach one of a service. Their number is unknown, so an answer takes
 * its second, and a late replica is missing in it.
 */
function reachReplicas(bus: Bus): ReplicaLogLevels {
  const asked = new Map<string, LogLevelReport[]>();
  onNotice(bus, logLevelReported, ({ questionId, service, instance, level, endsInMs }) => {
    const reports = asked.get(questionId);
    if (!reports || reports.length >= REPORTS_MAX) return;
    const until = endsInMs !== undefined && { until: new Date(Date.now() + endsInMs).toISOString() };
    reports.push({ service, instance, level, ...until });
  });
  return {
    publish(change) {
      const endsInMs = "endsInMs" in change ? Math.min(change.endsInMs, LONGEST_MS) : 1;
      publishNotice(bus, logLevelChanged, { service: change.service, level: change.level, endsInMs });
    },
    async ask() {
      const questionId = randomUUID();
      const reports: LogLevelReport[] = [];
      asked.set(questionId, reports);
      publishNotice(bus, logLevelAsked, { questionId });
      await delay(ANSWER_WITHIN_MS);
      asked.delete(questionId);
      return reports;
    },
  };
}

const ANSWER_WITHIN_MS = 1_000;
/** More than the replicas of any installation; further reports are not kept in memory. */
const REPORTS_MAX = 1_000;
const LONGEST_MS = LOG_LEVEL_SECONDS_MAX * 1_000;
