import type { HistoryEntry, OperatorEntry, Visit } from "./client-ledgers.ts";
import type { StoredRows } from "./stored-rows.ts";

export type * from "./client-ledgers.ts";
export type * from "./stored-rows.ts";

/**
 * What the checker reads after a run, in types of its own: it must not believe the code it judges, so nothing here
 * comes from a service or from the contracts. A run that knows nothing of one part leaves that part empty.
 */
export type Ledgers = StoredRows & {
  /** What the merchants' side sent and got. */
  history: HistoryEntry[];
  /** What buyers did on the checkouts' pages, and what they were shown. */
  visits: Visit[];
  /** What operators did, and what they were answered. */
  operations: OperatorEntry[];
  /** The acquirer's own ledger, whole. */
  bank: BankLine[];
  /** What arrived at the merchants' receivers, in the order of its arrival. */
  received: ReceivedWebhook[];
  rules: Rules;
};

/** A line of the acquirer's ledger (tools/acquirer-simulator/README.md, Ledger). */
export type BankLine = {
  /** Whose ledger it is: an account of ours, or the default one. */
  accountId?: string;
  sequence: number;
  /** ISO 8601. */
  at: string;
  operation: string;
  reference: string;
  parentReference: string | null;
  amountMinor: bigint;
  /** What was asked for, where the bank approved less. */
  requestedMinor?: bigint;
  currency: string;
  outcome: "approved" | "declined";
  externalTransactionId: string;
  authCode: string | null;
  resultCode: string;
};

/** One request as a merchant's server received it: raw bytes, headers, and when. */
export type ReceivedWebhook = {
  /** Epoch milliseconds. */
  arrivedAt: number;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** The status it was answered with; none where it was not answered properly. */
  answered: number | undefined;
};

/** What the run was set up with, as far as a promise depends on it. */
export type Rules = {
  /** Merchants with webhooks, each with the path of its receiver and every secret it was ever given. */
  receivers: { merchantId: string; path: string; secrets: string[] }[];
  /** From the end of a failed attempt to the next, the last one again and again. */
  retryDelaysMs: number[];
  retryWindowMs: number;
  /** No attempt takes longer, from its arrival on. */
  attemptMaxMs: number;
  /**
   * When a dispatcher or its database was not well, in epoch milliseconds: what was under lease then may come again.
   */
  disturbances: { fromMs: number; untilMs: number }[];
  /** When a dispatcher stood still, in epoch milliseconds: what it had signed could not leave. */
  dispatcherStops: { fromMs: number; untilMs: number }[];
  /** Whether attempts may be later than the table: an endpoint had no room, or a process was dead. */
  retriesMayBeLate: boolean;
  /** Minor units by currency; what is above takes two approvers. */
  twoApproversAbove: Readonly<Record<string, bigint>>;
  /** The age at which an authorization expires; missing where that is longer than a run. */
  authorizationExpiresAfterMs?: number;
  /** The accounts that the routes of each merchant lead to; null is the default one. Missing where nobody has routes. */
  places?: Readonly<Record<string, readonly (string | null)[]>>;
};

/** Ledgers of a run in which nothing has happened yet. */
export function emptyLedgers(rules: Partial<Rules> = {}): Ledgers {
  return {
    history: [],
    visits: [],
    operations: [],
    bank: [],
    received: [],
    payments: [],
    paymentHistory: [],
    outbox: [],
    checkouts: [],
    checkoutPayments: [],
    reservations: [],
    chargebacks: [],
    refunds: [],
    refundHistory: [],
    approvals: [],
    acceptedEvents: [],
    attempts: [],
    audit: [],
    leases: [],
    idleTransactions: [],
    rules: {
      receivers: [],
      retryDelaysMs: [],
      retryWindowMs: 48 * 3_600_000,
      attemptMaxMs: 8_000,
      disturbances: [],
      dispatcherStops: [],
      retriesMayBeLate: false,
      twoApproversAbove: {},
      ...rules,
    },
  };
}

export type Subject = "payments" | "checkouts" | "refunds" | "webhooks";

/** A broken promise, with the ids to look it up by. */
export type Violation = { invariant: number; ids: string[]; what: string };

/** A violation before it has the number of its promise. */
export type Found = Omit<Violation, "invariant">;

/**
 * One promise that a run is judged by, under its number; from 31 on those of hosted checkouts, from 35 on those about a bank
 * that misbehaves, and what is reported of it.
 */
export type Invariant = {
  number: number;
  subject: Subject;
  promise: string;
  violations: (ledgers: Ledgers) => Found[];
};
