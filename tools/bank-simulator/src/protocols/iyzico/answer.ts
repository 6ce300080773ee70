import { jsonReply, LONG_SLIP, withControlCharacters, type Wire } from "../../core/index.ts";
import type { Modes } from "./modes.ts";
import { Decimal, UNITS_PER_MINOR } from "./wire/decimal.ts";
import { describeError, type ErrorCode } from "./wire/error-codes.ts";
import { writeAnswer, type AnswerFields } from "./wire/json.ts";
import { messageSignature, wrongSignature, type Signed } from "./wire/signature.ts";

/** An answer before it is signed. `signs` names the fields of its signature, in their order. */
export type Outcome = { fields: AnswerFields; signs: readonly string[]; isForged?: boolean };

export function success(fields: AnswerFields, signs: readonly string[] = []): Outcome {
  return { fields: { status: "success", ...fields }, signs };
}

export function failure(code: ErrorCode, fields: AnswerFields = {}): Outcome {
  return { fields: { status: "failure", ...errorFields(code), ...fields }, signs: [] };
}

export function errorFields(code: ErrorCode): AnswerFields {
  return { errorCode: code, ...describeError(code) };
}

/**
 * The request's fields that an answer repeats, and the key that signs it; undefined for an unknown caller.
 */
export type Envelope = {
  locale: string;
  conversationId: string;
  secretKey: string | undefined;
  systemTime: number;
};

/** The form of this bank's answers to a call. */
export function wireOf(modes: Readonly<Modes>, envelope: Envelope): Wire<Outcome> {
  const { secretKey, conversationId, locale, systemTime } = envelope;
  const head = { locale, systemTime, ...(conversationId !== "" && { conversationId }) };
  const signatureOf = (answer: AnswerFields, { signs, isForged }: Outcome) => {
    const { answerSignatures } = modes;
    if (signs.length === 0 || secretKey === undefined || answerSignatures === "missing") return undefined;
    const right = messageSignature(
      secretKey,
      signs.map((name) => answer[name] as Signed),
    );
    return isForged || answerSignatures === "wrong" ? wrongSignature(right) : right;
  };
  return {
    write: (outcome) => {
      const answer: AnswerFields = { ...head, ...outcome.fields };
      const status = answer["status"] === "failure" ? modes.failureHttpStatus : 200;
      const body = writeAnswer({ ...answer, signature: signatureOf(answer, outcome) }, modes);
      return { status, contentType: "application/json", body };
    },
    bend: (outcome, behaviour) => bent(modes, outcome, behaviour),
    garbage,
    broken,
  };
}

const garbage = { status: 200, contentType: "application/json", body: '<html>{"status": "succ' };
const broken = jsonReply({ error: "internal_error" }, 500);

/** Lies, forges the signature or pads the texts. */
function bent(modes: Readonly<Modes>, { fields, signs }: Outcome, behaviour: string): Outcome {
  const answer = fields["status"] === "success" ? altered(modes, fields, behaviour) : fields;
  return {
    fields: behaviour === "control_characters" ? padded(answer) : answer,
    signs,
    isForged: behaviour === "wrong_signature",
  };
}

/** Lies about the payment or the amount, with a signature that fits the lie. */
function altered({ answers }: Readonly<Modes>, fields: AnswerFields, behaviour: string): AnswerFields {
  const { paymentId, price, paidPrice } = fields;
  const isOtherPayment = behaviour === "wrong_payment_id" || answers === "other_payment";
  const isOtherAmount = behaviour === "wrong_amount" || answers === "other_amount";
  return {
    ...fields,
    ...(isOtherPayment && typeof paymentId === "string" && { paymentId: String(Number(paymentId) + 1) }),
    ...(isOtherAmount && price instanceof Decimal && { price: price.plusUnits(UNITS_PER_MINOR) }),
    ...(isOtherAmount && paidPrice instanceof Decimal && { paidPrice: paidPrice.plusUnits(UNITS_PER_MINOR) }),
  };
}

/** Pads the texts that a bank composes; ids and amounts stay, because the signature is about them. */
function padded(answer: AnswerFields): AnswerFields {
  const { errorMessage } = answer;
  const message = typeof errorMessage === "string" ? `${errorMessage}. ${LONG_SLIP}` : errorMessage;
  return Object.fromEntries(
    Object.entries({ ...answer, errorMessage: message }).map(([name, value]) => [
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
