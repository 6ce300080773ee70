import { operations } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { authorizePayment, type AuthorizePaymentDeps } from "./authorize-payment.ts";

/** Payments without 3-D Secure. */
export function authorizationHandlers(deps: AuthorizePaymentDeps) {
  return [
    handler(operations.preAuthorize.command, (message) =>
      authorizePayment(deps, message, "PRE_AUTHORIZATION"),
    ),
    handler(operations.pay.command, (message) => authorizePayment(deps, message, "PAYMENT")),
  ];
}
