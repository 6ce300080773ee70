import type { Command, CommandContext, CommandReply } from "@holdfast/contracts";
import { MessageRejectedError, request, type Bus } from "@holdfast/messaging";
import type { z } from "zod";
import type { Exchange } from "../http/exchange.ts";

export type Timeouts = {
  /** For the service: it does not begin after it. */
  handlerTimeoutMs: number;
  /** For the gateway: it waits until then. */
  requestTimeoutMs: number;
};

/** Sends a command that an exchange leads to, in its trace. `contextOf` adds on whose behalf that is. */
export type Send = <Request extends z.ZodType, Result extends z.ZodType, Context extends CommandContext>(
  command: Command<Request, Result, Context>,
  exchange: Exchange,
  contextOf: (base: { requestId: string; deadlineAt: number }) => Context,
  payload: z.input<Request>,
) => Promise<CommandReply<z.infer<Result>>>;

export function createSend(bus: Bus, { handlerTimeoutMs, requestTimeoutMs }: Timeouts): Send {
  return async (command, exchange, contextOf, payload) => {
    const now = Date.now();
    const context = contextOf({ requestId: exchange.requestId, deadlineAt: now + handlerTimeoutMs });
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
