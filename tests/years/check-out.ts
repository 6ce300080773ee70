import { randomUUID } from "node:crypto";
import {
  beginPaymentLink,
  cancelCheckout,
  inspectCheckoutCard,
  operations,
  payCheckout,
  viewCheckout,
  viewPaymentLink,
} from "@holdfast/contracts";
import { done } from "./done.ts";
import type { YearsSystem } from "./years-system.ts";

const PAGE = "https://shop.example/";

/** Buyers' flows: a checkout is paid, one is cancelled by its buyer, one by its merchant, and a link is paid. */
export async function checkOut(system: YearsSystem): Promise<{ checkoutId: string; paymentLinkId: string }> {
  const checkoutId = await open(system);
  await pay(system, checkoutId);
  await system.askAsGateway(cancelCheckout, { checkoutId: await open(system) });
  const cancelling = { checkoutId: await open(system), requestId: randomUUID() };
  const idempotency = { scope: "POST /api/checkouts/{checkoutId}/cancel", key: randomUUID() };
  done(await system.call(operations.cancelCheckout.command, cancelling, { idempotency }));
  return { checkoutId, paymentLinkId: await payLink(system) };
}

async function open(system: YearsSystem): Promise<string> {
  const checkoutId = randomUUID();
  const order = {
    checkoutId,
    orderId: `order-${checkoutId}`,
    transactionType: "PAYMENT",
    amountMinor: "1250",
    currency: "TRY",
    successUrl: PAGE,
    failureUrl: PAGE,
    threeDs: false,
  } as const;
  done(await system.call(operations.createCheckout.command, order));
  return checkoutId;
}

async function pay(system: YearsSystem, checkoutId: string): Promise<void> {
  done(await system.askAsGateway(viewCheckout, { checkoutId }));
  done(await system.askAsGateway(inspectCheckoutCard, { checkoutId, bin: "411111" }));
  const { paymentId, cardHolderName, card, requestIp, requestPort } = system.command();
  const session = { sessionId: randomUUID(), returnUrl: PAGE, pageUrl: PAGE };
  const form = { paymentId, cardHolderName, card, requestIp, requestPort, installmentCount: 1 };
  done(await system.call(payCheckout, { checkoutId, ...form, session, checkoutUrl: PAGE }));
}

/** Creates a link for one payment, pays it, reads it and ends it. */
async function payLink(system: YearsSystem): Promise<string> {
  const paymentLinkId = randomUUID();
  const link = {
    paymentLinkId,
    orderId: `lesson-${paymentLinkId}`,
    description: "Piano lesson",
    amountMinor: "1250",
    currency: "TRY",
    threeDs: false,
    use: "SINGLE",
    expiresInSeconds: 3_600,
  } as const;
  const idempotency = { scope: "POST /api/payment-links", key: randomUUID() };
  done(await system.call(operations.createPaymentLink.command, link, { idempotency }));
  done(await system.askAsGateway(viewPaymentLink, { paymentLinkId }));
  const checkoutId = randomUUID();
  done(await system.askAsGateway(beginPaymentLink, { paymentLinkId, checkoutId }));
  await pay(system, checkoutId);
  done(await system.call(operations.getPaymentLink.command, { paymentLinkId }));
  done(await system.call(operations.disablePaymentLink.command, { paymentLinkId, requestId: randomUUID() }));
  return paymentLinkId;
}
