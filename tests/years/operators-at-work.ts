import {
  activateWebhookSecret,
  changeWebhookEndpoint,
  closeSettlementDifference,
  createWebhookEndpoint,
  inquireUnresolvedPayment,
  listRefundsForOperator,
  listPaymentsForOperator,
  listWebhookEndpoints,
  noteSettlementDifference,
  redeliverWebhook,
  removeWebhookEndpoint,
  rotateWebhookSecret,
} from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import { done } from "./done.ts";
import type { Lived } from "./live.ts";
import type { YearsSystem } from "./years-system.ts";

/**
 * Operators' work beside reading: endpoints and their secrets, unresolved payments, differences with the bank's report.
 */
export async function operatorsAtWork(system: YearsSystem, { unresolvedId, eventId }: Lived): Promise<void> {
  const { merchantId, operate } = system;
  done(await operate(listPaymentsForOperator, { limit: 50, filter: {}, unresolved: true }));
  await operate(inquireUnresolvedPayment, { paymentId: unresolvedId });
  done(await operate(listRefundsForOperator, { limit: 50, filter: { status: "PENDING_APPROVAL" } }));
  await manageEndpoints(system, eventId);
  const recipientKey = createReplyRecipient().publicKey;
  done(await operate(rotateWebhookSecret, { merchantId, endpointId: merchantId, recipientKey }));
  done(await operate(activateWebhookSecret, { merchantId, endpointId: merchantId }));
  const [difference] = await system.query<{ differenceId: string }>(
    `select difference_id as "differenceId" from settlement.difference where state = 'OPEN' limit 1`,
  );
  const { differenceId } = difference!;
  done(await operate(noteSettlementDifference, { differenceId, note: "The bank was asked." }));
  done(
    await operate(closeSettlementDifference, {
      differenceId,
      decision: "NOT_OURS",
      reason: "It is the bank's.",
    }),
  );
}

async function manageEndpoints(
  { merchantId, operate, receiver }: YearsSystem,
  eventId: string,
): Promise<void> {
  const recipientKey = createReplyRecipient().publicKey;
  const url = `${receiver.url}/books`;
  const created = done(
    await operate(createWebhookEndpoint, {
      merchantId,
      url,
      events: ["payment.status_changed"],
      recipientKey,
    }),
  );
  const { endpointId } = created.result.endpoint;
  const endpoint = { merchantId, endpointId };
  done(await operate(listWebhookEndpoints, { merchantId }));
  done(
    await operate(changeWebhookEndpoint, {
      ...endpoint,
      events: ["payment.status_changed", "payment.captured"],
    }),
  );
  done(await operate(rotateWebhookSecret, { ...endpoint, recipientKey }));
  done(await operate(activateWebhookSecret, endpoint));
  await operate(redeliverWebhook, { eventId, endpointId });
  done(await operate(removeWebhookEndpoint, endpoint));
}
