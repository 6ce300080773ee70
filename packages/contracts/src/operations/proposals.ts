import { z } from "zod";
import { exportQuery, pageQuery, WITH_ROWS } from "../http/list-query.ts";
import { PROPOSAL_KINDS, proposalPageSchema, type ProposalKind } from "../http/proposals.ts";
import { livemodeParameter } from "../livemode.ts";
import { mayAct, type OperatorRole } from "../operator-role.ts";
import { acquirerAccountOperations } from "./acquirer-accounts.ts";
import { chargebackOperations } from "./chargebacks.ts";
import { defineOperatorOperations } from "./define-operations.ts";
import { differenceOperations } from "./differences.ts";
import { paymentOperations } from "./payments.ts";
import { refundOperations } from "./refunds.ts";
import { settlementOperations } from "./settlements.ts";

/** The proposals of one person that another one has to decide, wherever that is. */
export const proposalOperations = defineOperatorOperations({
  listProposals: {
    method: "GET",
    path: "/operator/proposals",
    role: "viewer",
    summary: "List what waits for a second person",
    description:
      "Returns what one person has proposed and another one has to decide, oldest first: of each kind, where your role " +
      `may decide it. What you have proposed yourself is in it, too. ${WITH_ROWS}`,
    queryParameters: z.object({ livemode: livemodeParameter, ...pageQuery, ...exportQuery }),
    responses: { 200: { description: "One page of proposals", body: proposalPageSchema, rows: true } },
    problems: ["validation_failed", "forbidden"],
  },
});

/** The operation by which the second person decides. */
const DECIDED_BY: Record<ProposalKind, { role: OperatorRole }> = {
  ACCOUNT_CHANGE: acquirerAccountOperations.confirmAcquirerAccount,
  ROUTES: acquirerAccountOperations.confirmMerchantRoutes,
  PAYMENT_OUTCOME: paymentOperations.resolvePayment,
  CHARGEBACK_OUTCOME: chargebackOperations.decideChargeback,
  REFUND_APPROVAL: refundOperations.approveRefund,
  REFUND_OUTCOME: refundOperations.resolveRefund,
  DIFFERENCE: differenceOperations.closeDifference,
  SETTLEMENT_FILE: settlementOperations.confirmSettlement,
};

/** The kinds that a person with these roles may decide. */
export function proposalKindsFor(roles: ReadonlySet<OperatorRole>): ProposalKind[] {
  return PROPOSAL_KINDS.filter((kind) => mayAct(roles, DECIDED_BY[kind].role));
}
