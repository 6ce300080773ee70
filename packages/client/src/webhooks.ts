import { carryOut } from "./carry-out.ts";
import type { Settings } from "./options.ts";
import { read } from "./read.ts";
import { idInPath, keyOf } from "./request-body.ts";
import type { WebhookEndpoint, WebhookHour, WebhookTestResult } from "./webhook-records.ts";

/**
 * Your webhook endpoints, to be read and tested. An operator of the gateway, or your own staff in the
 * console, creates and changes them. If the operator allows it, your API keys may, too, by `/api/webhooks`.
 */
export type Webhooks = {
  /** The endpoints, the default one first, each with its health. @throws HoldfastError */
  list(): Promise<WebhookEndpoint[]>;
  /**
   * The hours of the last 30 days in which the endpoint was called, newest first.
   *
   * @throws HoldfastError `webhook_not_found` among others.
   */
  health(endpointId: string): Promise<WebhookHour[]>;
  /**
   * Makes the gateway send a `webhook.test` now, one time, and returns your server's answer, even if it was not
   * delivered. @throws HoldfastError `webhook_not_found` among others.
   */
  test(endpointId: string): Promise<WebhookTestResult>;
};

export function createWebhooks(settings: Settings): Webhooks {
  return {
    async list() {
      return ((await read(settings, "/api/webhooks")) as { items: WebhookEndpoint[] }).items;
    },
    async health(endpointId) {
      const path = `/api/webhooks/${idInPath(endpointId)}/health`;
      return ((await read(settings, path)) as { items: WebhookHour[] }).items;
    },
    async test(endpointId) {
      const ending = await carryOut(settings, {
        method: "POST",
        path: `/api/webhooks/${idInPath(endpointId)}/test`,
        ...keyOf({}),
        createsRecord: false,
      });
      if (ending.kind !== "done") throw ending.error;
      return ending.body as WebhookTestResult;
    },
  };
}
