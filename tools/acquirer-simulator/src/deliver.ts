import type { ServerResponse } from "node:http";

import { holdUnanswered, replyJson, replyText } from "@holdfast/simulator-kit";

import type { BehaviourName } from "./behaviour.ts";
import { withControlCharacters } from "./control-characters.ts";
import { resultMessages } from "./result-codes.ts";

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
    case "partial":
    case "pending":
      return replyJson(response, 200, body);
    case "expire":
      return replyJson(response, 200, expired(body));
    case "hang":
    case "hang_before":
      return holdUnanswered(response, hangMs);
    case "http_500":
      return replyJson(response, 500, { error: "internal_error" });
    case "garbage":
      return replyText(response, 200, "application/json", '<html>{"outcome": "approv');
    case "wrong_amount":
      return replyJson(response, 200, { ...body, amountMinor: (body.amountMinor ?? 0) + 1 });
    case "control_characters":
      return replyJson(response, 200, withControlCharacters(body));
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    default:
      behaviour satisfies never;
  }
}

/** A bank that judges by the time alone ignores stored outcomes: a repeat is too late, too. */
function expired(body: object): object {
  const resultCode = "expired_request";
  const resultMessage = resultMessages[resultCode];
  return { ...body, outcome: "expired", authCode: undefined, resultCode, resultMessage };
}
