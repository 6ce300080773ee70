import { backoffMs, carryOut, pause } from "./carry-out.ts";
import { judgeSending } from "./judge-sending.ts";
import type { Settings } from "./options.ts";
import { read } from "./read.ts";
import { idInPath, keyOf, requestBody } from "./request-body.ts";
import type { NewWebhookRequest, WebhookChangeRequest } from "./requests.ts";
import { sendRequest, type ApiRequest } from "./send-request.ts";
import type {
  RotatedWebhookSecret,
  WebhookEndpoint,
  WebhookHour,
  WebhookTestResult,
} from "./webhook-records.ts";

/**
 * Your webhook endpoints. An operator of the gateway, or your own staff in the console, creates and changes them. If the
 * operator allows it, your API keys may, too.
 *
 * A change has no Idempotency-Key. After `no_answer`, `unexpected_answer` and a status from 500 on nobody knows whether
 * it was carried out, and this client does not repeat it: `list` shows the endpoints as they are.
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
  /**
   * Adds an endpoint, with its own secret, which is given only once. @throws HoldfastError `webhook_url_in_use`,
   * `webhook_change_not_allowed` among others.
   */
  create(request: NewWebhookRequest): Promise<WebhookEndpoint & { secret: string }>;
  /** Changes an endpoint, or switches it off or on. @throws HoldfastError `changed_since_read` among others. */
  change(endpointId: string, request: WebhookChangeRequest): Promise<WebhookEndpoint>;
  /** Removes an endpoint; what waits for it is not delivered. @throws HoldfastError `webhook_not_found` among others. */
  remove(endpointId: string): Promise<void>;
  /**
   * Makes a new secret, which is given only once; webhooks are signed with both until it is activated. Each call makes
   * another one. @throws HoldfastError `webhook_not_found` among others.
   */
  rotateSecret(endpointId: string): Promise<RotatedWebhookSecret>;
  /** Signs with the new secret alone from now on. @throws HoldfastError `webhook_not_found` among others. */
  activateSecret(endpointId: string): Promise<void>;
};

export function createWebhooks(settings: Settings): Webhooks {
  return {
    async list() {
      return ((await read(settings, PATH)) as { items: WebhookEndpoint[] }).items;
    },
    async health(endpointId) {
      return ((await read(settings, `${pathOf(endpointId)}/health`)) as { items: WebhookHour[] }).items;
    },
    async test(endpointId) {
      const ending = await carryOut(settings, {
        method: "POST",
        path: `${pathOf(endpointId)}/test`,
        ...keyOf({}),
        createsRecord: false,
      });
      if (ending.kind !== "done") throw ending.error;
      return ending.body as WebhookTestResult;
    },
    async create(request) {
      const body = requestBody(request, settings);
      const made = await changeOnce(settings, { method: "POST", path: PATH, body });
      return made as WebhookEndpoint & { secret: string };
    },
    async change(endpointId, request) {
      const body = requestBody(request, settings);
      return (await changeOnce(settings, {
        method: "PATCH",
        path: pathOf(endpointId),
        body,
      })) as WebhookEndpoint;
    },
    async remove(endpointId) {
      await changeOnce(settings, { method: "DELETE", path: pathOf(endpointId) });
    },
    async rotateSecret(endpointId) {
      const path = `${pathOf(endpointId)}/rotate-secret`;
      return (await changeOnce(settings, { method: "POST", path })) as RotatedWebhookSecret;
    },
    async activateSecret(endpointId) {
      await changeOnce(settings, { method: "POST", path: `${pathOf(endpointId)}/activate-secret` });
    },
  };
}

const PATH = "/api/webhooks";

function pathOf(endpointId: string): string {
  return `${PATH}/${idInPath(endpointId)}`;
}

/**
 * Sends a change, and again only after a sending that certainly started nothing.
 *
 * @throws HoldfastError of the last sending.
 */
async function changeOnce(settings: Settings, request: ApiRequest): Promise<object> {
  for (let attempts = 1; ; attempts++) {
    const sending = await sendRequest(settings, request);
    if (sending.kind === "answered" && sending.status === 204) return {};
    const verdict = judgeSending(sending);
    if (verdict.kind === "done") return verdict.body;
    const isRepeated = verdict.kind === "nothing" && verdict.error.retryable && attempts <= settings.retries;
    if (!isRepeated) throw verdict.error;
    await pause(verdict.waitMs ?? backoffMs(attempts));
  }
}
