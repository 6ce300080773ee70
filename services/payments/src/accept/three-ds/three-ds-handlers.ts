import {
  completePayment as completePaymentCommand,
  operations,
  readSession as readSessionCommand,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { completePayment, readSession, type CompletePaymentDeps } from "./complete-payment.ts";
import { enrolPayment, type EnrolPaymentDeps } from "./enrol-payment.ts";

/** A payment with 3-D Secure, from its enrolment to the browser's return. */
export function threeDsHandlers(deps: EnrolPaymentDeps & CompletePaymentDeps) {
  return [
    handler(operations.payWith3ds.command, (message) => enrolPayment(deps, message)),
    handler(completePaymentCommand, (message) => completePayment(deps, message)),
    handler(readSessionCommand, ({ payload }) => readSession(deps, payload)),
  ];
}
