import { z } from "zod";

import type { Declined, NotSent, Unknown } from "@holdfast/acquirer";
import type { RawHttpExchange } from "../bounded-http-client.ts";
import { businessDayEnd } from "@holdfast/acquirer";
import type { BusinessDay } from "@holdfast/acquirer";
import { message, word } from "./answer-fields.ts";
import { classifyFailure } from "./classify-failure.ts";
import { containsCardNumber } from "./find-card-number.ts";
import { readJson } from "./read-json.ts";

/** An answer of the protocol: `status` decides, with every HTTP code below 500. */
export type Envelope =
  | { kind: "success"; answer: Readonly<Record<string, unknown>> }
  | { kind: "failure"; failure: Failure }
  | Unknown
  | NotSent;

export type Failure = { code: string; message: string; conversationId: string | undefined };

/** The texts that an answer must not repeat: the card of its request, and the account's keys. */
export type Confidential = { pan?: string; cvv?: string; keys: readonly string[] };

/**
 * Reads an answer's frame. One that repeats a card number proves nothing and goes no further; other confidential texts are
 * taken out of its message.
 */
export function readEnvelope(exchange: RawHttpExchange, confidential: Confidential): Envelope {
  if (exchange.kind !== "answered") return exchange;
  if (exchange.status >= 500) return INVALID_ANSWER;
  const { pan } = confidential;
  if (pan !== undefined && containsCardNumber(exchange.bytes.toString("utf8"), pan)) return INVALID_ANSWER;
  const json = readJson(exchange.bytes);
  const framed = frame.safeParse(json);
  if (!framed.success) return INVALID_ANSWER;
  if (framed.data.status === "success") return { kind: "success", answer: json as Record<string, unknown> };
  const { errorCode, errorMessage, conversationId } = framed.data;
  const said = withoutConfidential(errorMessage, confidential);
  return { kind: "failure", failure: { code: errorCode, message: said, conversationId } };
}

const frame = z.discriminatedUnion("status", [
  z.object({ status: z.literal("success") }),
  z.object({
    status: z.literal("failure"),
    errorCode: word.pipe(z.string().regex(/^\d{1,6}$/)),
    errorMessage: message,
    conversationId: z
      .string()
      .nullish()
      .transform((given) => given || undefined),
  }),
]);

function withoutConfidential(text: string, { cvv, keys }: Confidential): string {
  const hidden = cvv === undefined ? keys : [...keys, cvv];
  return hidden.reduce((shown, secret) => shown.replaceAll(secret, "[hidden]"), text);
}

/**
 * The proof that a failure gives about a call. A decline has to name the call. A refusal of the account or by its limit
 * may come before iyzico has read which call it was.
 */
export function failed(
  failure: Failure,
  { conversationId, now, businessDay }: { conversationId: string; now: Date; businessDay: BusinessDay },
): Declined | Unknown | NotSent {
  if (failure.conversationId !== undefined && failure.conversationId !== conversationId) return MISMATCH;
  const failureClass = classifyFailure(failure.code);
  switch (failureClass.kind) {
    case "declined": {
      if (failure.conversationId === undefined) return INVALID_ANSWER;
      const { declineClass } = failureClass;
      return { kind: "declined", declineClass, resultCode: failure.code, resultMessage: failure.message };
    }
    case "credentials":
      return { kind: "not_sent", reason: "credentials" };
    case "limit":
      return {
        kind: "not_sent",
        reason: "limit",
        notBefore: new Date(now.getTime() + LIMIT_WINDOW_MS),
      };
    case "day_not_ended": {
      const notBefore = businessDayEnd(now, businessDay);
      return { kind: "not_sent", reason: "day_not_ended", notBefore };
    }
    case "unproven":
      return INVALID_ANSWER;
    default:
      return failureClass satisfies never;
  }
}

/** Its limits count the calls of a minute. */
const LIMIT_WINDOW_MS = 60_000;

export const INVALID_ANSWER: Unknown = { kind: "unknown", reason: "invalid_answer" };
export const MISMATCH: Unknown = { kind: "unknown", reason: "mismatch" };
