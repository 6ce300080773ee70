import {
  staffVersionOf,
  type Command,
  type CommandContext,
  type CommandReply,
  type MessageContext,
  type OperatorMessageContext,
  type ServiceContext,
} from "@holdfast/contracts";
import { MessageRejectedError, request, type Bus } from "@holdfast/messaging";
import { bankWaits, type Logger } from "@holdfast/service-runtime";
import type { z } from "zod";
import type { Exchange, Operator } from "../http/exchange.ts";
import type { SignedInMerchant } from "../merchant/sign-in.ts";

/** Sends a command to another service, on behalf of the one that `on` names. */
type Send<Context extends CommandContext, On> = <Request extends z.ZodType, Result extends z.ZodType>(
  command: Command<Request, Result, Context>,
  on: On,
  payload: z.input<Request>,
) => Promise<CommandReply<z.infer<Result>>>;

/** Sends on behalf of a signed-in merchant, under the Idempotency-Key of the request, if it has one. */
export type SendCommand = Send<MessageContext, { exchange: Exchange; caller: SignedInMerchant }>;

export function createSendCommand(bus: Bus, options: SendOptions): SendCommand {
  const send = createSend(bus, options);
  return async (command, { exchange, caller: merchant }, payload) => {
    const { idempotency } = exchange;
    const contextOf = (base: CommonContext) => ({ ...base, merchant, ...(idempotency && { idempotency }) });
    return await send(command, exchange, contextOf, payload);
  };
}

/** Sends on behalf of a signed-in operator, whose token goes along as the proof. */
export type SendOperatorCommand = Send<OperatorMessageContext, { exchange: Exchange; caller: Operator }>;

export function createSendOperatorCommand(bus: Bus, options: SendOptions): SendOperatorCommand {
  const send = createSend(bus, options);
  return async (command, { exchange, caller: { token } }, payload) => {
    const operator = { token: token.reveal() };
    return await send(command, exchange, (base) => ({ ...base, operator }), payload);
  };
}

/** Sends on behalf of a person of a merchant's staff, whose token goes along and names the merchant. */
export type SendStaffCommand = {
  /** Operators' commands, about the person's own merchant. */
  operators: SendOperatorCommand;
  /** Merchants' commands, with the request's Idempotency-Key. */
  merchants: SendCommand;
};

export function createSendStaffCommand(bus: Bus, options: SendOptions): SendStaffCommand {
  const send = createSend(bus, options);
  const contextOf = ({ staff }: Exchange) => {
    if (!staff) throw new TypeError("a command of staff is sent on behalf of nobody");
    const { token, livemode, settings } = staff;
    return { staff: { token: token.reveal(), livemode }, settings };
  };
  return {
    operators: async (command, { exchange }, payload) => {
      const own = contextOf(exchange);
      return await send(staffVersionOf(command), exchange, (base) => ({ ...base, ...own }), payload);
    },
    merchants: async (command, { exchange }, payload) => {
      const { idempotency } = exchange;
      const own = { ...contextOf(exchange), ...(idempotency && { idempotency }) };
      return await send(staffVersionOf(command), exchange, (base) => ({ ...base, ...own }), payload);
    },
  };
}

/** Sends on behalf of a browser, which does not sign in. */
export type SendPageCommand = Send<ServiceContext, Exchange>;

export function createSendPageCommand(bus: Bus, options: SendOptions): SendPageCommand {
  const send = createSend(bus, options);
  return async (command, exchange, payload) =>
    await send(command, exchange, (base) => ({ ...base, service: { name: "gateway-public" } }), payload);
}

export type SendOptions = {
  /** The service does not begin after this time. */
  handlerTimeoutMs: number;
  /** The gateway waits this long. */
  requestTimeoutMs: number;
  /** While the clock is off, nothing is sent, since deadlines would be wrong. */
  clock: { isOff(): boolean };
  /** The log, with a line for each command at `debug`: its answer and duration. */
  log: Pick<Logger, "debug">;
};

export function sendOptions(
  config: Parameters<typeof bankWaits>[0],
  { clock, log }: Pick<SendOptions, "clock" | "log">,
): SendOptions {
  const { commandMs, requestMs } = bankWaits(config);
  return { handlerTimeoutMs: commandMs, requestTimeoutMs: requestMs, clock, log };
}

/** The context of every command, whoever sends it. */
type CommonContext = Pick<CommandContext, "requestId" | "deadlineAt">;

/** Sends a command in the trace of its exchange. `contextOf` adds the caller. */
function createSend(bus: Bus, { handlerTimeoutMs, requestTimeoutMs, clock, log }: SendOptions) {
  return async <Request extends z.ZodType, Result extends z.ZodType, Context extends CommandContext>(
    command: Command<Request, Result, Context>,
    exchange: Exchange,
    contextOf: (base: CommonContext) => Context,
    payload: z.input<Request>,
  ): Promise<CommandReply<z.infer<Result>>> => {
    if (clock.isOff()) return { outcome: "not_started" };
    const now = Date.now();
    const context = contextOf({ requestId: exchange.requestId, deadlineAt: now + handlerTimeoutMs });
    const { traceparent } = exchange.trace;
    const startedAt = performance.now();
    try {
      const waitUntil = now + requestTimeoutMs;
      const reply = await request(bus, command, context, payload, { waitUntil, traceparent });
      const durationMs = performance.now() - startedAt;
      const { requestId } = exchange;
      log.debug({ subject: command.subject, outcome: reply.outcome, durationMs, requestId }, "command sent");
      return reply;
    } catch (error) {
      // The service could not read the command, so it was not carried out. After any other error it may have
      // been.
      if (error instanceof MessageRejectedError) throw error;
      exchange.error = error;
      return { outcome: command.work === "read" ? "not_started" : "in_doubt" };
    }
  };
}
