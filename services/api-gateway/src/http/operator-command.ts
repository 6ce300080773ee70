import type { Command, CommandReply, OperatorContext } from "@holdfast/contracts";
import { MessageRejectedError, request, type Bus } from "@holdfast/messaging";
import type { z } from "zod";
import type { Exchange, Operator } from "./exchange.ts";
import { Refusal } from "./refusal.ts";
import type { Timeouts } from "./command-answer.ts";

/** Sends commands to the other services, on behalf of a signed-in operator. */
export type SendOperatorCommand = <Request extends z.ZodType, Result extends z.ZodType>(
  command: Command<Request, Result, OperatorContext>,
  on: { exchange: Exchange; caller: Operator },
  payload: z.input<Request>,
) => Promise<CommandReply<z.infer<Result>>>;

export function createSendOperatorCommand(
  bus: Bus,
  { handlerTimeoutMs, requestTimeoutMs }: Timeouts,
): SendOperatorCommand {
  return async (command, { exchange, caller }, payload) => {
    const now = Date.now();
    const context: OperatorContext = {
      requestId: exchange.requestId,
      deadlineAt: now + handlerTimeoutMs,
      operator: { name: caller.subject },
    };
    const { traceparent } = exchange.trace;
    try {
      return await request(bus, command, context, payload, {
        waitUntil: now + requestTimeoutMs,
        traceparent,
      });
    } catch (error) {
      // Unread by the other side, so nothing came of it. After anything else it may have been carried out.
      if (error instanceof MessageRejectedError) throw error;
      exchange.error = error;
      return { outcome: "in_doubt" };
    }
  };
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
