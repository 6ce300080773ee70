import type { OutboxRelay } from "@holdfast/outbox";
import { acquireConnection } from "@holdfast/postgres";
import { createNaturalBatcher } from "@holdfast/service-runtime";
import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import { DatabaseError, type Pool } from "pg";
import type { PaymentsDatabase } from "../database.ts";
import { CLAIM } from "./claim-statements.ts";
import {
  CLAIM_COLUMNS,
  RECORD,
  RECORD_COLUMNS,
  REJECT,
  REJECT_COLUMNS,
  type Claim,
  type RecordRow,
  type RejectRow,
  type Statement,
} from "./payment-statements.ts";
import { transition } from "./payment.ts";
import { retryOnOrderConflict } from "./undecided-order.ts";
import { writeWithEvents, type WrittenRow } from "./write-with-events.ts";

type Trx = Transaction<PaymentsDatabase>;

/**
 * The writes of payments, each one statement and therefore one transaction: the claim before the acquirer is called and
 * the record of its answer, or a rejection without any call. Payments that arrive together are written together (natural
 * batching), by named prepared statements over arrays.
 */
export type PaymentWrites = {
  /**
   * Inserts the payment with its first history row, a lease, its Idempotency-Key if it has one, and the call
   * that is about to be made.
   * @returns undefined if the id or the key exists already, or `join` refuses; or the undecided payment that
   * has its order.
   */
  claim(claim: Claim, join?: Join): Promise<ClaimedPayment | OrderTaken | undefined>;
  /**
   * Changes the payment's state, with history, with an outbox row if `webhook_body` is given, and with the
   * stored answer of its Idempotency-Key.
   * @returns false if the payment is no longer in that state under that lease: another process has recovered
   * it.
   */
  record(change: RecordRow): Promise<boolean>;
  /**
   * Inserts the payment as REJECTED, with history, outbox row, and its Idempotency-Key with the answer.
   * @returns false when the id or the key exists already, or `join` refuses.
   */
  reject(rejection: RejectRow, join?: Join): Promise<boolean>;
};

/**
 * Further writes in the transaction of a payment's first row: both stand, or neither does.
 * @returns false if they cannot be made.
 */
export type Join = (trx: Trx) => Promise<boolean>;

/** `created_at` by the database's clock. */
export type ClaimedPayment = { created_at: Date };

/** `undecided` is the payment that has the order. */
export type OrderTaken = { undecided: string };

/**
 * Settings of the connections for these statements. The statements are planned once, by index. By default the
 * planner would plan each execution again, or keep a plan from when the table was small, which reads all of
 * it. Measured with 64 payments under way: 0.10 ms of database CPU a payment and flat, against 0.17 to 0.28
 * ms and growing with the table.
 */
export const WRITE_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

/** Times that a claim sets. */
export type ClaimTimes = {
  leaseMs: number;
  /** Age at which an authorization that was not captured expires. */
  expireAfterMs: number;
};

export type WriteDeps = {
  pool: Pool;
  /** The database for a first row that is written together with others. */
  db: Kysely<PaymentsDatabase>;
  /** Publishes the events of what was written. */
  relay: Pick<OutboxRelay, "beginWriting">;
};

export function createPaymentWrites(deps: WriteDeps, times: ClaimTimes): PaymentWrites {
  const claims = createNaturalBatcher<Claim, ClaimedPayment | OrderTaken | undefined>({
    name: "claims",
    ...BATCHES,
    flush: (items) => claimAll(deps.pool, items, times),
  });
  const changes = createNaturalBatcher<RecordRow, boolean>({
    name: "records",
    ...BATCHES,
    flush: (items) => recordAll(deps, items),
  });
  const rejections = createNaturalBatcher<RejectRow, boolean>({
    name: "rejections",
    ...BATCHES,
    flush: (items) => rejectAll(deps, items),
  });
  return {
    claim(claim, join) {
      transition("NONE", claim.state);
      const write = (trx: Trx) => claimWithin(trx, claim, times);
      return retryOnOrderConflict(() => (join ? writeJoined(deps.db, join, write) : claims.add(claim)));
    },
    record: (change) => {
      transition(change.from, change.to);
      return changes.add(change);
    },
    reject: async (rejection, join) => {
      transition("NONE", "REJECTED");
      if (!join) return await rejections.add(rejection);
      const isNew = async (trx: Trx) => ((await rejectWithin(trx, rejection)) ? rejection : undefined);
      return (await writeJoined(deps.db, join, isNew)) !== undefined;
    },
  };
}

/**
 * Writes a first row, and the rows that join it, in one transaction.
 * @returns undefined if the row exists already, or `join` refuses.
 */
async function writeJoined<Written extends object>(
  db: Kysely<PaymentsDatabase>,
  join: Join,
  write: (trx: Trx) => Promise<Written | undefined>,
): Promise<Written | undefined> {
  try {
    return await db.transaction().execute(async (trx) => {
      const written = await write(trx);
      // A copy of a message; or the order has another payment that is undecided.
      if (!written || "undecided" in written) return written;
      if (!(await join(trx))) throw new JoinRefused();
      return written;
    });
  } catch (error) {
    if (error instanceof JoinRefused) return undefined;
    throw error;
  }
}

/** Rolls a first row back. */
class JoinRefused extends Error {
  override name = "JoinRefused";
  readonly code = "join_refused";
}

/** Claims one payment within a transaction that writes more. @returns as {@link PaymentWrites.claim}. */
async function claimWithin(
  trx: Trx,
  claim: Claim,
  { leaseMs, expireAfterMs }: ClaimTimes,
): Promise<ClaimedPayment | OrderTaken | undefined> {
  const values = [leaseMs, expireAfterMs, ...CLAIM_COLUMNS.map(([column]) => [claim[column]])];
  const { rows } = await trx.executeQuery<ClaimAnswer>(CompiledQuery.raw(CLAIM.keyed.text, values));
  return rows[0] && claimResult(rows[0]);
}

/** One row for each claim that was made, or whose order is taken. */
type ClaimAnswer = { lease_token: string } & (
  | { created_at: Date; undecided: null }
  | { created_at: null; undecided: string }
);

function claimResult({ created_at, undecided }: ClaimAnswer): ClaimedPayment | OrderTaken {
  return undecided === null ? { created_at } : { undecided };
}

/** Records one change within a transaction that writes more. @returns as {@link PaymentWrites.record}. */
export async function recordWithin(trx: Trx, change: RecordRow): Promise<boolean> {
  transition(change.from, change.to);
  const values = RECORD_COLUMNS.map(([column]) => [change[column]]);
  const { rows } = await trx.executeQuery(CompiledQuery.raw(RECORD.keyed.text, [NOT_CLAIMED, ...values]));
  return rows.length === 1;
}

/** Records one rejection within a transaction that writes more. @returns as {@link PaymentWrites.reject}. */
async function rejectWithin(trx: Trx, rejection: RejectRow): Promise<boolean> {
  const values = REJECT_COLUMNS.map(([column]) => [rejection[column]]);
  const { rows } = await trx.executeQuery(CompiledQuery.raw(REJECT.text, [NOT_CLAIMED, ...values]));
  return rows.length === 1;
}

/** The transaction may still be rolled back, so that its events are left to the outbox. */
const NOT_CLAIMED = null;

const BATCHES = {
  sizeMax: 64,
  /** Two flushes keep the database's log writer busy; more only split the batches. */
  flushesMax: 2,
  /** The server refused the whole statement, and one invalid row must not fail the other rows. */
  isolates: (error: unknown) => error instanceof DatabaseError,
};

async function claimAll(pool: Pool, items: Claim[], { leaseMs, expireAfterMs }: ClaimTimes) {
  const keyed = items.some((item) => item.idempotency_key !== null);
  const rows = await runStatement<ClaimAnswer>(pool, {
    ...(keyed ? CLAIM.keyed : CLAIM.plain),
    values: [leaseMs, expireAfterMs, ...CLAIM_COLUMNS.map(([column]) => items.map((item) => item[column]))],
  });
  const claimed = new Map(rows.map((row) => [row.lease_token, claimResult(row)]));
  return items.map((item) => claimed.get(item.lease_token));
}

async function recordAll({ pool, relay }: WriteDeps, items: RecordRow[]): Promise<boolean[]> {
  const keyed = items.some((item) => item.keyed);
  const statement = { ...(keyed ? RECORD.keyed : RECORD.plain), columns: RECORD_COLUMNS };
  return await writeWithEvents(relay, items, (claimMs) => runBatch(pool, statement, claimMs, items));
}

async function rejectAll({ pool, relay }: WriteDeps, items: RejectRow[]): Promise<boolean[]> {
  const statement = { ...REJECT, columns: REJECT_COLUMNS };
  return await writeWithEvents(relay, items, (claimMs) => runBatch(pool, statement, claimMs, items));
}

async function runBatch<Item>(
  pool: Pool,
  { columns, ...statement }: Statement & { columns: readonly (readonly [keyof Item, string])[] },
  claimMs: number | null,
  items: Item[],
): Promise<WrittenRow[]> {
  const arrays = columns.map(([column]) => items.map((item) => item[column]));
  return await runStatement(pool, { ...statement, values: [claimMs, ...arrays] });
}

/** One named statement on a connection of its own. */
export async function runStatement<Row>(
  pool: Pool,
  query: { name: string; text: string; values: unknown[] },
): Promise<Row[]> {
  const connection = await acquireConnection(pool);
  let broken = false;
  try {
    return (await connection.query(query)).rows as Row[];
  } catch (error) {
    broken = !(error instanceof DatabaseError);
    throw error;
  } finally {
    connection.release(broken);
  }
}
