import { randomUUIDv7 } from "node:crypto";
import type { CardSealer } from "@holdfast/card-sealing";
import {
  Card,
  checkPreAuthorization,
  currencyExponent,
  parseAmount,
  preAuthorization,
  preAuthorizePayment,
  toMerchantAnswer,
  type PreAuthorizationRequest,
  type PreAuthorizePayment,
} from "@holdfast/contracts";
import { refusalOf, type SendCommand } from "../http/command-answer.ts";
import { defineRoute } from "../http/route.ts";

/**
 * POST /api/pre-authorization. The payment's id is drawn here, so that a command sent twice is one payment, and so that a
 * merchant who gets no outcome knows what to look up. The card is sealed before anything else is done with the request.
 */
export function preAuthorizationRoute({ send, cards }: { send: SendCommand; cards: CardSealer }) {
  return defineRoute(
    preAuthorization,
    async (call) => {
      const paymentId = randomUUIDv7();
      call.exchange.paymentId = paymentId;
      const card = cards.seal(cardOf(call.body), { paymentId, merchantId: call.caller.merchantId });

      const reply = await send(preAuthorizePayment, call, commandOf(call.body, paymentId, card));
      if (!("result" in reply)) return refusalOf(reply, paymentId);
      const Location = `/api/payment/${paymentId}`;
      const body = toMerchantAnswer(reply.result);
      return reply.outcome === "done"
        ? { status: 201, headers: { Location }, body }
        : { status: 202, headers: { Location, "Retry-After": QUERY_AFTER_S }, body };
    },
    checkPreAuthorization,
  );
}

/** The first inquiry at the acquirer comes this soon after the claim. */
const QUERY_AFTER_S = "2";

function cardOf({ pan, expiryMonth, expiryYear, cvv }: PreAuthorizationRequest): Card {
  return new Card({ pan, expiryMonth, expiryYear, cvv });
}

/** Field by field: what else the body has goes nowhere. */
function commandOf(
  { orderId, amount, currency, cardHolderName, requestIp, requestPort, customerId }: PreAuthorizationRequest,
  paymentId: string,
  card: PreAuthorizePayment["card"],
): PreAuthorizePayment {
  const amountMinor = parseAmount(amount.source, currencyExponent(currency) ?? 0);
  if (typeof amountMinor !== "bigint") throw new Error(`an amount passed validation and is ${amountMinor}`);
  return {
    paymentId,
    orderId,
    amountMinor: amountMinor.toString(),
    currency,
    cardHolderName,
    card,
    requestIp,
    requestPort: Number(requestPort.source),
    customerId,
  };
}
