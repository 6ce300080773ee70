// A merchant's program in a project that has nothing but the packed client. `client` is its exports, however loaded.
import { createHmac } from "node:crypto";

/** Pays, is declined, authorizes, captures, asks for a refund and verifies a webhook. @returns the outcomes. */
export async function useClient(
  { Holdfast, HoldfastError, verifyWebhook },
  [baseUrl, apiKey, apiSecret, closedUrl],
) {
  const holdfast = new Holdfast({ baseUrl, apiKey, apiSecret });
  const order = {
    orderId: "order-1",
    amount: "12.50",
    currency: "TRY",
    cardHolderName: "Ada Lovelace",
    pan: "4111111111111111",
    expiryMonth: "12",
    expiryYear: String((new Date().getUTCFullYear() + 2) % 100),
    cvv: "123",
    requestIp: "203.0.113.7",
    requestPort: 443,
  };
  const paid = await holdfast.payments.create(order);
  const declined = await holdfast.payments.create({ ...order, pan: "4000000000000002" });
  const reserved = await holdfast.payments.authorize(order);
  const captured = await holdfast.payments.capture(reserved.payment.paymentId, { amount: 10 });
  const refund = await holdfast.refunds.request(paid.payment.paymentId, { amount: "2.50", currency: "TRY" });
  const invalid = await holdfast.payments.create({ ...order, cvv: "x" });
  const fault = await holdfast.payments.create({ ...order, amount: 0.1 + 0.2 }).catch((error) => error);
  const listed = [];
  for await (const { transactionType, status } of holdfast.payments.list({ orderId: order.orderId }))
    listed.push(`${transactionType} ${status}`);
  const refunds = [];
  for await (const { amount } of holdfast.refunds.list(paid.payment.paymentId)) refunds.push(amount);
  let file = "";
  for await (const piece of holdfast.payments.exportCsv({ orderId: order.orderId })) file += piece;
  const unreachable = new Holdfast({ baseUrl: closedUrl, apiKey, apiSecret, retries: 0 });
  const body = JSON.stringify(paid.payment);
  const time = String(Date.now());
  const headers = {
    "x-request-time": time,
    "x-request-signature": createHmac("sha256", "whs_1").update(`${time}:${body}`).digest("hex"),
    "x-request-signature-v2": createHmac("sha256", "whs_1")
      .update(`v2:${time}:e-1:payment.status_changed:${body}`)
      .digest("hex"),
    "x-event-id": "e-1",
    "x-event-type": "payment.status_changed",
  };
  return {
    // Node 20 has no navigator.
    platform: globalThis.navigator?.userAgent ?? `Node.js/${process.versions.node.split(".")[0]}`,
    outcomes: [paid, declined, reserved, captured, refund, invalid].map(({ outcome }) => outcome),
    found: (await holdfast.payments.get(paid.payment.paymentId)).amount,
    fields: invalid.error.errors.map(({ field }) => field),
    listed: listed.slice(0, 4),
    refunds,
    isWhole: file.includes(`#rows,${listed.length},`),
    fault: fault instanceof HoldfastError && fault.code,
    unreachable: (await unreachable.payments.create(order)).outcome,
    webhook: (await verifyWebhook(body, headers, "whs_1")).valid,
    forged: (await verifyWebhook(`${body} `, headers, "whs_1")).valid,
  };
}
