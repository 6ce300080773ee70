import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  LOG_LEVEL_SECONDS_MAX,
  logLevelAsked,
  logLevelChanged,
  logLevelReported,
  type LoggingService,
} from "@holdfast/contracts";
import { onNotice, publishNotice, type Bus } from "@holdfast/messaging";
import type { LogLevelChange } from "./log-level-queries.ts";

/** What one replica says that it logs; `until` by this machine's clock. */
export type LogLevelReport = { service: LoggingService; instance: string; level: string; until?: string };

export type ReplicaLogLevels = {
  /** Has every replica of a service follow a change, or with `null` go back to its setting. */
  publish(
    change: Pick<LogLevelChange, "service" | "level" | "endsInMs"> | { service: LoggingService; level: null },
  ): void;
  /** Asks every replica of every service, and resolves after a second with the answers that came. */
  ask(): Promise<LogLevelReport[]>;
};

/**
 * Speaks with all replicas: a request on the bus would reach one of a service. Nobody knows how many there are, so an answer
 * takes its second, and whoever is late is missing in it.
 */
export function reachReplicas(bus: Bus): ReplicaLogLevels {
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
/** More replicas than an installation has: what comes after them is not kept in memory. */
const REPORTS_MAX = 1_000;
const LONGEST_MS = LOG_LEVEL_SECONDS_MAX * 1_000;
