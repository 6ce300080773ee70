import type { HistoryEntry, OperatorEntry, Visit } from "./client-ledgers.ts";
import type { StoredRows } from "./stored-rows.ts";

export type * from "./client-ledgers.ts";
export type * from "./stored-rows.ts";

/**
 * The records that the checker reads after a run, in types of its own: it must not believe the code that it
 * judges, so nothing here comes from a service or from the contracts. A run without a part leaves that part
 * empty.
 */
export type Ledgers = StoredRows & {
  /** The requests of the merchants' side, with their answers. */
  history: HistoryEntry[];
  /** The actions of buyers on the checkouts' pages, with the pages they saw. */
  visits: Visit[];
  /** The actions of operators, with their answers. */
  operations: OperatorEntry[];
  /** The acquirer's own ledger, whole. */
  bank: BankLine[];
  /** The webhooks that arrived at the merchants' receivers, in the order of their arrival. */
  received: ReceivedWebhook[];
  rules: Rules;
};

/** A line of the acquirer's ledger (tools/bank-simulator/src/protocols/sim/README.md, Ledger). */
export type BankLine = {
  /** The account of ours whose ledger it is. */
  accountId: string;
  sequence: number;
  /** ISO 8601. */
  at: string;
  operation: string;
  reference: string;
  parentReference: string | null;
  amountMinor: bigint;
  /** The requested amount, where the bank approved less. */
  requestedMinor?: bigint;
  currency: string;
  outcome: "approved" | "declined";
  externalTransactionId: string;
  /** A further name that the bank gives it in answers. */
  otherName?: string;
  authCode: string | null;
  resultCode: string;
  /** The cause of a movement that no call of ours has asked for: a payment carried out again, or a person in the panel. */
  uncalled?: "again" | "panel" | undefined;
  /** True if the bank's answer to a payment has its amount, and is believed without a look at the record. */
  isBelieved?: boolean;
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

/** The run's settings, as far as a promise depends on them. */
export type Rules = {
  /** Merchants with webhooks, each with the path of its receiver and every secret it has ever had. */
  receivers: { merchantId: string; path: string; secrets: string[] }[];
  /** The delays from the end of a failed attempt to the next, the last one again and again. */
  retryDelaysMs: number[];
  retryWindowMs: number;
  /** No attempt takes longer, from its arrival on. */
  attemptMaxMs: number;
  /**
   * Times, in epoch milliseconds, at which a dispatcher or its database was not well: events under lease then may come
   * again.
   */
  disturbances: { fromMs: number; untilMs: number }[];
  /** Times, in epoch milliseconds, at which a dispatcher stood still: its signed requests could not leave. */
  dispatcherStops: { fromMs: number; untilMs: number }[];
  /** True if attempts may be later than the table: an endpoint had no room, or a process was dead. */
  retriesMayBeLate: boolean;
  /** Minor units by currency; larger amounts need two approvers. */
  twoApproversAbove: Readonly<Record<string, bigint>>;
  /** The age at which an authorization expires; missing if that is longer than a run. */
  authorizationExpiresAfterMs?: number;
  /** The accounts that each merchant's payments may be at. Missing if no merchant has routes. */
  places?: Readonly<Record<string, readonly string[]>>;
  /** The accounts whose bank writes a line of a payment that it refuses, too. */
  refusalsAreLines?: readonly string[];
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
    bankCalls: [],
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
 * One promise that a run is judged by, under its number. Numbers from 31 are about hosted checkouts, and
 * numbers from 35 about a bank that misbehaves and its reports.
 */
export type Invariant = {
  number: number;
  subject: Subject;
  promise: string;
  violations: (ledgers: Ledgers) => Found[];
};
