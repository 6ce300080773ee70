import { operations } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import type { Authorization } from "./authorize-payment.ts";

/** Payments without 3-D Secure. */
export function authorizationHandlers({ authorize }: Authorization) {
  return [
    handler(operations.preAuthorize.command, (message) => authorize(message, "PRE_AUTHORIZATION")),
    handler(operations.pay.command, (message) => authorize(message, "PAYMENT")),
  ];
}
