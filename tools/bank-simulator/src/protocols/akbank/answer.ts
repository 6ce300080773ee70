import { jsonReply, LONG_SLIP, withControlCharacters, type Wire } from "../../core/index.ts";

/** An answer before it is written. */
export type Answer = {
  /** `found` is an inquiry's success, `00` approves; two digits refuse at the host. */
  code: string;
  txnCode: string;
  orderId: string;
  /** `2026-01-31T09:05:07.123`. */
  at: string;
  terminal: object;
  /** Undefined for a cancellation and for an inquiry. */
  transaction: { authCode: string; rrn: string; batchNumber: number; stan: number } | undefined;
  /** The rows of an inquiry. */
  rows?: readonly object[] | undefined;
  bendText?: (text: string) => string;
  /** Has characters that no JSON may have. */
  isIllegal?: boolean;
};

export function isOfHost(code: string): boolean {
  return code.length === 2;
}

/** The gateway's code, and the host's if the host was asked. */
export function resultOf(code: string) {
  if (code === "found") return { responseCode: "VPS-0000", responseMessage: "BAŞARILI" };
  if (!isOfHost(code)) return { responseCode: code, responseMessage: "İşlem gerçekleştirilemedi" };
  return code === "00"
    ? {
        responseCode: "VPS-0000",
        responseMessage: "BAŞARILI",
        hostResponseCode: code,
        hostMessage: "000 ONAY KODU XXXXXX",
      }
    : {
        responseCode: "VPS-1005",
        responseMessage: "Provizyon hatası",
        hostResponseCode: code,
        hostMessage: `0${code} RED-ONAYLANMADI`,
      };
}

function bodyOf({ code, txnCode, orderId, at, terminal, transaction, rows, bendText }: Answer): object {
  const result = resultOf(code);
  // A refusal of an inquiry, or of the request itself, names no order.
  const namesOrder = code !== "VPS-1073" && (rows !== undefined || txnCode !== "1010");
  return {
    txnCode,
    ...result,
    responseMessage: bendText ? bendText(result.responseMessage) : result.responseMessage,
    txnDateTime: at,
    terminal,
    ...(namesOrder && { order: { orderId } }),
    ...(transaction && { transaction }),
    ...(rows && { txnDetailList: rows }),
  };
}

/** The wire of the answers, which nobody signs. */
export const wire: Wire<Answer> = {
  write: (answer) => {
    const reply = jsonReply(bodyOf(answer));
    return answer.isIllegal ? { ...reply, body: withControlCharacters(String(reply.body)) } : reply;
  },
  bend: (answer, behaviour) => {
    const { orderId } = answer;
    switch (behaviour) {
      case "control_characters":
        return { ...answer, bendText: (text) => `\t\u007F\u00AD${text}. ${LONG_SLIP}\u00A0\t` };
      case "illegal_characters":
        return { ...answer, isIllegal: true };
      case "other_order":
        return { ...answer, orderId: orderId.replace(/.$/, (last) => (last === "0" ? "1" : "0")) };
      default:
        return answer;
    }
  },
  garbage: { status: 200, contentType: "application/json", body: '{"responseCode":"VPS-0000","txn' },
  broken: { status: 500, contentType: "text/html", body: "<html><body>Server Error</body></html>" },
};
