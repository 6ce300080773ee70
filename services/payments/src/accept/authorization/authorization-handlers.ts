import { preAuthorizePayment, sellPayment } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { authorizePayment, type AuthorizePaymentDeps } from "./authorize-payment.ts";

/** Payments without 3-D Secure. */
export function authorizationHandlers(deps: AuthorizePaymentDeps) {
  return [
    handler(preAuthorizePayment, (message) => authorizePayment(deps, message, "PRE_AUTHORIZATION")),
    handler(sellPayment, (message) => authorizePayment(deps, message, "PAYMENT")),
  ];
}
