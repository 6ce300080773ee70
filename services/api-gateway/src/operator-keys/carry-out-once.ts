import { hkdfSync, randomUUID, randomUUIDv7 } from "node:crypto";
import {
  idInMode,
  JsonNumber,
  livemodeOf,
  parseJsonAmount,
  PROBLEMS,
  shownOnceIn,
  wholeNumberOf,
  type Endpoint,
  type ProblemCode,
} from "@holdfast/contracts";
import { decideReplay, fingerprintRequest } from "@holdfast/idempotency";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Kysely, Transaction } from "kysely";
import type { GatewayDatabase } from "../database.ts";
import type { Answer, Call } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import {
  findOperatorKey,
  freeOperatorKey,
  storeOperatorAnswer,
  takeOperatorKey,
  type KeyLease,
  type KeyTable,
  type OperatorKey,
} from "./operator-key-queries.ts";

type Outcome = Answer<number> | Refusal;

/** Carries a call out, or answers it as an earlier one with the same Idempotency-Key was answered. */
export type CarryOutOnce = (
  endpoint: Endpoint,
  call: Call<Endpoint>,
  handle: () => Promise<Outcome>,
) => Promise<Outcome>;

type Deps = { db: Kysely<GatewayDatabase>; table: KeyTable; peppers: KeyRing; leaseMs: number };

/**
 * Idempotency-Keys of operators (docs/adr/0037), and of merchants' staff. The key is claimed before anything
 * is done and answered afterwards, or in the same transaction if the work is in the gateway's own tables. A
 * request that leaves no answer (its process died, or its outcome is unknown) may be repeated after its
 * lease, under the same generated id.
 */
export function createCarryOutOnce({ db, table, peppers, leaseMs }: Deps): CarryOutOnce {
  const fingerprintsOf = fingerprinting(peppers);
  return async (endpoint, call, handle) => {
    const { exchange, body } = call;
    const owner = keyOf(table, call);
    if (!owner) return await handle();
    const mine = { ...fingerprintsOf(body), resourceId: randomUUIDv7() };
    const lease = await takeOperatorKey(db, owner, { ...mine, leaseId: randomUUID() }, leaseMs);
    if (!lease) {
      const taken = await findOperatorKey(db, owner);
      if (!taken) return IN_USE;
      const decision = decideReplay(taken, mine);
      if (decision.kind === "reused") return REUSED;
      return decision.kind === "answer" ? fromJson(decision.json) : IN_USE;
    }
    const work = new KeyedWork(owner, lease, endpoint);
    exchange.keyedWork = work;
    const outcome = await handle();
    try {
      if (isFinal(outcome)) await work.store(db, outcome);
      else if (outcome instanceof Refusal && didNothing(outcome))
        await freeOperatorKey(db, owner, lease.leaseId);
    } catch (error) {
      // The work is done and its answer is right: a repetition finds the key without one.
      exchange.error = error;
    }
    return outcome;
  };
}

/** A person's key; for a merchant's staff, of that merchant and mode, so that no answer crosses to another. */
function keyOf(table: KeyTable, { exchange, query }: Call<Endpoint>): OperatorKey | undefined {
  const { idempotency, operator, staff } = exchange;
  if (!idempotency) return undefined;
  if (operator) return { table, subject: operator.person, ...idempotency };
  if (!staff) return undefined;
  const livemode = (query as { livemode?: "true" | "false" } | undefined)?.livemode;
  const scope = `${idInMode(staff.merchantId, livemodeOf(livemode))} ${idempotency.scope}`;
  return { table, subject: staff.person, key: idempotency.key, scope };
}

/** A body may hold a bank's password, so its hash is keyed, by keys that are derived from the peppers. */
function fingerprinting({ activeId, keys }: KeyRing) {
  const derived = new Map(
    [...keys].map(([id, pepper]) => [
      id,
      Buffer.from(hkdfSync("sha256", pepper, "", "holdfast operator key v1", 32)),
    ]),
  );
  return (body: unknown): { fingerprint: Buffer; older: Buffer[] } => {
    const fields = [JSON.stringify(body ?? null, asText)];
    const older = [...derived].filter(([id]) => id !== activeId);
    return {
      fingerprint: fingerprintRequest(derived.get(activeId)!, fields),
      older: older.map(([, key]) => fingerprintRequest(key, fields)),
    };
  };
}

/** Writes equal amounts in one way. No currency has more than four decimals. */
function asText(_name: string, value: unknown): unknown {
  if (!(value instanceof JsonNumber)) return value;
  const parsed = parseJsonAmount(value.source, 4);
  if (typeof parsed === "bigint") return `${parsed} ten-thousandths`;
  return String(wholeNumberOf(value) ?? value.source);
}

/** A request whose Idempotency-Key is claimed, as routes see it. */
export class KeyedWork {
  /** The id for the resource that the request creates in another service, the same in every repetition. */
  readonly resourceId: string;
  readonly #owner: OperatorKey;
  readonly #leaseId: string;
  readonly #shownOnce: readonly string[];
  #isStored = false;

  constructor(owner: OperatorKey, { resourceId, leaseId }: KeyLease, endpoint: Endpoint) {
    this.resourceId = resourceId;
    this.#owner = owner;
    this.#leaseId = leaseId;
    this.#shownOnce = shownOnceIn(endpoint);
  }

  /**
   * Stores the answer, without the parts that are shown only once.
   *
   * @throws OvertakenError if a repetition has the key by now: a transaction that does the work then does not
   * commit.
   */
  async store(db: Kysely<GatewayDatabase> | Transaction<GatewayDatabase>, outcome: Outcome): Promise<void> {
    if (this.#isStored) return;
    const json = Buffer.from(toJson(outcome, this.#shownOnce));
    if (!(await storeOperatorAnswer(db, this.#owner, this.#leaseId, json))) throw new OvertakenError();
    this.#isStored = true;
  }
}

/** Another process carries the same request out, so this one cannot say how it ends. */
export class OvertakenError extends Error {
  override name = "OvertakenError";
  readonly code = "overtaken";
}

/** Successes, and refusals that no time changes. */
function isFinal(outcome: Outcome): boolean {
  if (!(outcome instanceof Refusal)) return true;
  const { status } = PROBLEMS[outcome.code];
  return (status === 409 || status === 422) && !PASSING.has(outcome.code);
}

/** These problems end by themselves, so the same request may succeed later. */
const PASSING: ReadonlySet<ProblemCode> = new Set([
  "operation_in_progress",
  "refund_pending",
  "reversal_pending",
  "too_young",
  "idempotency_key_in_use",
]);

/** True if nothing was done; after other refusals something may have been. */
function didNothing({ code }: Refusal): boolean {
  return code !== "outcome_unknown" && code !== "internal_error";
}

function toJson(outcome: Outcome, shownOnce: readonly string[]): string {
  if (outcome instanceof Refusal) return JSON.stringify({ code: outcome.code, extra: outcome.extra });
  const { status, headers, body } = outcome;
  const kept = body && Object.fromEntries(Object.entries(body).filter(([name]) => !shownOnce.includes(name)));
  return JSON.stringify({ status, headers, body: kept });
}

function fromJson(json: string): Outcome {
  const stored = JSON.parse(json) as Answer<number> | Pick<Refusal, "code" | "extra">;
  const headers = "code" in stored ? stored.extra?.headers : stored.headers;
  const replayed = { headers: { ...headers, "Idempotent-Replayed": "true" } };
  return "code" in stored
    ? new Refusal(stored.code, { ...stored.extra, ...replayed })
    : { ...stored, ...replayed };
}

const IN_USE = new Refusal("idempotency_key_in_use");
const REUSED = new Refusal("idempotency_key_reused");
