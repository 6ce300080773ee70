import type { ServerResponse } from "node:http";

import { holdUnanswered, LONG_SLIP, replyText, withControlCharacters } from "@holdfast/bank-simulator/core";

import type { BehaviourName } from "./bank/behaviour.ts";
import type { Outcome } from "./calls/call.ts";
import type { Modes } from "./control/modes.ts";
import { Decimal, UNITS_PER_MINOR } from "./wire/decimal.ts";
import { describeError } from "./wire/error-codes.ts";
import { messageSignature, wrongSignature, type Signed } from "./wire/signature.ts";
import { writeAnswer, type AnswerFields } from "./wire/write-answer.ts";

/**
 * The fields that an answer repeats of its request, and the key that signs it; `secretKey` is undefined for an unknown
 * caller.
 */
export type Envelope = {
  locale: string;
  conversationId: string;
  secretKey: string | undefined;
  systemTime: number;
};

/** Answers as the behaviour and the modes require; the effect and the time of the call are over by then. */
export function deliver(
  { hangMs, modes }: { hangMs: number; modes: Readonly<Modes> },
  behaviour: BehaviourName,
  response: ServerResponse,
  outcome: Outcome,
  envelope: Envelope,
): void {
  switch (behaviour) {
    case "hang":
    case "hang_before":
      return holdUnanswered(response, hangMs);
    case "http_500":
      return replyText(response, 500, "application/json", '{"error":"internal_error"}');
    case "garbage":
      return replyText(response, 200, "application/json", '<html>{"status": "succ');
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "plain":
    case "decline":
    case "partial":
    case "late":
    case "late_effect":
    case "limited":
    case "unknown_done":
    case "unknown_not_done":
    case "wrong_amount":
    case "wrong_payment_id":
    case "wrong_signature":
    case "control_characters": {
      const isFailure = outcome.kind === "failure";
      const text = writeAnswer(answerOf(modes, behaviour, outcome, envelope), modes);
      return replyText(response, isFailure ? modes.failureHttpStatus : 200, "application/json", text);
    }
    default:
      behaviour satisfies never;
  }
}

function answerOf(
  modes: Readonly<Modes>,
  behaviour: BehaviourName,
  outcome: Outcome,
  { locale, conversationId, secretKey, systemTime }: Envelope,
): AnswerFields {
  const head = { locale, systemTime, ...(conversationId !== "" && { conversationId }) };
  const isPadded = behaviour === "control_characters";
  if (outcome.kind === "failure") {
    const { errorGroup, errorMessage } = describeError(outcome.code);
    const answer = {
      status: "failure",
      errorCode: outcome.code,
      errorMessage: outcome.message ?? errorMessage,
      errorGroup,
      ...head,
      ...outcome.fields,
    };
    return isPadded ? padded(answer) : answer;
  }
  const answer = altered(modes, behaviour, { status: "success", ...head, ...outcome.fields });
  const signature = signatureOf(modes, behaviour, secretKey, outcome.signs, answer);
  return { ...(isPadded ? padded(answer) : answer), signature };
}

/** Lies about the payment or the amount, with a signature that fits the lie. */
function altered(modes: Readonly<Modes>, behaviour: BehaviourName, answer: AnswerFields): AnswerFields {
  const { paymentId, price, paidPrice } = answer;
  const isOtherPayment = behaviour === "wrong_payment_id" || modes.answers === "other_payment";
  const isOtherAmount = behaviour === "wrong_amount" || modes.answers === "other_amount";
  return {
    ...answer,
    ...(isOtherPayment && typeof paymentId === "string" && { paymentId: String(Number(paymentId) + 1) }),
    ...(isOtherAmount && price instanceof Decimal && { price: price.plusUnits(UNITS_PER_MINOR) }),
    ...(isOtherAmount && paidPrice instanceof Decimal && { paidPrice: paidPrice.plusUnits(UNITS_PER_MINOR) }),
  };
}

function signatureOf(
  { answerSignatures }: Readonly<Modes>,
  behaviour: BehaviourName,
  secretKey: string | undefined,
  signs: readonly string[],
  answer: AnswerFields,
): string | undefined {
  if (signs.length === 0 || secretKey === undefined || answerSignatures === "missing") return undefined;
  const right = messageSignature(
    secretKey,
    signs.map((name) => answer[name] as Signed),
  );
  return behaviour === "wrong_signature" || answerSignatures === "wrong" ? wrongSignature(right) : right;
}

/** Pads the texts that a bank composes; ids and amounts stay, because the signature is about them. */
function padded(answer: AnswerFields): AnswerFields {
  const { errorMessage } = answer;
  const message = typeof errorMessage === "string" ? `${errorMessage}. ${LONG_SLIP}` : errorMessage;
  const texts = { ...answer, errorMessage: message };
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [
      name,
      composed.has(name) && typeof value === "string" ? withControlCharacters(value) : value,
    ]),
  );
}

const composed = new Set([
  "errorMessage",
  "errorGroup",
  "authCode",
  "hostReference",
  "cancelHostReference",
  "refundHostReference",
]);
