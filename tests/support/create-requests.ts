import { randomUUID } from "node:crypto";
import {
  agreeToRefund,
  operations,
  type Command,
  type CommandContext,
  type MessageContext,
  type OperatorMessageContext,
  type OperatorRole,
  type ServiceContext,
} from "@holdfast/contracts";
import { request, type Bus } from "@holdfast/messaging";
import type { z } from "zod";
import type { OperatorIdentity } from "./operator-identity.ts";

/** The longest wait of a test for an answer, however busy the machine is; the service gets a little less. */
const ANSWER_WITHIN_MS = 100_000;
const PATIENCE_MS = 10_000;

/** The commands that the gateway sends for a merchant, for an operator and for itself. */
export function createRequests(
  bus: Bus,
  { merchant, identity }: { merchant: MessageContext["merchant"]; identity: OperatorIdentity },
) {
  const send = <Context extends CommandContext, Request extends z.ZodType, Result extends z.ZodType>(
    command: Command<Request, Result, Context>,
    context: Context,
    payload: z.input<Request>,
  ) =>
    request(bus, command, context, payload, {
      waitUntil: context.deadlineAt + PATIENCE_MS,
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    });
  const base = () => ({ requestId: randomUUID(), deadlineAt: Date.now() + ANSWER_WITHIN_MS });
  const context = (change: Partial<MessageContext> = {}): MessageContext => ({
    ...base(),
    merchant,
    ...change,
  });
  /** The context of a signed-in operator, with every role where none is named. */
  const operatorContext = async (
    name = "olga",
    roles?: readonly OperatorRole[],
  ): Promise<OperatorMessageContext> => ({
    ...base(),
    operator: { token: await identity.token({ claims: { sub: name, ...(roles && { roles }) } }) },
  });
  const operate = async <Request extends z.ZodType, Result extends z.ZodType>(
    command: Command<Request, Result, OperatorMessageContext>,
    payload: z.input<Request>,
    name = "olga",
    requestId: string = randomUUID(),
  ) => await send(command, { ...(await operatorContext(name)), requestId }, payload);
  return {
    context,
    operatorContext,
    /** Any command of an operator. */
    operate,
    /** Approves a refund as the operators' listener does: `payments` gets the person's consent, too. */
    approve: async (refundId: string, name = "olga", requestId: string = randomUUID()) => {
      const agreed = await operate(agreeToRefund, { refundId }, name, requestId);
      if (!("result" in agreed)) return agreed;
      return await operate(operations.approveRefund.command, { refundId, ...agreed.result }, name, requestId);
    },
    /** Any command with a context of the test's own. */
    request: send,
    /** Any command of the merchant. */
    call: <Request extends z.ZodType, Result extends z.ZodType>(
      command: Command<Request, Result, MessageContext>,
      payload: z.input<Request>,
      change?: Partial<MessageContext>,
    ) => send(command, context(change), payload),
    /** Any command that the pages for browsers send. */
    askAsGateway: <Request extends z.ZodType, Result extends z.ZodType>(
      command: Command<Request, Result, ServiceContext>,
      payload: z.input<Request>,
    ) => send(command, { ...base(), service: { name: "gateway-public" } }, payload),
  };
}
