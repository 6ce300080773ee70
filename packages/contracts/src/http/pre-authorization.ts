import { z } from "zod";
import { paymentSchema } from "./api-payment-response.ts";
import { cardPaymentFields, checkCardPaymentFields, type AddFault } from "./card-payment-fields.ts";
import { CARD_PAYMENT_PROBLEMS, defineEndpoint } from "./endpoint.ts";

/** Body of POST /api/pre-authorization (spec, Endpoints). */
export const preAuthorizationRequestSchema = z
  .object(cardPaymentFields)
  .meta({ id: "PreAuthorizationRequest" });
export type PreAuthorizationRequest = z.infer<typeof preAuthorizationRequestSchema>;

/** Adds the faults between the fields of a pre-authorization. */
export function checkPreAuthorization(fields: Record<string, unknown>, now: Date, addFault: AddFault): void {
  checkCardPaymentFields(fields, now, addFault);
}

export const preAuthorization = defineEndpoint({
  operationId: "preAuthorize",
  listener: "merchant",
  method: "POST",
  path: "/api/pre-authorization",
  summary: "Create a pre-authorization",
  description:
    "Reserves funds on a card without capturing them. If the bank declines, the payment is created with status FAILED. " +
    "If the outcome at the bank is unknown, the answer is 202 with status ENROLLED, and the gateway settles the payment " +
    "later.",
  request: preAuthorizationRequestSchema,
  responses: {
    201: {
      description: "Created, with status SUCCESS, FAILED or REJECTED",
      body: paymentSchema,
      headers: { Location: "/api/payment/{paymentId}" },
    },
    202: {
      description:
        "The outcome at the bank is not known yet: the status is ENROLLED; query the payment later",
      body: paymentSchema,
      headers: { Location: "/api/payment/{paymentId}", "Retry-After": "Seconds to wait before a query" },
    },
  },
  problems: CARD_PAYMENT_PROBLEMS,
});
