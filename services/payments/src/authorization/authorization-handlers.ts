import { preAuthorizePayment, sellPayment } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { withConnection, type ConnectionDeps } from "../with-connection.ts";
import { authorizePayment, type AuthorizePaymentDeps } from "./authorize-payment.ts";

/** Payments without 3-D Secure. */
export function authorizationHandlers(deps: AuthorizePaymentDeps & ConnectionDeps) {
  return [
    handler(
      preAuthorizePayment,
      withConnection(deps, (message) => authorizePayment(deps, message, "PRE_AUTHORIZATION")),
    ),
    handler(
      sellPayment,
      withConnection(deps, (message) => authorizePayment(deps, message, "PAYMENT")),
    ),
  ];
}
