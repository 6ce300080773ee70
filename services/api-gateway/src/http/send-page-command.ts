import type { Command, CommandReply, ServiceContext } from "@holdfast/contracts";
import { MessageRejectedError, request, type Bus } from "@holdfast/messaging";
import type { z } from "zod";
import type { Timeouts } from "./command-answer.ts";
import type { Exchange } from "./exchange.ts";

/** Sends commands on behalf of a browser that nobody signed in. */
export type SendPageCommand = <Request extends z.ZodType, Result extends z.ZodType>(
  command: Command<Request, Result, ServiceContext>,
  exchange: Exchange,
  payload: z.input<Request>,
) => Promise<CommandReply<z.infer<Result>>>;

export function createSendPageCommand(
  bus: Bus,
  { handlerTimeoutMs, requestTimeoutMs }: Timeouts,
): SendPageCommand {
  return async (command, exchange, payload) => {
    const now = Date.now();
    const context: ServiceContext = {
      requestId: exchange.requestId,
      deadlineAt: now + handlerTimeoutMs,
      service: { name: "api-gateway" },
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
