import { operations } from "@holdfast/contracts";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendCommand } from "../bus/send-command.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";

/** GET /api/webhooks, and POST /api/webhooks/{endpointId}/test. */
export function ownWebhookRoutes({ send }: { send: SendCommand }): Route[] {
  return [
    defineRoute(operations.listWebhooks, async (call) => {
      const reply = await send(operations.listWebhooks.command, call, {});
      return "result" in reply ? { status: 200, body: reply.result } : refusalOf(reply);
    }),
    // 200 whether or not the event was delivered: the body says how it went.
    defineRoute(operations.testWebhook, async (call) => {
      const reply = await send(operations.testWebhook.command, call, call.path);
      return "result" in reply ? { status: 200, body: reply.result } : refusalOf(reply);
    }),
  ];
}
