import type { ServerResponse } from "node:http";

import { holdUnanswered, replyText } from "@holdfast/bank-simulator/core";

import type { BehaviourName } from "../faults/behaviours.ts";
import { illegalText, paddedText } from "../faults/strange-characters.ts";
import { refusedResponse, type Cc5Response } from "../wire/cc5-response.ts";
import { writeXml, XML_TYPE } from "../wire/write-xml.ts";
import type { BankApi } from "./bank-api.ts";

/** Answers with XML, as the behaviour requires; its influence on the effect and the time has been applied before. */
export function deliverXml(
  api: Pick<BankApi, "hangMs" | "modes">,
  behaviour: BehaviourName,
  response: ServerResponse,
  answer: Cc5Response,
): void {
  switch (behaviour) {
    case "hang":
    case "hang_before":
      return holdUnanswered(response, api.hangMs);
    case "http_500":
      return replyText(response, 500, "text/html", "<html><body>Internal Server Error</body></html>");
    case "garbage":
      return replyText(response, 200, XML_TYPE, "<html><body>Approved");
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "control_characters":
      return replyXml(response, withTexts(answer, paddedText));
    case "illegal_characters":
      return replyXml(response, withTexts(answer, illegalText));
    case "gateway_error":
    case "gateway_error_before":
      return replyXml(response, refusedResponse(2100, { orderId: "", groupId: "" }, "", api.modes));
    case "plain":
    case "decline":
    case "partial":
    case "late":
    case "late_effect":
    case "wrong_amount":
    case "wrong_hash":
    case "host_timeout":
    case "issuer_unavailable":
    case "system_error":
    case "day_closes":
      return replyXml(response, answer);
    default:
      behaviour satisfies never;
  }
}

export function replyXml(response: ServerResponse, answer: Cc5Response): void {
  replyText(response, 200, XML_TYPE, writeXml(answer));
}

/** Bends the texts that people read and the codes that the issuer composes. */
function withTexts(answer: Cc5Response, bend: (text: string) => string): Cc5Response {
  return {
    ...answer,
    ErrMsg: bend(answer.ErrMsg),
    ...(answer.AuthCode !== undefined && { AuthCode: bend(answer.AuthCode) }),
    Extra: { ...answer.Extra, HOSTMSG: bend(answer.Extra["HOSTMSG"] ?? "") },
  };
}
