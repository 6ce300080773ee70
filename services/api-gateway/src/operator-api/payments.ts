import {
  inquirePayment,
  inquireUnresolvedPayment,
  resolvePayment,
  resolveUnresolvedPayment,
  reversePayment,
  reverseUnresolvedPayment,
} from "@holdfast/contracts";
import { operatorAnswer } from "../bus/command-answer.ts";
import { type SendOperatorCommand } from "../bus/send-command.ts";
import { defineRoute } from "../endpoint/route.ts";

/** The operators' routes for payments whose outcome is unknown. */
export function paymentRoutes({ send }: { send: SendOperatorCommand }) {
  return [
    defineRoute(inquirePayment, async (call) => {
      return operatorAnswer(200, await send(inquireUnresolvedPayment, call, call.path));
    }),
    defineRoute(reversePayment, async (call) => {
      return operatorAnswer(200, await send(reverseUnresolvedPayment, call, call.path));
    }),
    defineRoute(resolvePayment, async (call) => {
      const { outcome, evidence } = call.body;
      return operatorAnswer(
        200,
        await send(resolveUnresolvedPayment, call, { ...call.path, outcome, evidence }),
      );
    }),
  ];
}
