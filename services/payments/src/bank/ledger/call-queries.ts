/** The only writes of `bank_call` beside the statements in `call-statements.ts`. */
import { msSince } from "@holdfast/postgres";
import { failpoint } from "@holdfast/service-runtime";
import {
  isToldByNames,
  MISMATCH,
  type Approved,
  type Capabilities,
  type Declined,
  type NotSent,
  type Unknown,
} from "@holdfast/acquirer";
import { sql, type Kysely } from "kysely";
import { DatabaseError } from "pg";
import type { PaymentsDatabase } from "../../database.ts";
import {
  answerColumns,
  approvalIn,
  chargeOf,
  nameGiven,
  nameIn,
  type BankCall,
  type CallAnswer,
} from "./bank-call.ts";
import type { CallKind } from "./bank-call-table.ts";

type Db = Kysely<PaymentsDatabase>;

/** All calls of a payment, in the order in which they were begun. */
export async function findCalls(db: Db, paymentId: string): Promise<BankCall[]> {
  return await db
    .selectFrom("bank_call")
    .selectAll()
    .select(msSince("sent_at").as("sent_ms_ago"))
    .where("payment_id", "=", paymentId)
    .orderBy("number")
    .execute();
}

/**
 * A payment on which the caller may begin a call: under its lease, or, if it has none, under its row's lock.
 */
export type HeldPayment = { payment_id: string; account_id: string; lease_token: string | null };

/** A call that is about to be sent. */
export type NewCall = {
  kind: CallKind;
  reference: string;
  amountMinor: bigint;
  currency: string;
  /** The number of the reference, and the operation or the refund; the payment's own calls have neither. */
  subReference?: number;
  movementId?: string;
  /** The names of the order's movements of its kind before the call, if only names identify movements. */
  namesBefore?: readonly string[] | undefined;
};

/** A call that has begun, as its answer finds it. */
export type BegunCall = Pick<
  BankCall,
  "payment_id" | "account_id" | "number" | "kind" | "movement_id" | "amount_minor" | "currency"
>;

/**
 * Commits, before a call is made, that it may be at the bank from now on. The payment's row is locked. A
 * process that leases the payment before reading its calls therefore sees this call, or this function finds
 * that the lease belongs to that process.
 * @param known the payment's calls as the caller has read them.
 * @returns undefined if the lease belongs to another process, or another call has begun since `known` was
 * read.
 */
export async function beginCall(
  db: Db,
  { payment_id, account_id, lease_token }: HeldPayment,
  { kind, reference, amountMinor, currency, subReference = 1, movementId, namesBefore }: NewCall,
  known: readonly Pick<BankCall, "number">[],
): Promise<BegunCall | undefined> {
  const { rows } = await sql<BegunCall>`
    with held as (
      select payment_id from payment
      where payment_id = ${payment_id} and lease_token is not distinct from ${lease_token}::uuid
      for no key update
    )
    insert into bank_call
      (payment_id, account_id, number, sub_reference, movement_id, amount_minor, currency, kind, reference, names_before)
    select payment_id, ${account_id}::uuid, ${(known.at(-1)?.number ?? 0) + 1}, ${subReference}::smallint,
      ${movementId ?? null}::uuid, ${amountMinor}, ${currency}, ${kind}, ${reference}, ${namesBefore ?? null}::text[]
    from held
    on conflict (payment_id, number) do nothing
    returning payment_id, account_id, number, kind, movement_id, amount_minor, currency`.execute(db);
  return rows[0];
}

/**
 * Makes a begun call, and notes its answer.
 * @returns the answer as it was noted.
 * @throws if the answer cannot be noted; the call then stays open.
 */
export async function makeCall<Answer extends CallAnswer>(
  db: Db,
  call: BegunCall,
  can: Naming & Pick<Capabilities, "ownReferenceOn">,
  send: () => Promise<Answer>,
): Promise<Answer | Unknown> {
  await failpoint("payments.after_call_begin");
  const answer = await send();
  await failpoint("payments.after_call");
  const others = await approvalOfAnother(db, call, answer, can);
  const noted = others ? await noteAnothers(db, call, others) : await noteAnswer(db, call, answer, can);
  await failpoint("payments.after_call_note");
  return noted;
}

/**
 * The approval in the answer to a refund, if another payment's movement at the account has its name, where only
 * names tell refunds apart: the bank may have taken it for a copy of that one. What the order's own record
 * shows is believed under any name.
 */
async function approvalOfAnother(
  db: Db,
  { payment_id, account_id, kind }: BegunCall,
  answer: CallAnswer,
  can: Pick<Capabilities, "ownReferenceOn">,
): Promise<Approved | undefined> {
  const approval = kind === "refund" && isToldByNames(kind, can) ? approvalIn(answer) : undefined;
  const name = approval && nameIn(approval);
  if (!name) return undefined;
  const namesake = await db
    .selectFrom("bank_call")
    .select("payment_id")
    .where("account_id", "=", account_id)
    .where("own_name", "=", name)
    .where("payment_id", "<>", payment_id)
    .executeTakeFirst();
  return namesake && approval;
}

/** The account's habit in naming what it approves. */
export type Naming = Pick<Capabilities, "sharesNameOn">;

/**
 * Notes the bank's answer to a call, or to an inquiry about it. An answer without a result, or one that
 * nothing was sent, never replaces an answer that an inquiry has brought meanwhile. A name at the bank
 * belongs to one movement: an approval under another movement's name is a mismatch, since it may be that
 * movement's answer.
 * @returns the answer as it was noted.
 */
export async function noteAnswer<Answer extends CallAnswer>(
  db: Db,
  call: BegunCall,
  answer: Answer,
  can: Naming,
): Promise<Answer | Unknown> {
  const approval = approvalIn(answer);
  const name = approval && FOLLOW_UPS.has(call.kind) ? nameIn(approval) : null;
  if (!approval || name === null) {
    await writeAnswer(db, call, answer);
    return answer;
  }
  const given = nameGiven(call, { name, asVoid: approval.asVoid }, await findCalls(db, call.payment_id), can);
  if (given !== "taken") {
    const isNoted = await writeAnswer(db, call, answer, { ownName: given === "own" ? name : null });
    if (isNoted) return answer;
  }
  return await noteAnothers(db, call, approval);
}

/** The approval is stored for operators to read, but does not count as this call's answer. */
async function noteAnothers(db: Db, call: BegunCall, approval: Approved): Promise<Unknown> {
  await writeAnswer(db, call, { ...MISMATCH, heard: approval }, { isAnothers: true });
  return MISMATCH;
}

/** The payment's own authorization or sale comes before all others, so its name is never taken. */
const FOLLOW_UPS: ReadonlySet<CallKind> = new Set(["capture", "void", "release", "refund"]);

/** @returns false if another movement has got the name at the same moment. */
async function writeAnswer(
  db: Db,
  call: BegunCall,
  answer: CallAnswer,
  { ownName = null, isAnothers = false }: { ownName?: string | null; isAnothers?: boolean } = {},
): Promise<boolean> {
  const columns = answerColumns(answer, call);
  const saysNothing = answer.kind === "unknown" || columns.outcome === "not_sent";
  const isHeard = answer.kind === "unknown" && answer.heard && !isAnothers;
  const written = db
    .updateTable("bank_call")
    .set({
      ...columns,
      ...(ownName !== null && { own_name: ownName }),
      ...(isHeard && { heard_at: sql<Date>`clock_timestamp()` }),
      answered_at: answer.kind === "unknown" ? null : sql<Date>`clock_timestamp()`,
    })
    .where("payment_id", "=", call.payment_id)
    .where("number", "=", call.number)
    .$if(saysNothing, (query) => query.where("answered_at", "is", null))
    .execute();
  return await written.then(
    () => true,
    (error: unknown) => {
      if (error instanceof DatabaseError && error.constraint === "bank_call_own_name") return false;
      throw error;
    },
  );
}

/** Notes the approval with which the bank answered a payment's charge, whose outcome stays unknown. */
export async function noteHeard(db: Db, paymentId: string, heard: Approved): Promise<void> {
  const charge = chargeOf(await findCalls(db, paymentId));
  if (charge) await writeAnswer(db, charge, { kind: "unknown", reason: "pending", heard });
}

/**
 * Moves the payment to another account, where a call of its own begins. Nothing was carried out at the
 * previous account, and this answer ends the call there for good. After a decline the payment's age, which
 * decides when a call is given up, starts again.
 * @returns false if the lease is no longer ours.
 */
export async function moveCall(
  db: Db,
  { payment_id, lease_token }: { payment_id: string; lease_token: string },
  accountId: string,
  answer: NotSent | Declined,
): Promise<boolean> {
  // Neither answer has an amount to compare.
  const { outcome, external_transaction_id, result_code, result_message } = answerColumns(answer, NO_AMOUNT);
  const isRetry = answer.kind === "declined";
  const { rows } = await sql`
    with moved as (
      update payment set account_id = ${accountId}::uuid, updated_at = now(),
        recovery_from = case when ${isRetry}::boolean then now() else recovery_from end
      where payment_id = ${payment_id} and lease_token = ${lease_token}
      returning payment_id
    ), ended as (
      update bank_call set answered_at = now(), outcome = ${outcome}, result_code = ${result_code},
        result_message = ${result_message}, external_transaction_id = ${external_transaction_id}
      from moved where bank_call.payment_id = moved.payment_id and answered_at is null
      returning bank_call.*
    ), begun as (
      insert into bank_call (payment_id, account_id, number, amount_minor, currency, kind, reference)
      select payment_id, ${accountId}::uuid, number + 1, amount_minor, currency, kind, reference from ended
    )
    select from moved`.execute(db);
  return rows.length === 1;
}

const NO_AMOUNT = { amount_minor: 0n, currency: "" };

/** The refunds, or operations, of a payment of which a call may have left. */
export async function sentMovements(db: Db, paymentId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("bank_call")
    .select("movement_id")
    .distinct()
    .where("payment_id", "=", paymentId)
    .where("movement_id", "is not", null)
    .where((eb) => eb.or([eb("outcome", "is", null), eb("outcome", "<>", "not_sent")]))
    .execute();
  return rows.map(({ movement_id }) => movement_id!);
}
