import { nameOf, type MovementOwner, type MovementPage } from "@holdfast/contracts";
import type { Logger } from "@holdfast/service-runtime";
import { DIFFERENCE_KINDS, type OpenDifferences } from "./match/measure-differences.ts";
import { meterOf, seriesOf, startAtZero } from "@holdfast/telemetry";

/** One function for each kind of business event, which writes the log line and the metric. */
export type BusinessEvents = {
  factsRecorded(owner: MovementOwner, count: number): void;
  /** The next page of an owner's feed is asked for; `behindMs` ago all of the feed was known. */
  feedRead(owner: MovementOwner, read: { behindMs: number }): void;
  /** The owner has refused our place in its feed, which is read from its beginning. */
  feedRestarted(owner: MovementOwner, reason: FeedRefusal): void;
  /** An owner has not answered; it is asked again. */
  ownerSilent(owner: MovementOwner, outcome: string): void;
  /** The facts here were compared with all that an owner has of some days. */
  factsCompared(owner: MovementOwner, found: ComparedFacts): void;
  /** Facts that the feed has left out, or that are not as their owner says, or that it does not know. */
  factsDiffer(owner: MovementOwner, outcome: Differing, ids: readonly string[]): void;
  /** Payments does not know the payments of these lines: they were restored, or the copy of facts is not theirs. */
  chargebacksUnknown(count: number): void;
  fileTaken(file: ImportedFile, read: { lines: number; faults: number }): void;
  /** A statement is complete, with another content than before. */
  statementReady(): void;
  /** The time for which the oldest change of a statement has not been looked at. */
  changesWait(oldestAgeMs: number): void;
  /** The differences that nobody has closed. */
  differencesOpen(open: OpenDifferences): void;
  /** The time for which the oldest file has waited for a second person. */
  filesWait(oldestAgeMs: number): void;
  /** The file was refused: none of its lines count. */
  fileRefused(file: ImportedFile, reason: string): void;
};

type ImportedFile = { import_id: string; mapping: string; imported_by: string };

/**
 * `mended`: missing or outdated here until the comparison. `differing`: still different afterwards.
 * `unknown`: only here, because the owner was restored to an earlier time.
 */
type ComparedFacts = { agreed: number; mended: number; differing: number; unknown: number };
type Differing = Exclude<keyof ComparedFacts, "agreed">;
const IDS_OF_A_LINE = 100;
type FeedRefusal = Extract<MovementPage, { refused: string }>["refused"];

const OWNERS = ["payments", "refunds"] as const;

export function createBusinessEvents(log: Logger): BusinessEvents {
  const meter = meterOf("settlement");
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
  // Exported from the beginning, so that the first event is an increase.
  startAtZero(unknown, {});
  return {
    ...createFeedEvents(log),
    ...createComparisonEvents(log),
    chargebacksUnknown(count) {
      unknown.add(count);
      log.error(
        { operation: "tell chargebacks", count },
        "payments does not know the payments of chargebacks",
      );
    },
    ...createStatementEvents(),
    ...createDifferenceEvents(),
    fileTaken({ import_id, mapping, imported_by }, read) {
      files.add(1, { mapping, outcome: "taken" });
      lines.add(read.lines, { outcome: "read" });
      lines.add(read.faults, { outcome: "faulty" });
      log.info(
        { subject: import_id, actor: nameOf(imported_by), count: read.lines },
        "settlement file taken",
      );
    },
    fileRefused({ import_id, mapping, imported_by }, reason) {
      files.add(1, { mapping, outcome: reason });
      log.warn({ subject: import_id, actor: nameOf(imported_by), reason }, "settlement file refused");
    },
  };
}

function createDifferenceEvents(): Pick<BusinessEvents, "differencesOpen" | "filesWait"> {
  const meter = meterOf("settlement");
  const open = meter.createGauge("holdfast.settlement.differences.open", {
    description:
      "Differences that nobody has closed, by kind: of movements, of lines that could not be read, of payouts that " +
      "are short or did not come",
  });
  const oldestAge = meter.createGauge("holdfast.settlement.oldest_difference.age", {
    unit: "s",
    description: "How long the oldest difference has been open, by kind",
  });
  const oldestFile = meter.createGauge("holdfast.settlement.oldest_unconfirmed_file.age", {
    unit: "s",
    description: "How long the oldest bank file has waited for a second person",
  });
  return {
    filesWait: (oldestAgeMs) => oldestFile.record(oldestAgeMs / 1_000),
    differencesOpen(differences) {
      for (const kind of DIFFERENCE_KINDS) {
        open.record(differences[kind].open, { kind });
        oldestAge.record(differences[kind].oldestAgeMs / 1_000, { kind });
      }
    },
  };
}

function createStatementEvents(): Pick<BusinessEvents, "statementReady" | "changesWait"> {
  const meter = meterOf("settlement");
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

function createFeedEvents(
  log: Logger,
): Pick<BusinessEvents, "factsRecorded" | "feedRead" | "feedRestarted" | "ownerSilent"> {
  const meter = meterOf("settlement");
  const facts = meter.createCounter("holdfast.settlement.facts", {
    description: "Facts that were read from their owner's feed, by owner",
  });
  const behind = meter.createGauge("holdfast.settlement.feed.behind", {
    unit: "s",
    description: "How long ago everything was known that the owner had committed, by owner",
  });
  const restarts = meter.createCounter("holdfast.settlement.feed.restarts", {
    description: "Feeds that were read again from their beginning, by owner and reason",
  });
  const silent = meter.createCounter("holdfast.settlement.owner_silent", {
    description: "Questions that an owner of facts did not answer, by owner",
  });
  startAtZero(silent, ...seriesOf({ owner: OWNERS }));
  startAtZero(restarts, ...seriesOf({ owner: OWNERS, reason: ["another_feed", "ahead"] }));
  return {
    factsRecorded: (owner, count) => facts.add(count, { owner }),
    feedRead: (owner, { behindMs }) => behind.record(behindMs / 1_000, { owner }),
    feedRestarted(owner, reason) {
      restarts.add(1, { owner, reason });
      log.warn(
        { operation: "follow feed", server: owner, reason },
        "an owner was restored; its feed is read from the beginning",
      );
    },
    ownerSilent(owner, outcome) {
      silent.add(1, { owner });
      log.warn({ operation: "ask owner", server: owner, outcome }, "an owner of facts did not answer");
    },
  };
}

function createComparisonEvents(log: Logger): Pick<BusinessEvents, "factsCompared" | "factsDiffer"> {
  const meter = meterOf("settlement");
  const compared = meter.createCounter("holdfast.settlement.facts_compared", {
    description: "Facts that were compared with their owner's, by owner and outcome; all must agree",
  });
  const comparedAt = meter.createGauge("holdfast.settlement.facts_compared_at", {
    unit: "s",
    description: "When the last comparison with an owner was complete, in seconds since 1970",
  });
  const outcome = ["agreed", "mended", "differing", "unknown"] as const;
  startAtZero(compared, ...seriesOf({ owner: OWNERS, outcome }));
  return {
    factsCompared(owner, found) {
      for (const [outcome, count] of Object.entries(found)) compared.add(count, { owner, outcome });
      comparedAt.record(Date.now() / 1_000, { owner });
    },
    factsDiffer(owner, reason, ids) {
      for (let at = 0; at < ids.length; at += IDS_OF_A_LINE)
        log.error(
          {
            operation: "compare facts",
            server: owner,
            reason,
            count: ids.length,
            subject: ids.slice(at, at + IDS_OF_A_LINE).join(" "),
          },
          "facts are not what their owner has",
        );
    },
  };
}
