import { randomUUID } from "node:crypto";
import {
  operations,
  payCheckout,
  viewCheckout,
  type CheckoutPage,
  type OpenCheckout,
  type PayCheckout,
} from "@holdfast/contracts";
import { expect } from "vitest";
import type { PaymentsHarness } from "./payments-harness.ts";

export type CheckoutSteps = ReturnType<typeof checkouts>;

let orders = 1_000;

/** The steps of a hosted checkout, for a test that plays merchant, gateway and buyer. */
export function checkouts(payments: PaymentsHarness) {
  const steps = {
    order: (change: Partial<OpenCheckout> = {}): OpenCheckout => ({
      checkoutId: randomUUID(),
      orderId: `order-${++orders}`,
      amountMinor: "1250",
      currency: "TRY",
      installmentOptions: [3, 6],
      successUrl: "https://shop.example/paid",
      failureUrl: "https://shop.example/failed",
      transactionType: "PAYMENT",
      threeDs: false,
      ...change,
    }),
    /** @returns its id. */
    async open(change: Partial<OpenCheckout> = {}): Promise<string> {
      const order = steps.order(change);
      const reply = await payments.call(operations.createCheckout.command, order);
      expect(reply).toMatchObject({ outcome: "done", result: { status: "OPEN" } });
      return order.checkoutId;
    },
    /** A filled-in form, as the gateway sends it. */
    form(
      checkoutId: string,
      cardData: { pan?: string } = {},
      change: Partial<PayCheckout> = {},
    ): PayCheckout {
      const paymentId = change.paymentId ?? randomUUID();
      const { cardHolderName, card, requestIp, requestPort } = payments.command({ paymentId, cardData });
      const page = "https://pay.example/page";
      return {
        checkoutId,
        paymentId,
        cardHolderName,
        card,
        installmentCount: 1,
        requestIp,
        requestPort,
        session: { sessionId: randomUUID(), returnUrl: page, pageUrl: page },
        checkoutUrl: page,
        ...change,
      };
    },
    pay: (checkoutId: string, cardData?: { pan?: string }, change?: Partial<PayCheckout>) =>
      payments.call(payCheckout, steps.form(checkoutId, cardData, change)),
    async view(checkoutId: string): Promise<CheckoutPage> {
      const reply = await payments.askAsGateway(viewCheckout, { checkoutId });
      if (reply.outcome !== "done") throw new Error(reply.outcome);
      return reply.result;
    },
    /** The checkout's payments in the order of its attempts. */
    paymentsOf: (checkoutId: string) =>
      payments.query<{ payment_id: string; state: string }>(
        `select payment_id, state from payments.checkout_payment join payments.payment using (payment_id)
         where checkout_id = $1 order by attempt`,
        [checkoutId],
      ),
    letExpire: (checkoutId: string) =>
      payments.query("update payments.checkout set expires_at = now() where checkout_id = $1", [checkoutId]),
    /** The state as it is stored, without a look by the service. */
    async storedState(checkoutId: string): Promise<string | undefined> {
      const [row] = await payments.query<{ state: string }>(
        "select state from payments.checkout where checkout_id = $1",
        [checkoutId],
      );
      return row?.state;
    },
  };
  return steps;
}
