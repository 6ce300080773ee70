import { operations } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import { done } from "./done.ts";
import type { Lived } from "./live.ts";
import type { YearsSystem } from "./years-system.ts";

/**
 * Operators' work beside reading: endpoints and their secrets, unresolved payments, differences with the bank's report.
 */
export async function operatorsAtWork(system: YearsSystem, { unresolvedId, eventId }: Lived): Promise<void> {
  const { merchantId, operate } = system;
  done(
    await operate(operations.listPaymentsOfMerchants.command, { limit: 50, filter: {}, unresolved: true }),
  );
  await operate(operations.inquirePayment.command, { paymentId: unresolvedId });
  done(await operate(operations.listRefunds.command, { limit: 50, filter: { status: "PENDING_APPROVAL" } }));
  await manageEndpoints(system, eventId);
  const recipientKey = createReplyRecipient().publicKey;
  done(
    await operate(operations.rotateWebhookEndpointSecret.command, {
      merchantId,
      endpointId: merchantId,
      recipientKey,
    }),
  );
  done(
    await operate(operations.activateWebhookEndpointSecret.command, { merchantId, endpointId: merchantId }),
  );
  const [difference] = await system.query<{ differenceId: string }>(
    `select difference_id as "differenceId" from settlement.difference where state = 'OPEN' limit 1`,
  );
  const { differenceId } = difference!;
  done(await operate(operations.noteDifference.command, { differenceId, note: "The bank was asked." }));
  done(
    await operate(operations.closeDifference.command, {
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
    await operate(operations.createMerchantWebhook.command, {
      merchantId,
      url,
      events: ["payment.status_changed"],
      recipientKey,
    }),
  );
  const { endpointId } = created.result.endpoint;
  const endpoint = { merchantId, endpointId };
  done(await operate(operations.listMerchantWebhooks.command, { merchantId }));
  done(await operate(operations.setWebhookManagement.command, { merchantId, managedBy: "api" }));
  done(await operate(operations.getMerchantWebhookHealth.command, endpoint));
  done(
    await operate(operations.changeMerchantWebhook.command, {
      ...endpoint,
      events: ["payment.status_changed", "payment.captured"],
    }),
  );
  done(await operate(operations.rotateWebhookEndpointSecret.command, { ...endpoint, recipientKey }));
  done(await operate(operations.activateWebhookEndpointSecret.command, endpoint));
  await operate(operations.redeliverWebhook.command, { eventId, endpointId });
  done(await operate(operations.removeMerchantWebhook.command, endpoint));
}
