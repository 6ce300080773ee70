import {
  completePayment as completePaymentCommand,
  operations,
  readSession as readSessionCommand,
  type EnrolPayment,
} from "@holdfast/contracts";
import { handler, type Incoming } from "@holdfast/messaging";
import type { OfCheckout } from "../authorization/admit-payment.ts";
import { completePayment, readSession, type CompletePaymentDeps } from "./complete-payment.ts";
import { enrolPayment, withForm, type EnrolPaymentDeps } from "./enrol-payment.ts";

export type ThreeDs = ReturnType<typeof createThreeDs>;

/** A payment with 3-D Secure, from its enrolment to the browser's return. */
export function createThreeDs(deps: EnrolPaymentDeps & CompletePaymentDeps) {
  const enrol = (message: Incoming<EnrolPayment>, ofCheckout?: OfCheckout) =>
    enrolPayment(deps, message, ofCheckout);
  const handlers = [
    handler(operations.payWith3ds.command, async (message) => withForm(deps, await enrol(message))),
    handler(completePaymentCommand, (message) => completePayment(deps, message)),
    handler(readSessionCommand, ({ payload }) => readSession(deps, payload)),
  ];
  return { enrol, handlers };
}
