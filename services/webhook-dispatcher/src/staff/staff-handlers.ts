import {
  idInMode,
  isLive,
  operations,
  staffVersionOf,
  type CommandReply,
  type StaffContext,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { getDelivery, listDeliveries } from "../operator/delivery-log.ts";
import { readHours } from "../operator/endpoint-hours.ts";
import { activateSecret, deleteEndpoint, putEndpoint, rotateSecret } from "../operator/manage-endpoint.ts";
import { whereAllowed } from "../operator/management.ts";
import { changeEndpoint, createEndpoint, listEndpoints } from "../operator/merchant-endpoints.ts";
import type { OperatorDeps } from "../operator/operator-handlers.ts";
import { readBody } from "../operator/read-body.ts";
import { redeliver, redeliverFailed } from "../operator/redeliver.ts";
import { sendTestEvent } from "../operator/send-test-event.ts";

/**
 * The commands of a merchant's staff. They are the operators' commands about endpoints and deliveries,
 * limited to the merchant that the verified token names. `own` replaces any merchant in a request by that
 * merchant.
 */
export function staffHandlers(deps: OperatorDeps) {
  return [...endpointHandlers(deps), ...deliveryHandlers(deps)];
}

function endpointHandlers(deps: OperatorDeps) {
  return [
    handler(staffVersionOf(operations.listMerchantWebhooks.command), ({ context }) =>
      listEndpoints(deps, context.merchant.merchantId),
    ),
    handler(staffVersionOf(operations.getMerchantWebhookHealth.command), ({ context, payload }) =>
      readHours(deps, own(context, payload)),
    ),
    handler(staffVersionOf(operations.putMerchantWebhook.command), ({ context, payload }) =>
      changing(deps, context, "put", () => putEndpoint(deps, context, own(context, payload))),
    ),
    handler(staffVersionOf(operations.createMerchantWebhook.command), ({ context, payload }) =>
      changing(deps, context, "create", () => createEndpoint(deps, context, own(context, payload))),
    ),
    handler(staffVersionOf(operations.changeMerchantWebhook.command), ({ context, payload }) =>
      changing(deps, context, "change", () => changeEndpoint(deps, context, own(context, payload))),
    ),
    handler(staffVersionOf(operations.removeMerchantWebhook.command), ({ context, payload }) =>
      changing(deps, context, "remove", () => deleteEndpoint(deps, context, own(context, payload))),
    ),
    handler(staffVersionOf(operations.rotateWebhookEndpointSecret.command), ({ context, payload }) =>
      changing(deps, context, "rotate-secret", () => rotateSecret(deps, context, own(context, payload))),
    ),
    handler(staffVersionOf(operations.activateWebhookEndpointSecret.command), ({ context, payload }) =>
      changing(deps, context, "activate-secret", () => activateSecret(deps, context, own(context, payload))),
    ),
    handler(staffVersionOf(operations.testWebhookEndpoint.command), ({ context, payload }) =>
      sendTestEvent(deps, context, own(context, payload)),
    ),
  ];
}

function deliveryHandlers(deps: OperatorDeps) {
  return [
    handler(staffVersionOf(operations.listWebhookDeliveries.command), ({ context, payload }) =>
      listDeliveries(deps, {
        ...own(context, payload),
        livemode: isLive(context.merchant.merchantId),
      }),
    ),
    handler(staffVersionOf(operations.getWebhookDelivery.command), async ({ context, payload }) => {
      const reply = await getDelivery(deps, payload.eventId);
      if (!("result" in reply)) return reply;
      const { merchantId, livemode } = reply.result;
      const isOwn = idInMode(merchantId, livemode) === context.merchant.merchantId;
      return isOwn ? reply : { outcome: "problem", code: "delivery_not_found" };
    }),
    handler(staffVersionOf(operations.getWebhookBody.command), ({ context, payload }) =>
      readBody(deps, context, own(context, payload)),
    ),
    handler(staffVersionOf(operations.redeliverWebhook.command), ({ context, payload }) =>
      redeliver(deps, context, own(context, payload)),
    ),
    handler(staffVersionOf(operations.redeliverFailedWebhooks.command), ({ context, payload }) =>
      redeliverFailed(deps, context, own(context, payload)),
    ),
  ];
}

/** A change of endpoints, if the merchant's setting allows it to the staff. */
async function changing<Result>(
  deps: OperatorDeps,
  context: StaffContext,
  change: string,
  act: () => Promise<CommandReply<Result>>,
): Promise<CommandReply<Result>> {
  const { merchantId } = context.merchant;
  return await whereAllowed(deps, context, { merchantId, change }, act);
}

/** The request about the person's own merchant. */
function own<Request extends object>(
  { merchant }: StaffContext,
  request: Request,
): Request & { merchantId: string } {
  return { ...request, merchantId: merchant.merchantId };
}
