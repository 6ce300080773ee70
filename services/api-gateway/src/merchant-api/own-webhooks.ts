import { listOwnEndpoints, listOwnWebhooks, testOwnWebhook, tryOwnEndpoint } from "@holdfast/contracts";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendCommand } from "../bus/send-command.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";

/** GET /api/webhooks, and POST /api/webhooks/{endpointId}/test. */
export function ownWebhookRoutes({ send }: { send: SendCommand }): Route[] {
  return [
    defineRoute(listOwnWebhooks, async (call) => {
      const reply = await send(listOwnEndpoints, call, {});
      return "result" in reply ? { status: 200, body: reply.result } : refusalOf(reply, undefined);
    }),
    // 200 whether or not the event was delivered: the body says how it went.
    defineRoute(testOwnWebhook, async (call) => {
      const reply = await send(tryOwnEndpoint, call, call.path);
      return "result" in reply ? { status: 200, body: reply.result } : refusalOf(reply, undefined);
    }),
  ];
}
