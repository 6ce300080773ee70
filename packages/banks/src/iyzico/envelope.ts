import type { BusinessDay, Declined, NotSent, Unknown } from "@holdfast/acquirer";
import {
  containsCardNumber,
  INVALID_ANSWER,
  optional,
  readJson,
  refusalOf,
  shownMessage,
  word,
  type HttpExchange,
} from "@holdfast/acquirer/kit";
import { z } from "zod";

import { FAILURE_CODES } from "./failure-codes.ts";

/** An answer of the protocol: `status` decides, with every HTTP code below 500. */
export type Envelope =
  | { kind: "success"; answer: Answer }
  | { kind: "failure"; failure: Failure }
  | Unknown
  | NotSent;

/** The fields of an answer; their numbers are text. */
export type Answer = Readonly<Record<string, unknown>>;

export type Failure = { code: string; message: string; conversationId: string | undefined };

/** The texts that an answer must not repeat: the card of its request, and the account's keys. */
export type Confidential = { pan?: string; cvv?: string; keys: readonly string[] };

/**
 * Reads an answer's frame. One that repeats a card number proves nothing and goes no further; a message that repeats
 * another confidential text is dropped.
 */
export function readEnvelope(exchange: HttpExchange, { pan, cvv, keys }: Confidential): Envelope {
  if (exchange.kind !== "answered") return exchange;
  if (exchange.status >= 500) return INVALID_ANSWER;
  if (pan !== undefined && containsCardNumber(exchange.bytes.toString("utf8"), pan)) return INVALID_ANSWER;
  const json = readJson(exchange.bytes);
  const framed = frame.safeParse(json);
  if (!framed.success) return INVALID_ANSWER;
  if (framed.data.status === "success") return { kind: "success", answer: json as Answer };
  const { errorCode: code, errorMessage = "", conversationId } = framed.data;
  const message = shownMessage(errorMessage, cvv === undefined ? keys : [...keys, cvv]);
  return { kind: "failure", failure: { code, message, conversationId: conversationId || undefined } };
}

const frame = z.discriminatedUnion("status", [
  z.object({ status: z.literal("success") }),
  z.object({
    status: z.literal("failure"),
    errorCode: word.pipe(z.string().regex(/^\d{1,6}$/)),
    errorMessage: optional(z.string()),
    conversationId: optional(z.string()),
  }),
]);

/**
 * The proof that a failure of our call gives. A decline has to name the call. A refusal of the account or by its limit may
 * come before iyzico has read which call it was.
 */
export function failed(
  { code: resultCode, message: resultMessage, conversationId }: Failure,
  clock: { now: Date; businessDay: BusinessDay },
): Declined | Unknown | NotSent {
  const outcome = refusalOf(FAILURE_CODES.get(resultCode), { resultCode, resultMessage }, clock);
  return outcome.kind === "declined" && conversationId === undefined ? INVALID_ANSWER : outcome;
}
