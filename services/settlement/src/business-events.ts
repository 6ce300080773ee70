import type { Logger } from "@holdfast/service-runtime";
import { metrics, seriesOf, startAtZero } from "@holdfast/telemetry";

/** One function for each kind of business event, which writes the log line and the metric. */
export type BusinessEvents = {
  factsRecorded(facts: { count: number; source: FactSource }): void;
  /** The database or the stream is down; the stream delivers the events again. */
  factsNotRecorded(error: unknown): void;
  /** An event of our own owners that cannot be read: its fact is missing until its owner is asked for it. */
  eventRefused(reason: string): void;
  /** An owner has not answered; it is asked again. */
  ownerSilent(owner: "payments" | "refunds", outcome: string): void;
  /** The facts here were compared with all that an owner has of some days. */
  factsCompared(owner: "payments" | "refunds", found: ComparedFacts): void;
  /** The fact recorded here differs from its owner's, even after the owner was asked: no later question mends it. */
  factsDiffer(owner: "payments" | "refunds", ids: readonly string[]): void;
  /** Money was moved that its owner does not know: the owner was restored to an earlier time. */
  factsUnknown(owner: "payments" | "refunds", ids: readonly string[]): void;
  /** Payments does not know the payments of these lines: they were restored, or the copy of facts is not theirs. */
  chargebacksUnknown(count: number): void;
  fileTaken(file: ImportedFile, read: { lines: number; faults: number }): void;
  /** A statement is complete, with another content than before. */
  statementReady(): void;
  /** The time for which the oldest change of a statement has not been looked at. */
  changesWait(oldestAgeMs: number): void;
  /** The file was refused: nothing of it counts. */
  fileRefused(file: ImportedFile, reason: string): void;
};

type ImportedFile = { import_id: string; mapping: string; imported_by: string };

/** `mended`: missing or older here until its owner was asked; `unknown`: here alone. */
type ComparedFacts = { agreed: number; mended: number; differing: number; unknown: number };

type FactSource = "event" | "owner";

export function createBusinessEvents(log: Logger): BusinessEvents {
  const meter = metrics.getMeter("settlement");
  const facts = meter.createCounter("holdfast.settlement.facts", {
    description: "Facts that were recorded, by where they came from",
  });
  const refused = meter.createCounter("holdfast.settlement.events_refused", {
    description: "Events that could not be read as facts; must stay 0",
  });
  const silent = meter.createCounter("holdfast.settlement.owner_silent", {
    description: "Questions about facts that their owner did not answer, by owner",
  });
  const unknown = meter.createCounter("holdfast.settlement.chargebacks_unknown", {
    description:
      "Chargebacks of payments that payments does not know, each time they were sent to it; must stay 0",
  });
  const files = meter.createCounter("holdfast.settlement.files", {
    description: "Banks' files that were taken or refused, by mapping and outcome",
  });
  const lines = meter.createCounter("holdfast.settlement.lines", {
    description: "Lines of banks' files, by whether they could be read",
  });
  // Exported from the beginning, so that the first one is an increase.
  startAtZero(refused, {});
  startAtZero(unknown, {});
  startAtZero(silent, ...seriesOf({ owner: ["payments", "refunds"] }));
  return {
    factsRecorded: ({ count, source }) => facts.add(count, { source }),
    factsNotRecorded: (error) => log.warn({ operation: "record facts", error }, "facts were not recorded"),
    eventRefused(reason) {
      refused.add(1);
      log.error({ operation: "record facts", reason }, "an event cannot be read as a fact");
    },
    ownerSilent(owner, outcome) {
      silent.add(1, { owner });
      log.warn({ operation: "ask owner", server: owner, outcome }, "an owner of facts did not answer");
    },
    ...createComparisonEvents(log),
    chargebacksUnknown(count) {
      unknown.add(count);
      log.error(
        { operation: "tell chargebacks", count },
        "payments does not know the payments of chargebacks",
      );
    },
    ...createStatementEvents(),
    fileTaken({ import_id, mapping, imported_by }, read) {
      files.add(1, { mapping, outcome: "taken" });
      lines.add(read.lines, { outcome: "read" });
      lines.add(read.faults, { outcome: "faulty" });
      log.info({ subject: import_id, actor: imported_by, count: read.lines }, "settlement file taken");
    },
    fileRefused({ import_id, mapping, imported_by }, reason) {
      files.add(1, { mapping, outcome: reason });
      log.warn({ subject: import_id, actor: imported_by, reason }, "settlement file refused");
    },
  };
}

function createStatementEvents(): Pick<BusinessEvents, "statementReady" | "changesWait"> {
  const meter = metrics.getMeter("settlement");
  const revisions = meter.createCounter("holdfast.settlement.statement_revisions", {
    description: "Revisions of statements that were recorded",
  });
  const oldestAge = meter.createGauge("holdfast.settlement.oldest_statement_change.age", {
    unit: "s",
    description: "How long the oldest change of a statement has not been looked at",
  });
  startAtZero(revisions, {});
  return {
    statementReady: () => revisions.add(1),
    changesWait: (oldestAgeMs) => oldestAge.record(oldestAgeMs / 1_000),
  };
}

function createComparisonEvents(
  log: Logger,
): Pick<BusinessEvents, "factsCompared" | "factsDiffer" | "factsUnknown"> {
  const meter = metrics.getMeter("settlement");
  const compared = meter.createCounter("holdfast.settlement.facts_compared", {
    description:
      "Facts that were compared with their owner's, by owner and outcome; `differing` and `unknown` must stay 0",
  });
  const comparedAt = meter.createGauge("holdfast.settlement.facts_compared_at", {
    unit: "s",
    description: "When the last comparison with an owner was complete, in seconds since 1970",
  });
  startAtZero(
    compared,
    ...seriesOf({ owner: ["payments", "refunds"], outcome: ["agreed", "mended", "differing", "unknown"] }),
  );
  return {
    factsCompared(owner, found) {
      for (const [outcome, count] of Object.entries(found)) compared.add(count, { owner, outcome });
      comparedAt.record(Date.now() / 1_000, { owner });
      log[found.mended > 0 ? "warn" : "debug"](
        { operation: "compare facts", server: owner, count: found.mended },
        "facts were compared; so many were missing or old",
      );
    },
    factsDiffer(owner, ids) {
      log.error(
        { operation: "compare facts", server: owner, count: ids.length, subject: ids.slice(0, 5).join(" ") },
        "facts are not what their owner says",
      );
    },
    factsUnknown(owner, ids) {
      log.error(
        { operation: "compare facts", server: owner, count: ids.length, subject: ids.slice(0, 5).join(" ") },
        "an owner does not know what it has moved",
      );
    },
  };
}
