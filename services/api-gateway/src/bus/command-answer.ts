import {
  toMerchantAnswer,
  type ApiPaymentResponse,
  type Command,
  type CommandReply,
  type MessageContext,
} from "@holdfast/contracts";
import type { Bus } from "@holdfast/messaging";
import type { z } from "zod";
import type { SignedInMerchant } from "../merchant/sign-in.ts";
import { createSend, type Timeouts } from "./send-command.ts";
import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import type { Answer } from "../endpoint/route.ts";

/** Sends commands to the other services, on behalf of a signed-in merchant. */
export type SendCommand = <Request extends z.ZodType, Result extends z.ZodType>(
  command: Command<Request, Result, MessageContext>,
  on: { exchange: Exchange; caller: SignedInMerchant },
  payload: z.input<Request>,
) => Promise<CommandReply<z.infer<Result>>>;

export function createSendCommand(bus: Bus, timeouts: Timeouts): SendCommand {
  const send = createSend(bus, timeouts);
  return async (command, { exchange, caller: merchant }, payload) => {
    const { idempotency } = exchange;
    return await send(
      command,
      exchange,
      (base) => ({ ...base, merchant, ...(idempotency && { idempotency }) }),
      payload,
    );
  };
}

/** Marks a stored answer of an earlier request under the same Idempotency-Key. */
export function replayedHeader({ replayed }: { replayed?: true | undefined }): Record<string, string> {
  return replayed ? { "Idempotent-Replayed": "true" } : {};
}

/** 201 with the payment that was created, or 202 while its outcome is not known. */
export function createdAnswer(
  exchange: Exchange,
  reply: CommandReply<ApiPaymentResponse>,
  paymentId: string,
): Answer<201 | 202> | Refusal {
  if (!("result" in reply)) return refusalOf(reply, paymentId);
  // Of a replay it is the first request's payment, not the one drawn for this one.
  exchange.paymentId = reply.result.paymentId;
  const Location = `/api/payment/${reply.result.paymentId}`;
  const body = toMerchantAnswer(reply.result);
  return reply.outcome === "done"
    ? { status: 201, headers: { Location, ...replayedHeader(reply) }, body }
    : { status: 202, headers: { Location, "Retry-After": QUERY_AFTER_S }, body };
}

/** The first inquiry at the acquirer comes this soon after the claim. */
export const QUERY_AFTER_S = "2";

/** What the merchant is told of a command that has no result. The one place where such replies become codes. */
export function refusalOf(
  reply: Extract<CommandReply<never>, { outcome: "problem" | "not_started" | "in_doubt" }>,
  /** To look the outcome up by; undefined where no payment was asked for. */
  paymentId: string | undefined,
): Refusal {
  switch (reply.outcome) {
    case "problem":
      return new Refusal(reply.code, {
        detail: reply.detail,
        members: reply.extra,
        headers: replayedHeader(reply),
      });
    case "not_started":
      return new Refusal("service_unavailable");
    case "in_doubt":
      return new Refusal("outcome_unknown", paymentId === undefined ? {} : { members: { paymentId } });
    default:
      return reply satisfies never;
  }
}
