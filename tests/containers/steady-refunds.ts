import { preAuthorization, type Client } from "../e2e/running-sandbox.ts";
import { untilAnswered, wholeTime, type SteadyLoad } from "./steady-load.ts";

/** A sale and the refund of a part of it, approved and paid back. */
export type SteadyRefund = { key: string; paymentId: string; refundId: string };

/** Sells, asks for a refund and approves it, all the time and one after another, each request patiently. */
export function refundTheWholeTime(merchant: Client, operator: Client): SteadyLoad<SteadyRefund> {
  return wholeTime(1, async (name) => {
    const key = `refunded-${name}`;
    const sale = await untilAnswered(
      key,
      () =>
        merchant("POST", "/api/payment", preAuthorization({ amount: 100, orderId: key }), {
          "Idempotency-Key": key,
        }),
      ({ status }) => status === 201,
    );
    const paymentId = sale.answer.body.paymentId as string;
    const refund = await untilAnswered(
      `${key}, its refund`,
      () =>
        merchant(
          "POST",
          `/api/payment/${paymentId}/refund`,
          { amount: 30, currency: "TRY" },
          { "Idempotency-Key": `${key}-refund` },
        ),
      ({ status, body }) => status === 202 && body.status === "PENDING_APPROVAL",
    );
    const refundId = refund.answer.body.paymentId as string;
    await untilAnswered(
      `${key}, its approval`,
      () => operator("POST", `/operator/refunds/${refundId}/approve`),
      // 409 if the answer to the first request was lost: the refund is decided.
      ({ status }) => status === 200 || status === 409,
    );
    await untilAnswered(
      `${key}, its end`,
      () => merchant("GET", `/api/payment/${refundId}`),
      ({ status, body }) => status === 200 && body.status === "SUCCESS",
    );
    return { key, paymentId, refundId };
  });
}
