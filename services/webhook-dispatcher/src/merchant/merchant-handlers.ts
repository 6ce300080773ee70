import { operations, type CommandReply, type MessageContext } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { byMerchant, type AuditedContext } from "../operator/audit-endpoint.ts";
import { readHours } from "../operator/endpoint-hours.ts";
import { activateSecret, deleteEndpoint, rotateSecret } from "../operator/manage-endpoint.ts";
import { whereAllowed } from "../operator/management.ts";
import { changeEndpoint, createEndpoint, listEndpoints } from "../operator/merchant-endpoints.ts";
import type { OperatorDeps } from "../operator/operator-handlers.ts";
import { sendTestEvent } from "../operator/send-test-event.ts";

/**
 * The commands by which merchants manage their own endpoints. They are the operators' commands, limited to
 * the authenticated merchant, and change something only if the merchant's setting lets its keys do so.
 */
export function merchantHandlers(deps: OperatorDeps) {
  return [
    handler(operations.listWebhooks.command, ({ context }) =>
      listEndpoints(deps, context.merchant.merchantId),
    ),
    handler(operations.getWebhookHealth.command, ({ context, payload }) =>
      readHours(deps, { ...payload, merchantId: context.merchant.merchantId }),
    ),
    handler(operations.createWebhook.command, ({ context, payload }) =>
      changing(deps, context, "create", (by, own) => createEndpoint(deps, by, { ...payload, ...own })),
    ),
    handler(operations.changeWebhook.command, ({ context, payload }) =>
      changing(deps, context, "change", (by, own) => changeEndpoint(deps, by, { ...payload, ...own })),
    ),
    handler(operations.removeWebhook.command, ({ context, payload }) =>
      changing(deps, context, "remove", (by, own) => deleteEndpoint(deps, by, { ...payload, ...own })),
    ),
    handler(operations.rotateWebhookSecret.command, ({ context, payload }) =>
      changing(deps, context, "rotate-secret", (by, own) => rotateSecret(deps, by, { ...payload, ...own })),
    ),
    handler(operations.activateWebhookSecret.command, ({ context, payload }) =>
      changing(deps, context, "activate-secret", (by, own) =>
        activateSecret(deps, by, { ...payload, ...own }),
      ),
    ),
    handler(operations.testWebhook.command, ({ context: { requestId, merchant }, payload }) => {
      const { merchantId } = merchant;
      return sendTestEvent(deps, byMerchant(requestId, merchantId), { ...payload, merchantId });
    }),
  ];
}

/** A change by one of the merchant's API keys, if they may make it. */
async function changing<Result>(
  deps: OperatorDeps,
  { requestId, merchant: { merchantId } }: MessageContext,
  change: string,
  act: (by: AuditedContext, own: { merchantId: string }) => Promise<CommandReply<Result>>,
): Promise<CommandReply<Result>> {
  const by = byMerchant(requestId, merchantId);
  return await whereAllowed(deps, by, { merchantId, change }, () => act(by, { merchantId }));
}
