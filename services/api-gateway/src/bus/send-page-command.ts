import type { Command, CommandReply, ServiceContext } from "@holdfast/contracts";
import type { Bus } from "@holdfast/messaging";
import type { z } from "zod";
import { createSend, type Timeouts } from "./send-command.ts";
import type { Exchange } from "../http/exchange.ts";

/** Sends commands on behalf of a browser that nobody signed in. */
export type SendPageCommand = <Request extends z.ZodType, Result extends z.ZodType>(
  command: Command<Request, Result, ServiceContext>,
  exchange: Exchange,
  payload: z.input<Request>,
) => Promise<CommandReply<z.infer<Result>>>;

export function createSendPageCommand(bus: Bus, timeouts: Timeouts): SendPageCommand {
  const send = createSend(bus, timeouts);
  return async (command, exchange, payload) =>
    await send(command, exchange, (base) => ({ ...base, service: { name: "api-gateway" } }), payload);
}
