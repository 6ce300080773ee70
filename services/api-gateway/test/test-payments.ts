import {
  getPayment,
  preAuthorizePayment,
  type ApiPaymentResponse,
  type CommandReply,
  type MessageContext,
  type PreAuthorizePayment,
} from "@holdfast/contracts";
import { connectBus, handler, serve } from "@holdfast/messaging";

type Reply = CommandReply<ApiPaymentResponse>;
export type Received = {
  context: MessageContext;
  traceparent: string | undefined;
  payload: PreAuthorizePayment;
};

/** Takes the place of the payments service, which is another process: keeps what it receives, answers what it is told. */
export async function startTestPayments(natsUrl: string) {
  const bus = await connectBus({ url: natsUrl, name: "test-payments" });
  const received: Received[] = [];
  const lookups: { context: MessageContext; paymentId: string }[] = [];
  const answers = {
    preAuthorize: async ({ payload }: Received): Promise<Reply> => ({
      outcome: "done",
      result: recordOf(payload),
    }),
    lookUp: async (): Promise<Reply> => ({ outcome: "problem", code: "payment_not_found" }),
  };
  const serving = await serve(bus, {
    service: "payments",
    version: "0.0.0",
    inFlightMax: 100,
    onHandled: () => {},
    handlers: [
      handler(preAuthorizePayment, async (message) => {
        received.push(message);
        return await answers.preAuthorize(message);
      }),
      handler(getPayment, async ({ context, payload }) => {
        lookups.push({ context, paymentId: payload.paymentId });
        return await answers.lookUp();
      }),
    ],
  });
  return {
    bus,
    received,
    lookups,
    /** Replaced by tests. */
    answers,
    async stop(): Promise<void> {
      await serving.stop(0);
      await bus.close(1_000);
    },
  };
}

export function recordOf(payload: Pick<PreAuthorizePayment, "paymentId" | "orderId">): ApiPaymentResponse {
  return {
    paymentId: payload.paymentId,
    orderId: payload.orderId,
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
