import { z } from "zod";
import { cardPaymentFields, checkCardPaymentFields, type AddFault } from "./card-payment-fields.ts";

/** Body of POST /api/pre-authorization (spec, Endpoints). */
export const preAuthorizationRequestSchema = z
  .object(cardPaymentFields)
  .meta({ id: "PreAuthorizationRequest" });

export type PreAuthorizationRequest = z.infer<typeof preAuthorizationRequestSchema>;

/** Adds the faults between the fields of a pre-authorization. */
export function checkPreAuthorization(fields: Record<string, unknown>, now: Date, addFault: AddFault): void {
  checkCardPaymentFields(fields, now, addFault);
}
