import {
  agreeToRefund,
  getRefund,
  operations,
  type ApiPaymentResponse,
  type CommandReply,
  type MessageContext,
  type OperatorRefundDetail,
  type RequestRefund,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { serveCommands } from "@holdfast/tests/support";

/**
 * Takes the place of the refunds service, which is another process: keeps what it receives, and answers as a test says.
 */
export async function startTestRefunds(natsUrl: string) {
  const received: { context: MessageContext; payload: RequestRefund }[] = [];
  const lookups: { context: MessageContext; refundId: string }[] = [];
  const answers = {
    request: async (payload: RequestRefund): Promise<CommandReply<ApiPaymentResponse>> => ({
      outcome: "done",
      result: refundRecordOf(payload),
    }),
    lookUp: async (): Promise<CommandReply<ApiPaymentResponse>> => ({
      outcome: "problem",
      code: "refund_not_found",
    }),
    approve: async (): Promise<CommandReply<OperatorRefundDetail>> => ({
      outcome: "problem",
      code: "refund_not_found",
    }),
  };
  const serving = await serveCommands(natsUrl, "refunds", [
    handler(operations.requestRefund.command, async ({ context, payload }) => {
      received.push({ context, payload });
      return await answers.request(payload);
    }),
    handler(getRefund, async ({ context, payload }) => {
      lookups.push({ context, refundId: payload.refundId });
      return await answers.lookUp();
    }),
    handler(operations.approveRefund.command, async () => await answers.approve()),
  ]);
  // `payments` gets each approval first.
  const payments = await serveCommands(natsUrl, "payments", [
    handler(agreeToRefund, async () => ({ outcome: "done", result: { approvalsRequired: 1 as const } })),
  ]);
  return {
    async stop() {
      await serving.stop();
      await payments.stop();
    },
    received,
    lookups,
    /** Replaced by tests. */
    answers,
  };
}

export function refundRecordOf({ refundId, paymentId, currency }: RequestRefund): ApiPaymentResponse {
  return {
    paymentId: refundId,
    parentPaymentId: paymentId,
    orderId: "order-1",
    livemode: true,
    amount: 12.5,
    installmentCount: 1,
    currency,
    merchantCommission: 0,
    status: "PENDING_APPROVAL",
    transactionType: "REFUND",
    paymentDate: "2026-11-20T12:00:00.000Z",
    cardHolderName: "Ada Lovelace",
    pan: "411111******1111",
    cardSubType: "CLASSIC",
  };
}
