import {
  inquirePayment,
  inquireUnresolvedPayment,
  resolvePayment,
  resolveUnresolvedPayment,
  reversePayment,
  reverseUnresolvedPayment,
  type CommandReply,
  type OperatorPaymentDetail,
} from "@holdfast/contracts";
import { operatorAnswer } from "../bus/command-answer.ts";
import { type SendOperatorCommand } from "../bus/send-command.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute, type Answer } from "../endpoint/route.ts";

/** What operators do about payments whose outcome is unknown. */
export function paymentRoutes({ send }: { send: SendOperatorCommand }) {
  return [
    defineRoute(inquirePayment, async (call) => {
      return answer(await send(inquireUnresolvedPayment, call, call.path));
    }),
    defineRoute(reversePayment, async (call) => {
      return answer(await send(reverseUnresolvedPayment, call, call.path));
    }),
    defineRoute(resolvePayment, async (call) => {
      const { outcome, evidence } = call.body;
      return answer(await send(resolveUnresolvedPayment, call, { ...call.path, outcome, evidence }));
    }),
  ];
}

function answer(reply: CommandReply<OperatorPaymentDetail>): Answer<200> | Refusal {
  return operatorAnswer(200, reply);
}
