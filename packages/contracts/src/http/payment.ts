import { z } from "zod";
import { paymentOrRefundSchema } from "./api-payment-response.ts";
import { defineEndpoint, pathId } from "./endpoint.ts";

export const payment = defineEndpoint({
  operationId: "getPayment",
  listener: "merchant",
  method: "GET",
  path: "/api/payment/{paymentId}",
  summary: "Get a payment or refund",
  description: "Returns the current state of a payment or refund.",
  pathParameters: z.object({ paymentId: pathId("Id of the payment or refund") }),
  notFound: "payment_not_found",
  responses: { 200: { description: "The payment or refund", body: paymentOrRefundSchema } },
  problems: ["payment_not_found"],
});
