import type { AcquirerAmount, Approved, BusinessDay, Declined, NotSent, Unknown } from "@holdfast/acquirer";
import {
  decodeText,
  INVALID_ANSWER,
  maskedMessage,
  MISMATCH,
  PENDING,
  readXml,
  refusalOf,
  type HttpAnswer,
  type XmlElement,
} from "@holdfast/acquirer/kit";

import { isMac, type MacKey, type MacOrder } from "./macs.ts";
import { writeInstallments, type Begun } from "./requests.ts";
import { classOf, type Step } from "./result-codes.ts";

/** An answer of the protocol. */
export type BankAnswer = {
  kind: "read";
  approved: "0" | "1" | "2";
  code: string;
  message: string;
  root: XmlElement;
};

/**
 * Reads an answer, however malformed its bytes are. It names neither a merchant nor an order: only the
 * connection tells which call it belongs to.
 */
export function readAnswer(answer: HttpAnswer): BankAnswer | Unknown {
  const text = answer.status === 200 ? textOfAnswer(answer) : undefined;
  const root = text === undefined ? undefined : readXml(text, "posnetResponse");
  const [approved, code, message] = root
    ? ["approved", "respCode", "respText"].map((name) => textIn(root, name))
    : [];
  if (!root || approved === undefined || code === undefined || message === undefined) return INVALID_ANSWER;
  const isKnown = approved === "0" || approved === "1" || approved === "2";
  const isWhole = approved === "0" ? CODE.test(code) : approved === "2" || /^0*$/.test(code);
  return isKnown && isWhole ? { kind: "read", approved, code, message, root } : INVALID_ANSWER;
}

const CODE = /^(?:\d{4}|E\d{3})$/;

/** The bank declares one encoding in the header, and another one in the document: either may be the bytes'. */
function textOfAnswer(answer: HttpAnswer): string | undefined {
  return decodeText(answer) ?? decodeText({ bytes: answer.bytes, contentType: undefined });
}

/**
 * The trimmed text of the only element of this name, regardless of case; "" if there is no such element,
 * undefined if there are several.
 */
export function textIn({ children }: XmlElement, name: string): string | undefined {
  const [found, ...others] = children.filter((child) => child.name.toLowerCase() === name.toLowerCase());
  return others.length === 0 ? (found?.text.trim() ?? "") : undefined;
}

/** The only element of this name. */
export function elementIn({ children }: XmlElement, name: string): XmlElement | undefined {
  const [found, ...others] = children.filter((child) => child.name.toLowerCase() === name.toLowerCase());
  return others.length === 0 ? found : undefined;
}

/** The call that moves money and that an answer has to be about. */
export type AskedFor = AcquirerAmount & {
  step: Step;
  /** Present in answers to payments in installments. */
  installmentCount?: number;
  /** Present where the answer has to have the bank's MAC over our own values. */
  signed?: { order: MacOrder; key: MacKey };
  /** The name of the movement that a void reverses, which the answer may lack. */
  voided?: string;
  clock: { now: Date; businessDay: BusinessDay };
  confidential: readonly string[];
};

/**
 * The proof that the answer to a call that moves money gives. An approval has neither amount nor order, so
 * the outcome has the call's own amount: see `confirmAmounts`. A second approval of an order (2) repeats the
 * first one's fields, which the record has to show. An answer without its MAC is settled by the record, too.
 */
export function outcomeOf(answer: BankAnswer, asked: AskedFor): Approved | Declined | Unknown | NotSent {
  const { approved, code, message, root } = answer;
  const { amountMinor, currency, signed, step, confidential } = asked;
  const codeClass = classOf(step, code, message);
  const resultMessage = maskedMessage(message, confidential);
  if (approved === "2") return PENDING;
  // An unknown caller gets no MAC, and nothing was carried out for it.
  if (approved === "0" && codeClass === "credentials") return { kind: "not_sent", reason: "credentials" };
  const key = asked.voided ?? nameOf(root);
  if (signed && textIn(root, "mac") === "") return PENDING;
  if (signed && !isSigned(root, signed, approved === "1" ? (key ?? "?") : "")) return MISMATCH;
  if (approved === "0") return refusalOf(codeClass, { resultCode: code, resultMessage }, asked.clock);
  const authCode = textIn(root, "authCode");
  if (key === undefined || authCode === undefined || !/^\w{0,8}$/.test(authCode)) return INVALID_ANSWER;
  if (!hasInstallments(root, asked.installmentCount)) return MISMATCH;
  const names = { externalTransactionId: key, authCode };
  return { kind: "approved", amountMinor, currency, ...names, resultCode: "00", resultMessage };
}

/** The bank's name of a movement, `hostlogkey`. */
export function nameOf(element: XmlElement): string | undefined {
  const text = textIn(element, "hostlogkey") ?? "";
  return isName(text) ? text : undefined;
}

export function isName(text: string): boolean {
  return /^[0-9A-Za-z]{1,24}$/.test(text) && /[^0]/.test(text);
}

/**
 * @param first the value that the bank signs in addition to ours: the approved movement's name, or nothing in
 * a refusal. The MAC covers no other sign of an approval or a refusal.
 */
function isSigned(
  root: XmlElement,
  { order, key }: { order: MacOrder; key: MacKey },
  first: string,
): boolean {
  return isMac(textIn(root, "mac") ?? "", order, key, first);
}

/** Some answers have the number of installments, in a block of their own. */
function hasInstallments(root: XmlElement, expected: number | undefined): boolean {
  const block = elementIn(root, "instInfo");
  const told = block ? textIn(block, "inst1") : "";
  if (told === undefined) return false;
  return expected === undefined || told === "" || told === writeInstallments(expected);
}

/** The fields for the form of 3-D Secure that its first step gives. */
export function readBegun({ root }: BankAnswer): Begun | undefined {
  const block = elementIn(root, "oosRequestDataResponse");
  const [data1 = "", data2 = "", sign = ""] = ["data1", "data2", "sign"].map(
    (name) => block && textIn(block, name),
  );
  const areWhole = [data1, data2, sign].every((text) => /^[!-~]{1,8000}$/.test(text));
  return areWhole ? { data1, data2, sign } : undefined;
}
