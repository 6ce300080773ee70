/** Two people's statement about a payment, and what is written with its end. */
import type { OperatorContext, resolutionOutcomeSchema } from "@holdfast/contracts";
import type { Transaction } from "kysely";
import type { z } from "zod";
import type { PaymentsDatabase } from "../../database.ts";
import type { AcquirerResult } from "../../payment/authorization-outcome.ts";
import type { LeasedPayment } from "../../payment/payment-lease.ts";
import { audit } from "./operator-request.ts";

export type Outcome = z.infer<typeof resolutionOutcomeSchema>;
export type Statement = { outcome: Outcome; evidence: string };
export type Confirmed = { payment: LeasedPayment; statement: Statement & { proposedBy: string } };

/** Deletes the used proposal; the audit log says who decided by which evidence. */
export async function finishResolution(
  trx: Transaction<PaymentsDatabase>,
  context: OperatorContext,
  { payment, statement }: Confirmed,
): Promise<void> {
  await trx.deleteFrom("payment_resolution").where("payment_id", "=", payment.payment_id).execute();
  await audit(trx, context, "payment.resolved", payment, statement);
}

export const RESOLVED: AcquirerResult = {
  externalTransactionId: null,
  authCode: null,
  resultCode: "resolved",
  resultMessage: "Resolved by two operators with the outcome that the bank confirmed",
};
