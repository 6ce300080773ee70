import { appendAudit } from "@holdfast/audit";
import type {
  ChargebackDetail,
  CommandReply,
  operations,
  OperatorContext,
  ProblemCode,
} from "@holdfast/contracts";
import type { Transaction } from "kysely";
import type { z } from "zod";
import type { PaymentsDatabase } from "../../database.ts";
import { lockPayment } from "../../payment/payment-queries.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import { transition } from "./chargeback.ts";
import type { CaseRow } from "./chargeback-record.ts";
import { changeCase, findCase } from "./chargeback-queries.ts";
import { describeCase, type OperatorChargebackDeps } from "./open-chargeback.ts";

type Trx = Transaction<PaymentsDatabase>;
type Reply = CommandReply<ChargebackDetail>;

/**
 * Records how an open case ended. Above the configured amount the first person proposes an outcome, and a
 * second person who states the same outcome decides. A different outcome replaces the proposal.
 */
export async function decideChargeback(
  deps: OperatorChargebackDeps,
  { operator }: OperatorContext,
  { chargebackId, outcome, reason }: z.infer<typeof operations.decideChargeback.command.request>,
): Promise<Reply> {
  return await onOpenCase(deps, chargebackId, async (trx, payment, row) => {
    const { name: actor, person } = operator;
    const limit = deps.twoAbove.get(row.currency);
    const isConfirmed = row.proposed_outcome === outcome;
    const isFirstOfTwo = limit !== undefined && row.amount_minor > limit && !isConfirmed;
    if (isConfirmed && row.proposed_by === person) return "same_person";
    const set = isFirstOfTwo
      ? { proposed_outcome: outcome, proposed_by: person, proposed_at: new Date(), outcome_reason: reason }
      : {
          status: transition(row.status, outcome),
          decided_by: person,
          outcome_reason: reason,
          ...(!isConfirmed && { proposed_outcome: null, proposed_by: null, proposed_at: null }),
        };
    await changeCase(trx, payment, row, set);
    await audit(trx, actor, isFirstOfTwo ? "chargeback.outcome_proposed" : "chargeback.decided", row, {
      outcome,
      reason,
    });
    return undefined;
  });
}

/** Records the bank's data about an open case. */
export async function changeChargeback(
  deps: OperatorChargebackDeps,
  { operator }: OperatorContext,
  { chargebackId, ...said }: z.infer<typeof operations.changeChargeback.command.request>,
): Promise<Reply> {
  return await onOpenCase(deps, chargebackId, async (trx, payment, row) => {
    const { reasonCode, bankReference, respondBy } = said;
    const set = {
      ...(reasonCode !== undefined && { reason_code: reasonCode }),
      ...(bankReference !== undefined && { bank_reference: bankReference }),
      ...(respondBy !== undefined && { respond_by: new Date(respondBy) }),
    };
    await changeCase(trx, payment, row, set);
    await audit(trx, operator.name, "chargeback.changed", row, said);
    return undefined;
  });
}

/** The payment's row is locked before its cases are looked at. */
async function onOpenCase(
  deps: OperatorChargebackDeps,
  chargebackId: string,
  change: (trx: Trx, payment: PaymentRow, row: CaseRow) => Promise<ProblemCode | undefined>,
): Promise<Reply> {
  const code = await deps.db.transaction().execute(async (trx): Promise<ProblemCode | undefined> => {
    const known = await findCase(trx, chargebackId);
    const payment = known && (await lockPayment(trx, known.payment_id, undefined));
    const row = payment && (await findCase(trx, chargebackId));
    if (!row) return "chargeback_not_found";
    if (row.status !== "OPEN") return "chargeback_ended";
    return await change(trx, payment, row);
  });
  return code ? { outcome: "problem", code } : await describeCase(deps, chargebackId);
}

async function audit(
  trx: Trx,
  actor: string,
  action: string,
  { chargeback_id, payment_id, amount_minor, currency }: CaseRow,
  detail: Record<string, unknown>,
): Promise<void> {
  await appendAudit(trx, {
    actor,
    action,
    subject: chargeback_id,
    detail: { paymentId: payment_id, amountMinor: `${amount_minor}`, currency, ...detail },
  });
}
