import { PAYMENT_STATUS_CHANGED, type EventType } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import { sql, type Transaction, type Updateable } from "kysely";
import type { RefundsDatabase, RefundTable } from "../database.ts";
import { isFinal, isUnderWay, transition, type RefundState } from "./refund.ts";
import { webhookBody, type RefundRow } from "./refund-record.ts";
import { stateAgeMs } from "./refund-queries.ts";

export type RefundChange = {
  to: RefundState;
  cause: string;
  /** Columns that change with the state. */
  set?: Pick<Updateable<RefundTable>, ChangedWithState>;
  /** Length of the lease under which the caller continues, if the refund is still under way. */
  leaseMs: number;
};

type ChangedWithState = Exclude<
  keyof RefundTable,
  "refund_id" | "state" | "version" | "lease_token" | "lease_until" | "recover_at" | "amount_minor"
>;

/**
 * Moves a refund to its next state, with its history, and with the merchant's event if that state is final.
 * The update requires the state and the lease that `refund` was read with: an overtaken process changes
 * nothing.
 *
 * @returns the refund after the change, under a new lease if it is still under way, or undefined if the
 * process was overtaken.
 */
export async function changeRefund(
  trx: Transaction<RefundsDatabase>,
  refund: RefundRow,
  { to, cause, set, leaseMs }: RefundChange,
): Promise<(RefundRow & { state_age_ms: number }) | undefined> {
  const state = transition(refund.state, to);
  const leaseEnds = isUnderWay(state) ? fromNow(leaseMs) : null;
  const changed = await trx
    .updateTable("refund")
    .set({
      ...set,
      state,
      version: sql<number>`version + 1`,
      state_since: sql<Date>`now()`,
      lease_token: isUnderWay(state) ? sql<string>`gen_random_uuid()` : null,
      lease_until: leaseEnds,
      recover_at: leaseEnds,
      recovery_attempts: 0,
      last_inquiry: null,
      updated_at: sql<Date>`now()`,
    })
    .where("refund_id", "=", refund.refund_id)
    .where("state", "=", refund.state)
    .where(sql<boolean>`lease_token is not distinct from ${refund.lease_token}`)
    .returningAll()
    .returning(stateAgeMs().as("state_age_ms"))
    .executeTakeFirst();
  if (!changed) return undefined;
  const { refund_id, version } = changed;
  await trx
    .insertInto("refund_history")
    .values({ refund_id, version, from_state: refund.state, to_state: state, cause })
    .execute();
  if (isFinal(state)) await recordEvent(trx, changed, PAYMENT_STATUS_CHANGED);
  return changed;
}

/** The merchant's event about the state that the refund has now. */
export async function recordEvent(
  trx: Transaction<RefundsDatabase>,
  refund: RefundRow,
  event_type: EventType,
): Promise<void> {
  const { refund_id, merchant_id, state: status, traceparent } = refund;
  const body = webhookBody(refund);
  await trx
    .insertInto("outbox")
    .values({ event_type, payment_id: refund_id, merchant_id, status, body, traceparent })
    .execute();
}
