import type { AcquirerAmount, Approved, Declined, NotSent, Unknown } from "@holdfast/acquirer";
import {
  INVALID_ANSWER,
  maskedMessage,
  MISMATCH,
  optional,
  readJson,
  refusalOf,
  type HttpAnswer,
} from "@holdfast/acquirer/kit";
import { z } from "zod";

import type { AkbankSettings } from "./akbank-settings.ts";
import { TRANSACTIONS, type OrderCall } from "./requests.ts";
import { APPROVED, BAD_REQUEST, meaningOf, PROVISION_ERROR } from "./result-codes.ts";

/** An answer about our order. A code, name or text that is absent is "". */
export type BankAnswer = {
  kind: "read";
  code: string;
  hostCode: string;
  message: string;
  /** The bank's wall clock, in no zone. */
  time: string;
  /** The order in the answer; empty in a refusal from before the bank had read the order. */
  orderId: string;
  authCode: string;
  /** The bank's name of the movement. */
  name: string | undefined;
  /** Rows of a record as they came, their numbers as text. */
  rows: unknown;
};

/** Amount and currency never come back. */
const text = optional(z.string()).transform((given = "") => given);
const number = optional(z.string().regex(/^\d{1,12}$/)).transform((given = "") => given);

/**
 * The bank's names of a movement: authorization and capture share `rrn`, so batch and sequence distinguish
 * them.
 */
export const nameFields = { rrn: number, batchNumber: number, stan: number };

const answerShape = z.object({
  responseCode: z.string().regex(/^VPS-\d{4}$/),
  responseMessage: text,
  hostResponseCode: optional(z.string().regex(/^\w{2}$/)).transform((given = "") => given),
  hostMessage: text,
  txnCode: text,
  txnDateTime: z.string().catch(""),
  terminal: optional(z.object({ merchantSafeId: text, terminalSafeId: text })),
  order: optional(z.object({ orderId: text })),
  transaction: optional(z.object({ authCode: text, ...nameFields })),
  txnDetailList: z.unknown().optional(),
});

/** A request that did not pass the bank's validation, by its list of faults: nothing was begun. */
const refusedShape = z.object({
  message: text,
  errors: z
    .array(z.object({ code: text, message: text }))
    .min(1)
    .max(100),
});
const unknownCallerShape = z.object({ code: z.literal("401") });

/**
 * Reads an answer, and checks that it is about our call. Only the connection authenticates it. An answer to a
 * request that the bank refuses to read (400), or whose signature it does not accept (401), has no order in
 * it.
 */
export function readAnswer(
  { status, bytes }: HttpAnswer,
  { type, orderId }: Pick<OrderCall, "type" | "orderId">,
  settings: Pick<AkbankSettings, "merchantSafeId" | "terminalSafeId">,
): BankAnswer | Refused | Unknown | NotSent {
  const json = [200, 400, 401].includes(status) ? readJson(bytes) : undefined;
  if (status === 400 || status === 401) return readRefused(status, json);
  const parsed = answerShape.safeParse(json);
  if (!parsed.success) return INVALID_ANSWER;
  const {
    responseCode: code,
    hostResponseCode: hostCode,
    order,
    terminal,
    transaction,
    txnCode,
  } = parsed.data;
  const named = order?.orderId ?? "";
  const isOurs =
    (txnCode === "" || txnCode === TRANSACTIONS[type]) &&
    (named === "" || named === orderId) &&
    isOwnId(terminal?.merchantSafeId, settings.merchantSafeId) &&
    isOwnId(terminal?.terminalSafeId, settings.terminalSafeId);
  if (!isOurs) return MISMATCH;
  return {
    kind: "read",
    code,
    hostCode,
    message: parsed.data.hostMessage || parsed.data.responseMessage,
    time: parsed.data.txnDateTime,
    orderId: named,
    authCode: transaction?.authCode ?? "",
    name: transaction && nameOf(transaction),
    rows: parsed.data.txnDetailList,
  };
}

/** The bank has found a fault in the request's form. */
export type Refused = { kind: "refused"; message: string };

function readRefused(status: 400 | 401, json: unknown): Refused | Unknown | NotSent {
  if (status === 401) {
    const isUnknown = unknownCallerShape.safeParse(json).success;
    return isUnknown ? { kind: "not_sent", reason: "credentials" } : INVALID_ANSWER;
  }
  const parsed = refusedShape.safeParse(json);
  if (!parsed.success) return INVALID_ANSWER;
  const { message, errors } = parsed.data;
  const why = errors.map((error) => `${error.code} ${error.message}`.trim()).join("; ");
  return { kind: "refused", message: why || message };
}

/** Older answers have stars in place of the ids. */
function isOwnId(given = "", own: string): boolean {
  return /^\**$/.test(given) || given.toUpperCase() === own;
}

/** @returns undefined if the gateway has refused, and no movement has begun. */
export function nameOf({
  rrn,
  batchNumber,
  stan,
}: z.output<z.ZodObject<typeof nameFields>>): string | undefined {
  const isNamed = /[1-9]/.test(rrn) && /[1-9]/.test(stan) && batchNumber !== "";
  return isNamed ? `${rrn.padStart(12, "0")}:${Number(batchNumber)}:${Number(stan)}` : undefined;
}

/** True if bank and host agree that the call was carried out. */
export function isApproval({ code, hostCode }: Pick<BankAnswer, "code" | "hostCode">): boolean {
  return code === APPROVED && (hostCode === "" || hostCode === "00");
}

/**
 * The proof that the answer to a call that moves money gives. An approval has no amount, so the outcome has
 * the call's: see `confirmAmounts`.
 * @param voided the name of the movement that a void reverses, which the answer lacks.
 */
export function outcomeOf(
  answer: BankAnswer | Refused,
  { amountMinor, currency, orderId }: AcquirerAmount & { orderId: string },
  confidential: readonly string[],
  voided?: string,
): Approved | Declined | Unknown | NotSent {
  const resultMessage = maskedMessage(answer.message, confidential);
  if (answer.kind === "refused")
    return { kind: "declined", declineClass: "technical", resultCode: BAD_REQUEST, resultMessage };
  if (!isApproval(answer))
    return readRefusal(answer, resultMessage, { orderId, isVoid: voided !== undefined });
  const externalTransactionId = voided ?? answer.name;
  const isWhole = answer.orderId === orderId && /^\w{0,8}$/.test(answer.authCode);
  if (!isWhole || externalTransactionId === undefined) return INVALID_ANSWER;
  const { authCode } = answer;
  const codes = { authCode, resultCode: answer.hostCode || "00", resultMessage };
  return { kind: "approved", amountMinor, currency, externalTransactionId, ...codes };
}

/**
 * The proof that a refusal gives about its call. The gateway's own refusal has no movement in it, and the
 * host's names the order. The bank does not document the code of a void's refusal after the day's end. A
 * refusal by the gateway alone has voided nothing, and otherwise the record says what is valid.
 */
function readRefusal(
  answer: BankAnswer,
  resultMessage: string,
  { orderId, isVoid }: { orderId: string; isVoid: boolean },
): Declined | Unknown | NotSent {
  const { code, hostCode, name } = answer;
  const isOfHost = code === PROVISION_ERROR;
  const isContradiction = isOfHost
    ? hostCode !== "" && answer.orderId !== orderId
    : code === APPROVED || hostCode !== "" || name !== undefined;
  if (isContradiction) return MISMATCH;
  const meaning = meaningOf(code, hostCode);
  const isRefusedVoid = isVoid && !isOfHost && meaning.codeClass === undefined;
  return refusalOf(isRefusedVoid ? "technical" : meaning.codeClass, {
    resultCode: meaning.code,
    resultMessage,
    ...(name !== undefined && { externalTransactionId: name }),
  });
}
