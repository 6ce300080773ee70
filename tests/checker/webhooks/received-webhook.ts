import { fieldsOf } from "../answers.ts";
import type { ReceivedWebhook } from "../ledgers.ts";

/** A header that came once. */
export function headerOf({ headers }: ReceivedWebhook, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}

export function eventIdOf(webhook: ReceivedWebhook): string {
  return headerOf(webhook, "x-event-id");
}

export function isSuccess({ answered }: ReceivedWebhook): boolean {
  return answered !== undefined && answered >= 200 && answered < 300;
}

/** Leaves out webhooks that an operator has sent as a test. */
export function aboutPayments(received: readonly ReceivedWebhook[]): ReceivedWebhook[] {
  return received.filter((webhook) => headerOf(webhook, "x-event-type") !== "webhook.test");
}

/** Numbers stand as they were written. */
export function bodyFieldsOf({ body }: ReceivedWebhook): Record<string, unknown> {
  return fieldsOf(body.toString("utf8"));
}
