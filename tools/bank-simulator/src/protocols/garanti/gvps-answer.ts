import { LONG_SLIP, withControlCharacters, xmlOf, type Wire, type XmlValues } from "../../core/index.ts";
import type { Modes } from "./config.ts";
import { answerHash } from "./hashes.ts";

/** An answer before it is signed and written. */
export type Answer = {
  /** The code of a refusal; `00` approves, and `found` is an inquiry's success. */
  code: string;
  /** The names of the request, which come back. */
  terminal: XmlValues;
  orderId: string;
  /** Empty if the answer has no number. */
  retrefNum: string;
  authCode: string;
  batch: number;
  /** `yyyyMMdd HH:mm:ss`. */
  provDate: string;
  pan: string | null;
  /** The inquiry's block of the order. */
  order: XmlValues;
  /** The key of the answer's hash; undefined for an answer without one. */
  security: string | undefined;
  bendText?: (text: string) => string;
};

/** The host's codes have two digits; the codes of the gateway's own refusals have four. */
export function isOfHost(code: string): boolean {
  return code.length === 2 || code === RPC;
}

/** The trouble of a test terminal with voids and refunds. */
export const RPC = "RPC-05";

/** A refusal of the gateway is always 92; its own code is the reason. */
export function resultOf(code: string): {
  Source: string;
  Code: string;
  ReasonCode: string;
  Message: string;
} {
  if (code === "found") return { Source: "GVPS", Code: "00", ReasonCode: "", Message: "Approved" };
  const Message = code === "00" ? "Approved" : "Declined";
  if (!isOfHost(code)) return { Source: "GVPS", Code: "92", ReasonCode: code.slice(0, 4), Message };
  return { Source: "HOST", Code: code.slice(-2), ReasonCode: code.slice(-2), Message };
}

function writeAnswer(answer: Answer, { paddedValues, answerHash: mode }: Modes): string {
  const { code, orderId, provDate, security, bendText = (text) => text } = answer;
  const result = resultOf(code);
  const isGood = code === "00" || code === "found";
  const padded = (text: string, width: number) => (paddedValues ? text.padEnd(width + 2) : text);
  const retrefNum = padded(answer.retrefNum, 12);
  const authCode = padded(answer.authCode && bendText(answer.authCode), 6);
  const signed = [result.Code, retrefNum, authCode, provDate, orderId];
  const isSigned = security !== undefined && mode !== "missing";
  const cause = code === RPC ? "RPC-05 condition was raised" : isOfHost(code) ? "" : `ErrorId: ${code}`;
  return xmlOf({
    GVPSResponse: {
      Mode: "",
      Terminal: answer.terminal,
      Order: { OrderID: orderId, GroupID: "", ...answer.order },
      Transaction: {
        Response: {
          ...result,
          ErrorMsg: bendText(isGood ? "" : "İşleminizi gerçekleştiremiyoruz. Tekrar deneyiniz"),
          SysErrMsg: bendText(isGood ? "" : cause),
        },
        RetrefNum: retrefNum,
        AuthCode: authCode,
        BatchNum: isGood ? String(answer.batch).padStart(6, "0") : "",
        SequenceNum: isGood ? answer.retrefNum.slice(-6) : "",
        ProvDate: provDate,
        CardNumberMasked: answer.pan ?? "",
        CardHolderName: answer.pan ? "AD** SO****" : "",
        CardType: "",
        ...(isSigned && { HashData: answerHash(signed, security, mode === "sha1" ? mode : "sha512") }),
      },
    },
  });
}

/** The wire of the answers. Their encoding is not declared; it is UTF-8. */
export function wireOf(modes: Modes): Wire<Answer> {
  const contentType = "text/xml";
  return {
    write: (answer) => ({ status: 200, contentType, body: writeAnswer(answer, modes) }),
    bend: (answer, behaviour) => {
      const { security, orderId } = answer;
      switch (behaviour) {
        case "control_characters":
          return { ...answer, bendText: (text) => `\t\u007F\u00AD${text}. ${LONG_SLIP}\u00A0\t` };
        case "illegal_characters":
          return { ...answer, bendText: withControlCharacters };
        case "wrong_hash":
          return { ...answer, security: `${security}!` };
        case "other_order":
          return { ...answer, orderId: orderId.replace(/.$/, (last) => (last === "0" ? "1" : "0")) };
        default:
          return answer;
      }
    },
    garbage: { status: 200, contentType, body: "<GVPSResponse><Transaction>Approved" },
    broken: {
      status: 500,
      contentType: "text/html",
      body: "<html><body>Internal Server Error</body></html>",
    },
  };
}
