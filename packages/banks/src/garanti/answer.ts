import type { AcquirerAmount, Approved, Declined, NotSent, Unknown } from "@holdfast/acquirer";
import {
  decodeText,
  INVALID_ANSWER,
  maskedMessage,
  MISMATCH,
  readXml,
  refusalOf,
  type HttpAnswer,
  type XmlElement,
} from "@holdfast/acquirer/kit";

import type { GarantiSettings } from "./garanti-settings.ts";
import { isHash } from "./hashes.ts";
import { meaningOf } from "./result-codes.ts";

/** The elements of an answer that are read. `source` is the bank's host, or the gateway; `retrefNum` names the movement. */
const ELEMENTS = {
  terminalId: ["Terminal", "ID"],
  merchantId: ["Terminal", "MerchantID"],
  orderId: ["Order", "OrderID"],
  source: ["Transaction", "Response", "Source"],
  code: ["Transaction", "Response", "Code"],
  reasonCode: ["Transaction", "Response", "ReasonCode"],
  message: ["Transaction", "Response", "Message"],
  errorText: ["Transaction", "Response", "ErrorMsg"],
  cause: ["Transaction", "Response", "SysErrMsg"],
  retrefNum: ["Transaction", "RetrefNum"],
  authCode: ["Transaction", "AuthCode"],
  provDate: ["Transaction", "ProvDate"],
  hash: ["Transaction", "HashData"],
} as const;
type Texts = Readonly<Record<keyof typeof ELEMENTS, string>>;

/** An answer about our order. Its texts are trimmed; an element that is absent is "". */
export type BankAnswer = Texts & { kind: "read"; root: XmlElement };

/** The call that an answer has to be about. */
export type AskedFor = Pick<GarantiSettings, "terminalId" | "merchantId" | "encoding" | "verifyAnswers"> & {
  orderId: string;
  securityData: readonly string[];
};

/**
 * Reads an answer, however malformed its bytes are, and proves that it is the bank's and about our order. One that refuses
 * our user or password needs no proof: the hash has a password in it that the two sides disagree about.
 */
export function readAnswer(answer: HttpAnswer, asked: AskedFor): BankAnswer | Unknown | NotSent {
  const text = answer.status === 200 ? decodeText(answer, asked.encoding) : undefined;
  const root = text === undefined ? undefined : readXml(text, "GVPSResponse");
  const raw = root && textsOf(root);
  if (!raw || !/^\s*[0-9A-Z]{2}\s*$/.test(raw.code)) return INVALID_ANSWER;
  const trimmed = Object.entries(raw).map(([name, given]) => [name, given.trim()]);
  const read: BankAnswer = { ...(Object.fromEntries(trimmed) as Texts), kind: "read", root };
  const isOurs = (["terminalId", "merchantId", "orderId"] as const).every(
    (name) => read[name] === "" || read[name] === asked[name],
  );
  if (!isOurs) return MISMATCH;
  if (meaningOf(read).codeClass === "credentials") return { kind: "not_sent", reason: "credentials" };
  return read.orderId !== "" && isSigned(raw, asked) ? read : MISMATCH;
}

/** The text of each element, unchanged; undefined if an element comes twice with different texts. */
function textsOf(root: XmlElement): Texts | undefined {
  const texts = Object.entries(ELEMENTS).map(([name, path]) => {
    const [text = "", ...others] = elementsAt(root, path).map((element) => element.text);
    return others.every((other) => other === text) && ([name, text] as const);
  });
  return texts.every((entry) => entry !== false) ? (Object.fromEntries(texts) as Texts) : undefined;
}

/** All elements at a path below the root. */
export function elementsAt(root: XmlElement, path: readonly string[]): XmlElement[] {
  return path.reduce(
    (elements, name) => elements.flatMap(({ children }) => children.filter((child) => child.name === name)),
    [root],
  );
}

/** The forms make it certain where one value ends and the next begins; banks may pad values before or after they hash. */
function isSigned(raw: Texts, { verifyAnswers, securityData }: AskedFor): boolean {
  const { code, retrefNum, authCode, provDate, orderId, hash } = raw;
  const areWellFormed = /^\s*(?:\d{12})?\s*$/.test(retrefNum) && /^[\d: ]*$/.test(provDate);
  const values = [code, retrefNum, authCode, provDate, orderId];
  const readings = [values, values.map((value) => value.trim())];
  const isOf = (data: string) => readings.some((signed) => isHash(hash, ...signed, data));
  return !verifyAnswers || (areWellFormed && securityData.some(isOf));
}

/**
 * The proof that the answer to a call that moves money gives. An approval has no amount, so the outcome has
 * the call's: see `confirmAmounts`.
 */
export function outcomeOf(
  answer: BankAnswer,
  { amountMinor, currency }: AcquirerAmount,
  confidential: readonly string[],
): Approved | Declined | Unknown | NotSent {
  if (!isApproval(answer)) return readRefusal(answer, confidential);
  const { authCode, code: resultCode, reasonCode } = answer;
  const externalTransactionId = readName(answer.retrefNum);
  const isWhole = reasonCode === "00" && /^\w{0,8}$/.test(authCode) && externalTransactionId !== undefined;
  if (!isWhole) return INVALID_ANSWER;
  const resultMessage = maskedMessage(answer.errorText, confidential);
  const amount = { amountMinor, currency };
  return { kind: "approved", ...amount, externalTransactionId, authCode, resultCode, resultMessage };
}

/** The answer to an inquiry may have no reason. */
export function isApproval({ source, code, reasonCode, message }: BankAnswer): boolean {
  const isTold = message === "Approved" && (source === "HOST" || source === "GVPS");
  return isTold && code === "00" && (reasonCode === "00" || reasonCode === "");
}

/** The proof that a refusal gives about its call. */
export function readRefusal(
  answer: BankAnswer,
  confidential: readonly string[] = [],
): Declined | Unknown | NotSent {
  const { code: resultCode, codeClass } = meaningOf(answer);
  const externalTransactionId = readName(answer.retrefNum);
  return refusalOf(codeClass, {
    resultCode,
    resultMessage: maskedMessage(answer.errorText, confidential),
    ...(externalTransactionId !== undefined && { externalTransactionId }),
  });
}

/** The bank's name of a movement: 12 digits, of which an inquiry may leave out the zeros that they begin with. */
export function readName(text: string): string | undefined {
  return /^\d{1,12}$/.test(text) && /[1-9]/.test(text) ? text.padStart(12, "0") : undefined;
}
