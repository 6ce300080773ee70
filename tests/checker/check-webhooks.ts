import { createHash, createHmac } from "node:crypto";

/** One request as a merchant's server got it: raw bytes, headers, and when. */
export type LedgerEntry = {
  arrivedAt: number;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** The status it was answered with; none where it was not answered properly. */
  answered: number | undefined;
};

/** A final state as its owner committed it. */
export type FinalState = {
  eventId: string;
  merchantId: string;
  paymentId: string;
  status: string;
  committedAt: number;
  /** What a GET of the payment answered at that state, to be found in the webhook. */
  record?: Record<string, unknown>;
};

export type WebhookRules = {
  /** From the end of a failed attempt to the next, the last one again and again. */
  delaysMs: number[];
  windowMs: number;
  /** The secrets a merchant was given, each from when on it signs. */
  secrets: { merchantId: string; path: string; secrets: string[] }[];
};

export type WebhookEvidence = {
  ledger: LedgerEntry[];
  finals: FinalState[];
  rules: WebhookRules;
  /** Events that the delivery log says have failed for good. */
  failed?: string[];
  /** Events that may have come more often than needed: leased at a kill, or finished in the second before one. */
  mayRepeat?: (eventId: string) => boolean;
  /** Whether attempts may have been later than the table: the endpoint had no room, or a process was dead. */
  mayBeLate?: boolean;
};

/**
 * Holds a merchant's ledger against what the owners have committed: invariants 14 to 19 of the reliability page. It imports
 * nothing of the services, so a mistake of theirs is not made twice.
 *
 * @returns what is wrong, one line each.
 */
export function checkWebhooks(evidence: WebhookEvidence): string[] {
  return [
    ...deliveredOrFailed(evidence),
    ...signedFreshly(evidence),
    ...oneBodyForEachEvent(evidence),
    ...oneEventForEachState(evidence),
    ...recordsAreTheirs(evidence),
    ...onlyCommittedFinals(evidence),
    ...attemptsFollowTheTable(evidence),
  ];
}

const FINAL = new Set(["SUCCESS", "FAILED", "REJECTED", "CANCELLED"]);
const FRESH_MS = 5_000;

const header = ({ headers }: LedgerEntry, name: string) => {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
};
const eventIdOf = (entry: LedgerEntry) => header(entry, "x-event-id") ?? "";
const isSuccess = ({ answered }: LedgerEntry) => answered !== undefined && answered >= 200 && answered < 300;
const bodyOf = ({ body }: LedgerEntry) => JSON.parse(body.toString()) as Record<string, unknown>;
const isTest = (entry: LedgerEntry) => header(entry, "x-event-type") === "webhook.test";

/** 14: each final state was answered 2xx at least once, or has failed after all its attempts. */
function deliveredOrFailed({ ledger, finals, failed = [], rules }: WebhookEvidence): string[] {
  const delivered = new Set(ledger.filter(isSuccess).map(eventIdOf));
  return finals.flatMap(({ eventId }) => {
    if (delivered.has(eventId)) return [];
    if (!failed.includes(eventId)) return [`14: ${eventId} was neither delivered nor failed`];
    const attempts = ledger.filter((entry) => eventIdOf(entry) === eventId).length;
    const expected = attemptsWithin(rules);
    return attempts === expected ? [] : [`14: ${eventId} failed after ${attempts} attempts, not ${expected}`];
  });
}

/** How many attempts the table has room for before the window is over, if each fails at once. */
function attemptsWithin({ delaysMs, windowMs }: WebhookRules): number {
  let at = 0;
  for (let attempts = 1; ; attempts++) {
    at += delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? 0;
    if (at > windowMs) return attempts;
  }
}

/** 15: the signature is the spec's, and no older than a moment when it arrives, on each attempt. */
function signedFreshly({ ledger, rules }: WebhookEvidence): string[] {
  return ledger.flatMap((entry) => {
    const secrets = rules.secrets.find(({ path }) => path === entry.path)?.secrets ?? [];
    const time = header(entry, "x-request-time") ?? "";
    const signature = header(entry, "x-request-signature") ?? "";
    const digests = secrets.map((secret) =>
      createHmac("sha256", secret).update(`${time}:`).update(entry.body).digest("hex"),
    );
    const faults: string[] = [];
    if (!/^[0-9a-f]{64}$/.test(signature) || !digests.includes(signature))
      faults.push("its signature is wrong");
    if (!/^\d{13}$/.test(time)) faults.push(`x-request-time is ${time}`);
    else if (Math.abs(entry.arrivedAt - Number(time)) >= FRESH_MS) {
      faults.push(`it was signed ${entry.arrivedAt - Number(time)} ms before it arrived`);
    }
    return faults.map((fault) => `15: ${eventIdOf(entry)}: ${fault}`);
  });
}

/** 16: every attempt of an event carries the same bytes. */
function oneBodyForEachEvent({ ledger }: WebhookEvidence): string[] {
  return [...Map.groupBy(ledger, eventIdOf)].flatMap(([eventId, entries]) => {
    const hashes = new Set(entries.map(({ body }) => createHash("sha256").update(body).digest("hex")));
    return hashes.size === 1 ? [] : [`16: ${eventId} came with ${hashes.size} bodies`];
  });
}

/** 16: a final state of a payment is one event. */
function oneEventForEachState({ ledger, finals }: WebhookEvidence): string[] {
  const seen = ledger
    .filter((entry) => !isTest(entry))
    .map((entry) => {
      const { paymentId, status } = bodyOf(entry);
      return { state: `${String(paymentId)} ${String(status)}`, eventId: eventIdOf(entry) };
    });
  const committed = finals.map(({ paymentId, status, eventId }) => ({
    state: `${paymentId} ${status}`,
    eventId,
  }));
  return [...Map.groupBy([...seen, ...committed], ({ state }) => state)].flatMap(([state, events]) => {
    const ids = new Set(events.map(({ eventId }) => eventId));
    return ids.size === 1 ? [] : [`16: ${state} has ${ids.size} event ids`];
  });
}

/** 17: the body is the payment's record at that state, and says what kind of transaction and card it was. */
function recordsAreTheirs({ ledger, finals }: WebhookEvidence): string[] {
  const byEvent = new Map(finals.map((final) => [final.eventId, final]));
  return ledger
    .filter((entry) => !isTest(entry))
    .flatMap((entry) => {
      const record = byEvent.get(eventIdOf(entry))?.record;
      if (!record) return [];
      const body = bodyOf(entry);
      const differing = Object.keys(record).filter(
        (name) => JSON.stringify(record[name]) !== JSON.stringify(body[name]),
      );
      const missing = ["transactionType", "cardSubType"].filter((name) => body[name] === undefined);
      return [...differing, ...missing].map(
        (name) => `17: ${eventIdOf(entry)}: ${name} is not the payment's`,
      );
    });
}

/** 18: a webhook tells of a final state that was committed before. */
function onlyCommittedFinals({ ledger, finals }: WebhookEvidence): string[] {
  const byEvent = new Map(finals.map((final) => [final.eventId, final]));
  return ledger
    .filter((entry) => !isTest(entry))
    .flatMap((entry) => {
      const { status } = bodyOf(entry);
      const final = byEvent.get(eventIdOf(entry));
      if (!FINAL.has(String(status))) return [`18: ${eventIdOf(entry)} tells of ${String(status)}`];
      if (!final) return [`18: ${eventIdOf(entry)} was never committed`];
      return final.committedAt <= entry.arrivedAt ? [] : [`18: ${eventIdOf(entry)} came before its commit`];
    });
}

/** 19: attempts keep the table's distances, stop at the deadline, and stop with the first success. */
function attemptsFollowTheTable(evidence: WebhookEvidence): string[] {
  const { ledger, finals, rules, mayRepeat = () => false, mayBeLate = false } = evidence;
  const byEvent = new Map(finals.map((final) => [final.eventId, final]));
  return [
    ...Map.groupBy(
      ledger.filter((entry) => !isTest(entry)),
      eventIdOf,
    ),
  ].flatMap(([eventId, entries]) => {
    if (mayRepeat(eventId)) return [];
    const faults: string[] = [];
    const successAt = entries.findIndex(isSuccess);
    if (successAt !== -1 && successAt < entries.length - 1) faults.push("came again after a 2xx");
    for (const [index, entry] of entries.slice(1).entries()) {
      const delayMs = rules.delaysMs[Math.min(index, rules.delaysMs.length - 1)] ?? 0;
      const gapMs = entry.arrivedAt - entries[index]!.arrivedAt;
      // Arrivals are measured here, ends of attempts there: a few milliseconds of travel lie between.
      if (gapMs < delayMs - TRAVEL_MS)
        faults.push(`attempt ${index + 2} came ${gapMs} ms after the one before, not ${delayMs}`);
      if (!mayBeLate && gapMs > delayMs * 1.1 + LATE_MS + ATTEMPT_MS)
        faults.push(`attempt ${index + 2} came only after ${gapMs} ms`);
    }
    const deadline = (byEvent.get(eventId)?.committedAt ?? 0) + rules.windowMs;
    const late = entries.slice(1).filter(({ arrivedAt }) => arrivedAt > deadline + TRAVEL_MS + LATE_MS);
    if (late.length > 0) faults.push("was attempted after its deadline");
    return faults.map((fault) => `19: ${eventId} ${fault}`);
  });
}

const TRAVEL_MS = 50;
const LATE_MS = 2_000;
/** An attempt that times out ends this long after it arrived. */
const ATTEMPT_MS = 8_000;

/** What an owner's tables and the dispatcher's say, read by the test itself. */
export type OutboxEvidence = {
  /** Each final row of the history, with the transaction that wrote it. */
  finalRows: { paymentId: string; status: string; xactId: string }[];
  outbox: { eventId: string; paymentId: string; status: string; xactId: string; confirmed: boolean }[];
  dispatcherEventIds: string[];
};

/** 23: each final state was committed with exactly one event. 24: all are confirmed, and both sides have the same ones. */
export function checkOutbox({ finalRows, outbox, dispatcherEventIds }: OutboxEvidence): string[] {
  const faults: string[] = [];
  for (const { paymentId, status, xactId } of finalRows) {
    const events = outbox.filter((row) => row.paymentId === paymentId && row.status === status);
    if (events.length !== 1) faults.push(`23: ${paymentId} ${status} has ${events.length} outbox rows`);
    else if (events[0]!.xactId !== xactId)
      faults.push(`23: ${paymentId} ${status} and its event are two transactions`);
  }
  if (outbox.length !== finalRows.length)
    faults.push(`23: ${outbox.length} outbox rows for ${finalRows.length} final states`);
  for (const { eventId, confirmed } of outbox) if (!confirmed) faults.push(`24: ${eventId} is not confirmed`);
  const owned = new Set(outbox.map(({ eventId }) => eventId));
  const taken = new Set(dispatcherEventIds);
  for (const eventId of owned.difference(taken)) faults.push(`24: the dispatcher lacks ${eventId}`);
  for (const eventId of taken.difference(owned))
    faults.push(`24: the dispatcher has ${eventId}, the owner does not`);
  return faults;
}
