import {
  operations,
  type ApiPaymentResponse,
  type CommandReply,
  type MessageContext,
  type PreAuthorizePayment,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { serveCommands } from "@holdfast/tests/support";

type Reply = CommandReply<ApiPaymentResponse>;
export type Received = {
  context: MessageContext;
  traceparent: string | undefined;
  payload: PreAuthorizePayment;
};

/**
 * Takes the place of the payments service, which is another process: keeps what it receives, and answers as a test says.
 */
export async function startTestPayments(natsUrl: string) {
  const received: Received[] = [];
  const lookups: { context: MessageContext; paymentId: string }[] = [];
  const answers = {
    preAuthorize: async ({ payload }: Received): Promise<Reply> => ({
      outcome: "done",
      result: recordOf(payload),
    }),
    lookUp: async (): Promise<Reply> => ({ outcome: "problem", code: "payment_not_found" }),
  };
  const serving = await serveCommands(natsUrl, "payments", [
    handler(operations.preAuthorize.command, async (message) => {
      received.push(message);
      return await answers.preAuthorize(message);
    }),
    handler(operations.getPayment.command, async ({ context, payload }) => {
      lookups.push({ context, paymentId: payload.paymentId });
      return await answers.lookUp();
    }),
  ]);
  return {
    ...serving,
    received,
    lookups,
    /** Replaced by tests. */
    answers,
  };
}

export function recordOf(payload: Pick<PreAuthorizePayment, "paymentId" | "orderId">): ApiPaymentResponse {
  return {
    paymentId: payload.paymentId,
    orderId: payload.orderId,
    livemode: true,
    amount: 12.5,
    installmentCount: 1,
    currency: "TRY",
    merchantCommission: 0,
    status: "SUCCESS",
    transactionType: "PRE_AUTHORIZATION",
    paymentDate: "2026-11-20T12:00:00.000Z",
    cardHolderName: "Ada Lovelace",
    pan: "411111******1111",
    cardSubType: "CLASSIC",
  };
}
