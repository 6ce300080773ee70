import type { ServerResponse } from "node:http";

import type { BehaviourName } from "./behaviour.ts";
import { holdUnanswered, replyJson, replyText } from "./reply.ts";

/** Answers as the behaviour requires; its influence on the effect and the time has been applied before. */
export function deliver(
  { hangMs }: { hangMs: number },
  behaviour: BehaviourName,
  response: ServerResponse,
  body: { amountMinor?: number },
): void {
  switch (behaviour) {
    case "plain":
    case "decline":
    case "refuse":
    case "late":
    case "late_effect":
      return replyJson(response, 200, body);
    case "hang":
    case "hang_before":
      return holdUnanswered(response, hangMs);
    case "http_500":
      return replyJson(response, 500, { error: "internal_error" });
    case "garbage":
      return replyText(response, 200, "application/json", '<html>{"outcome": "approv');
    case "wrong_amount":
      return replyJson(response, 200, { ...body, amountMinor: (body.amountMinor ?? 0) + 1 });
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    default:
      behaviour satisfies never;
  }
}
