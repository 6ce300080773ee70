import { randomUUID } from "node:crypto";
import {
  cancelCheckout,
  inspectCheckoutCard,
  operations,
  payCheckout,
  viewCheckout,
  type CheckoutPage,
  type CheckoutRecord,
  type CommandReply,
  type MessageContext,
  type OpenCheckout,
  type PayCheckout,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { serveCommands } from "@holdfast/tests/support";

/** Takes the place of the payments service for checkouts: keeps what it receives, and answers as a test says. */
export async function startTestCheckouts(natsUrl: string) {
  const opened: { context: MessageContext; payload: OpenCheckout }[] = [];
  const paid: { context: MessageContext; payload: PayCheckout }[] = [];
  const cancelled: string[] = [];
  const answers = {
    installments: [
      { count: 1, totalMinor: "1250" },
      { count: 3, totalMinor: "1250" },
    ],
    open: async (payload: OpenCheckout): Promise<CommandReply<CheckoutRecord>> => ({
      outcome: "done",
      result: recordOf(payload),
    }),
    read: async (): Promise<CommandReply<CheckoutRecord>> => NOT_FOUND,
    view: async (_checkoutId: string): Promise<CommandReply<CheckoutPage>> => NOT_FOUND,
    pay: async (_merchantId: string): Promise<CommandReply<CheckoutPage>> => NOT_FOUND,
  };
  const serving = await serveCommands(natsUrl, "payments", [
    handler(operations.createCheckout.command, async (message) => {
      opened.push(message);
      return await answers.open(message.payload);
    }),
    handler(operations.getCheckout.command, () => answers.read()),
    handler(viewCheckout, ({ payload }) => answers.view(payload.checkoutId)),
    handler(payCheckout, async (message) => {
      paid.push(message);
      return await answers.pay(message.context.merchant.merchantId);
    }),
    handler(cancelCheckout, async ({ payload }) => {
      cancelled.push(payload.checkoutId);
      return await answers.view(payload.checkoutId);
    }),
    handler(inspectCheckoutCard, async () => ({
      outcome: "done",
      result: { cardScheme: "VISA", installments: answers.installments },
    })),
  ]);
  return {
    ...serving,
    opened,
    paid,
    cancelled,
    /** Replaced by tests. */
    answers,
  };
}

const NOT_FOUND = { outcome: "problem", code: "checkout_not_found" } as const;

export function recordOf({
  amountMinor: _amount,
  expiresInSeconds: _expires,
  ...payload
}: OpenCheckout): CheckoutRecord {
  return {
    ...payload,
    installmentOptions: [1],
    livemode: true,
    status: "OPEN",
    amount: 12.5,
    createdAt: "2026-11-20T12:00:00.000Z",
    expiresAt: "2026-11-20T12:30:00.000Z",
  };
}

export function pageOf(change: Partial<CheckoutPage> & Pick<CheckoutPage, "merchantId">): CheckoutPage {
  return {
    checkoutId: randomUUID(),
    status: "OPEN",
    orderId: "order-1",
    amountMinor: "1250",
    currency: "TRY",
    installmentOptions: [1, 3],
    successUrl: "https://shop.example/paid",
    failureUrl: "https://shop.example/failed",
    expiresAt: "2026-11-20T12:30:00.000Z",
    attemptsLeft: 5,
    ...change,
  };
}
