import { apiPaymentResponseSchema, paymentSchema } from "../http/api-payment-response.ts";
import { CARD_PAYMENT_PROBLEMS } from "../http/endpoint.ts";
import { preAuthorizationRequestSchema } from "../http/pre-authorization.ts";
import { saleRequestSchema } from "../http/sale.ts";
import { threeDsRequestSchema, threeDsResponseSchema } from "../http/three-ds.ts";
import { preAuthorizePaymentSchema, sellPaymentSchema } from "../messages/payment-requests.ts";
import { enrolledPaymentSchema, enrolPaymentSchema } from "../messages/three-ds-commands.ts";
import { defineMerchantOperations } from "./define-operations.ts";

/** The ways to begin a payment with a card. */
export const cardPaymentOperations = defineMerchantOperations({
  preAuthorize: {
    subject: "payments.pre-authorize",
    payload: preAuthorizePaymentSchema,
    result: apiPaymentResponseSchema,
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
  },

  pay: {
    subject: "payments.sell",
    payload: sellPaymentSchema,
    result: apiPaymentResponseSchema,
    method: "POST",
    path: "/api/payment",
    summary: "Create a payment",
    description:
      "Reserves and captures funds on a card in one step. If the bank declines, the payment is created with status FAILED. " +
      "If the outcome at the bank is unknown, the answer is 202 with status ENROLLED, and the gateway settles the payment " +
      "later.",
    request: saleRequestSchema,
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
    problems: [
      ...CARD_PAYMENT_PROBLEMS,
      "installments_not_allowed",
      "installment_total_mismatch",
      "loyalty_not_allowed",
    ],
  },

  payWith3ds: {
    subject: "payments.enrol",
    payload: enrolPaymentSchema,
    result: enrolledPaymentSchema,
    method: "POST",
    path: "/api/3ds",
    summary: "Create a payment with 3-D Secure",
    description:
      "Creates a payment or a pre-authorization with 3-D Secure. If the issuer requires a challenge, the answer has status " +
      "ENROLLED with `redirectUrl`, `htmlContent` and `expiresAt`: send the buyer there, and the buyer returns to " +
      "`successUrl` or `failureUrl`. A card that needs no challenge is authorized immediately. Only the webhook and a query " +
      "of the payment prove its outcome; the redirect does not.",
    request: threeDsRequestSchema,
    responses: {
      201: {
        description:
          "Created, with status ENROLLED and a challenge, or with status SUCCESS, FAILED or REJECTED and no " +
          "challenge",
        body: threeDsResponseSchema,
        headers: { Location: "/api/payment/{paymentId}" },
      },
      202: {
        description:
          "The outcome at the bank is not known yet: the status is ENROLLED without a challenge; query the " +
          "payment later",
        body: paymentSchema,
        headers: { Location: "/api/payment/{paymentId}", "Retry-After": "Seconds to wait before a query" },
      },
    },
    problems: [
      ...CARD_PAYMENT_PROBLEMS,
      "installments_not_allowed",
      "installment_total_mismatch",
      "loyalty_not_allowed",
    ],
  },
});
