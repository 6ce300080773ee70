// Code that a merchant's compiler has to accept, and below code that it has to refuse.
import { Holdfast, type PaymentOutcome, type PaymentRequest, type WebhookEvent } from "@holdfast/client";

export async function charge(holdfast: Holdfast, request: PaymentRequest): Promise<string> {
  return describe(await holdfast.payments.create(request));
}

function describe(ended: PaymentOutcome): string {
  switch (ended.outcome) {
    case "done":
      return ended.payment.paymentId;
    case "declined":
      return ended.payment.resultCode ?? ended.payment.status;
    case "unknown":
      return ended.paymentId ?? ended.idempotencyKey;
    case "not_started":
      return ended.error.code;
    default:
      return ended satisfies never;
  }
}

export function isPaid(event: WebhookEvent): boolean {
  return event.known && event.type === "payment.status_changed" && event.payment.status === "SUCCESS";
}

export function aboutWhat(event: WebhookEvent): string {
  if (!event.known) return `${event.type}: ${JSON.stringify(event.body)}`;
  switch (event.type) {
    case "webhook.test":
      return event.test.endpointId;
    case "webhook.disabled_warning":
      return `${event.warning.endpointId} ${event.warning.reason}`;
    case "webhook.endpoint_changed":
      return `${event.change.endpointId} ${event.change.change}`;
    case "settlement.statement_ready":
      return `${event.statement.day} ${event.statement.currency} ${event.statement.revision}`;
    case "checkout.completed":
    case "checkout.expired":
    case "checkout.cancelled":
      return event.checkout.checkoutId;
    default:
      return event.payment.paymentId;
  }
}

export async function firstOf(holdfast: Holdfast): Promise<string | undefined> {
  for await (const payment of holdfast.payments.list({ status: "SUCCESS" })) return payment.orderId;
  return undefined;
}

export async function isHealthy(holdfast: Holdfast): Promise<boolean> {
  const endpoints = await holdfast.webhooks.list();
  return endpoints.every(({ health }) => health.failingSince === undefined);
}

export const proxied = new Holdfast({
  baseUrl: "https://gateway.example",
  apiKey: "k",
  apiSecret: "s",
  fetch,
});

// @ts-expect-error: without a secret
void new Holdfast({ baseUrl: "https://gateway.example", apiKey: "k" });
// @ts-expect-error: a status that there is not
void proxied.payments.list({ status: "PAID" });
// @ts-expect-error: statements are asked for by their days
void proxied.statements.list({});
// @ts-expect-error: an amount is no bigint, which would leave its decimals open
void proxied.refunds.request("id", { amount: 1250n, currency: "TRY" });
