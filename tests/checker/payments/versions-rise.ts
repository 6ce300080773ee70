import { fieldsOf, isAfter, readsByPayment, valuesOf } from "../answers.ts";
import type { Found, HistoryEntry, Ledgers } from "../ledgers.ts";

/**
 * Invariant 37. The body of each event has a `version`, a whole number, and a `statusDate`. Of two events about one
 * payment or refund the one with the later state has the higher version, and no earlier date. No reader sees a version
 * step back, or two states under one.
 */
export function versionsRise(ledgers: Ledgers): Found[] {
  const events = Map.groupBy(eventsOf(ledgers), ({ paymentId }) => paymentId);
  return [
    ...[...events].flatMap(([paymentId, ofOne]) =>
      [...ofOne.flatMap(malformed), ...inOrder(ofOne)].map((what) => ({ ids: [paymentId], what })),
    ),
    ...[...readsByPayment(ledgers.history)].flatMap(([paymentId, reads]) =>
      steppedBack(reads).map((what) => ({ ids: [paymentId], what })),
    ),
  ];
}

/** `step` is the place of the event's state in the history; the other two are as the body has them. */
type PublishedEvent = {
  paymentId: string;
  status: string;
  step: number;
  version: string;
  statusDate: string;
};

function eventsOf({ outbox, paymentHistory, refundHistory }: Ledgers): PublishedEvent[] {
  const ofRefunds = refundHistory.map(({ refundId, ...step }) => ({ ...step, paymentId: refundId }));
  const steps = new Map(
    [...paymentHistory, ...ofRefunds].map((step) => [
      `${step.paymentId} ${step.to} ${step.transactionId}`,
      step.version,
    ]),
  );
  return outbox.map(({ paymentId, status, transactionId, body }) => {
    const { version, statusDate } = valuesOf(body);
    const step = steps.get(`${paymentId} ${status} ${transactionId}`) ?? 0;
    return {
      paymentId,
      status,
      step,
      version: JSON.stringify(version) ?? "missing",
      statusDate: String(statusDate),
    };
  });
}

function malformed({ status, version, statusDate }: PublishedEvent): string[] {
  return [
    ...(/^[1-9]\d{0,8}$/.test(version) ? [] : [`the event ${status} has the version ${version}`]),
    ...(ISO_8601.test(statusDate) && !Number.isNaN(Date.parse(statusDate))
      ? []
      : [`the event ${status} has the statusDate ${statusDate}`]),
  ];
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/;

function inOrder(events: PublishedEvent[]): string[] {
  const ordered = events.toSorted((one, other) => one.step - other.step);
  return ordered.slice(1).flatMap((event, index) => {
    const before = ordered[index]!;
    const sequence = `after ${before.status} (version ${before.version}, ${before.statusDate}) came ${event.status}`;
    return [
      ...(Number(event.version) > Number(before.version)
        ? []
        : [`${sequence} with the version ${event.version}`]),
      ...(Date.parse(event.statusDate) >= Date.parse(before.statusDate)
        ? []
        : [`${sequence} of ${event.statusDate}`]),
    ];
  });
}

function steppedBack(reads: HistoryEntry[]): string[] {
  const seen = reads
    .filter(({ status, replayed }) => status === 200 && !replayed)
    .map((read) => ({ read, fields: fieldsOf(read.body ?? "") }))
    .filter(({ fields }) => fields["version"] !== undefined);
  return seen.flatMap((later) =>
    seen.flatMap((earlier) => {
      const [before, after] = [Number(earlier.fields["version"]), Number(later.fields["version"])];
      if (before === after && earlier.fields["status"] !== later.fields["status"])
        return [`two states were read as version ${after}`];
      return isAfter(earlier.read, later.read) && after < before
        ? [`was read as version ${before} and later as ${after}`]
        : [];
    }),
  );
}
