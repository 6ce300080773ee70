import { appendAudit } from "@holdfast/audit";
import type {
  AmountsByCurrency,
  ChargebackDetail,
  CommandReply,
  operations,
  OperatorContext,
} from "@holdfast/contracts";
import type { z } from "zod";
import { lockPayment } from "../../payment/payment-queries.ts";
import { refuseOpening } from "./chargeback.ts";
import { chargebackDetail } from "./chargeback-record.ts";
import { casesOf, evidenceOf, findCase, insertCase } from "./chargeback-queries.ts";
import { giveBack, type ChargebackDeps } from "./record-lines.ts";

export type OperatorChargebackDeps = ChargebackDeps & {
  /** The amounts above which two different people say how a case ended. */
  twoAbove: AmountsByCurrency;
};
type Reply = CommandReply<ChargebackDetail>;

/** Opens a case that the bank has announced. A copy of the request gets the case that the first one made. */
export async function openChargeback(
  deps: OperatorChargebackDeps,
  { operator }: OperatorContext,
  asked: z.infer<typeof operations.openChargeback.command.request>,
): Promise<Reply> {
  const { chargebackId, paymentId, currency } = asked;
  const amount_minor = BigInt(asked.amountMinor);
  const refused = await deps.db.transaction().execute(async (trx): Promise<Reply | undefined> => {
    const payment = await lockPayment(trx, paymentId, undefined);
    if (!payment) return { outcome: "problem", code: "payment_not_found" };
    const cases = await casesOf(trx, paymentId);
    if (cases.some((one) => one.chargeback_id === chargebackId)) return undefined;
    const refusal = refuseOpening(payment, cases, { amountMinor: amount_minor, currency });
    if (refusal) return refusal;
    const opened = {
      chargeback_id: chargebackId,
      kind: "CHARGEBACK" as const,
      amount_minor,
      currency,
      reason_code: asked.reasonCode ?? null,
      bank_reference: asked.bankReference ?? null,
      respond_by: asked.respondBy === undefined ? null : new Date(asked.respondBy),
      opened_by: operator.name,
    };
    await insertCase(trx, payment, opened);
    await giveBack(trx, payment);
    await appendAudit(trx, {
      actor: operator.name,
      action: "chargeback.opened",
      subject: chargebackId,
      detail: { paymentId, amountMinor: asked.amountMinor, currency },
    });
    return undefined;
  });
  return refused ?? (await describeCase(deps, chargebackId));
}

/** One case, with the files of its evidence. */
export async function describeCase({ db }: Pick<ChargebackDeps, "db">, chargebackId: string): Promise<Reply> {
  const row = await findCase(db, chargebackId);
  if (!row) return { outcome: "problem", code: "chargeback_not_found" };
  return { outcome: "done", result: chargebackDetail(row, await evidenceOf(db, chargebackId)) };
}
