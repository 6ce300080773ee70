import { randomUUID } from "node:crypto";
import type { CardSealer } from "@holdfast/sealing";
import {
  checkCheckout,
  operations,
  orderDetailsOf,
  toMerchantAnswer,
  type Checkout,
  type CheckoutRecord,
} from "@holdfast/contracts";
import { checkoutUrl } from "../public-pages/public-url.ts";
import { refusalOf, replayedHeader } from "../bus/command-answer.ts";
import { type SendCommand } from "../bus/send-command.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import { amountMinorOf } from "../endpoint/amount-minor.ts";

type Deps = { send: SendCommand; publicUrl: string };

/**
 * POST /api/checkout. The id is generated here, so that a command sent twice is one checkout. It has 122 random bits and
 * no time in it: anybody who knows it can pay, so it must not be guessed. The buyer's data are sealed for it.
 */
export function createCheckoutRoute({ send, publicUrl, cards }: Deps & { cards: CardSealer }) {
  return defineRoute(
    operations.createCheckout,
    async (call) => {
      const { body } = call;
      const checkoutId = randomUUID();
      const { customerId, installmentOptions, installmentPrices, expiresInSeconds, buyerText } = body;
      const details = orderDetailsOf(body);
      const binding = { paymentId: checkoutId, merchantId: call.caller.merchantId };
      const reply = await send(operations.createCheckout.command, call, {
        checkoutId,
        orderId: body.orderId,
        amountMinor: amountMinorOf(body),
        currency: body.currency,
        ...(customerId !== undefined && { customerId }),
        ...(installmentOptions && {
          installmentOptions: installmentOptions.map(({ source }) => Number(source)),
        }),
        ...(installmentPrices && { installmentPrices }),
        successUrl: body.successUrl,
        failureUrl: body.failureUrl,
        transactionType: body.transactionType ?? "PAYMENT",
        threeDs: body.threeDs ?? true,
        ...(expiresInSeconds && { expiresInSeconds: Number(expiresInSeconds.source) }),
        ...(buyerText !== undefined && { buyerText }),
        ...(details && { details: cards.sealDetails(details, binding) }),
      });
      // No money moves here: a checkout that may have been opened and was never shown simply expires.
      if (!("result" in reply)) return refusalOf(reply);
      const Location = `/api/checkout/${reply.result.checkoutId}`;
      const headers = { Location, ...replayedHeader(reply) };
      return { status: 201, headers, body: checkoutAnswer(reply.result, publicUrl) };
    },
    checkCheckout,
  );
}

/** GET /api/checkout/{checkoutId}. A path without a UUID, an unknown id and another merchant's get the same answer. */
export function getCheckoutRoute({ send, publicUrl }: Deps) {
  return defineRoute(operations.getCheckout, async (call) => {
    const reply = await send(operations.getCheckout.command, call, call.path);
    if ("result" in reply) {
      call.exchange.paymentId = reply.result.payment?.paymentId;
      return { status: 200, body: checkoutAnswer(reply.result, publicUrl) };
    }
    return reply.outcome === "problem" ? refusalOf(reply) : new Refusal("service_unavailable");
  });
}

/** POST /api/checkout/{checkoutId}/cancel. Sent twice it is one cancellation, and one answer under one key. */
export function cancelCheckoutRoute({ send, publicUrl }: Deps) {
  return defineRoute(operations.cancelCheckout, async (call) => {
    const payload = { ...call.path, requestId: randomUUID() };
    const reply = await send(operations.cancelCheckout.command, call, payload);
    if (!("result" in reply)) return refusalOf(reply);
    return { status: 200, headers: replayedHeader(reply), body: checkoutAnswer(reply.result, publicUrl) };
  });
}

/** @param publicUrl where the page is. */
export function checkoutAnswer(record: CheckoutRecord, publicUrl: string): Checkout {
  const { checkoutId, payment, ...rest } = record;
  return {
    checkoutId,
    checkoutUrl: checkoutUrl(publicUrl, checkoutId),
    ...rest,
    ...(payment && { payment: toMerchantAnswer(payment) }),
  };
}
