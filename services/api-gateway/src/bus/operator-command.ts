import type { Command, CommandReply, OperatorContext } from "@holdfast/contracts";
import type { Bus } from "@holdfast/messaging";
import type { z } from "zod";
import { createSend, type Timeouts } from "./send-command.ts";
import type { Exchange, Operator } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";

/** Sends commands to the other services, on behalf of a signed-in operator. */
export type SendOperatorCommand = <Request extends z.ZodType, Result extends z.ZodType>(
  command: Command<Request, Result, OperatorContext>,
  on: { exchange: Exchange; caller: Operator },
  payload: z.input<Request>,
) => Promise<CommandReply<z.infer<Result>>>;

export function createSendOperatorCommand(bus: Bus, timeouts: Timeouts): SendOperatorCommand {
  const send = createSend(bus, timeouts);
  return async (command, { exchange, caller }, payload) =>
    await send(command, exchange, (base) => ({ ...base, operator: { name: caller.subject } }), payload);
}

/** What the operator is told of a command that has no result; one that only reads can always be repeated. */
export function operatorRefusalOf(
  reply: Extract<CommandReply<never>, { outcome: "problem" | "not_started" | "in_doubt" }>,
  { reads }: { reads: boolean } = { reads: false },
): Refusal {
  switch (reply.outcome) {
    case "problem":
      return new Refusal(reply.code, { detail: reply.detail, members: reply.extra });
    case "not_started":
      return new Refusal("service_unavailable");
    case "in_doubt":
      return new Refusal(reads ? "service_unavailable" : "outcome_unknown");
    default:
      return reply satisfies never;
  }
}
