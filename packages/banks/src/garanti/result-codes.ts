import { codeTable, type CodeClass } from "@holdfast/acquirer/kit";

import type { BankAnswer } from "./answer.ts";

/** A refusal's code: two characters of the issuer's, or the four digits of the gateway's. */
export type CodeMeaning = { code: string; codeClass: CodeClass | undefined };

/** A refusal whose parts contradict each other proves nothing. */
export function meaningOf(
  answer: Pick<BankAnswer, "source" | "code" | "reasonCode" | "message" | "cause">,
): CodeMeaning {
  const { source, code, reasonCode, message, cause } = answer;
  // The bank's own program broke off, after it may have sent the call on.
  const isBroken = /\bRPC-/.test(cause);
  if (message !== "Declined" || isBroken) return FAILED;
  if (source === "HOST" && reasonCode === code) return { code, codeClass: ISSUER_CODES.get(code) };
  if (source === "GVPS" && code === "92")
    return { code: reasonCode, codeClass: GATEWAY_CODES.get(reasonCode) };
  return FAILED;
}

const FAILED: CodeMeaning = { code: "", codeClass: "failed" };

export const GARANTI_CODE_LIST = {
  name: "Garanti's and the issuers' codes",
  source: "the bank's portal for developers, and ISO 8583, field 39",
  comparedOn: "2026-11-29",
} as const;

const ISSUER_CODES = codeTable({
  soft: "01 02 05",
  hard: "12 14 15 33 54 57 58 62 77 93",
  stolen: "04 07 34 36 37 38 41 43",
  limit: "51 61 65",
  // An amount above the remainder, or nothing to void, capture or refund.
  technical: "03 13 25 28",
  // Time-outs, "try again", and failures of the issuer or on the way to it.
  undecided: "09 19 22 32 68 91 92 96 99",
});

const GATEWAY_CODES = codeTable({
  // Form of the expiry date, security code.
  hard: "0003 0099",
  // Calls of a card on one day, amount from one address.
  limit: "0402 0405",
  // The request or the order's state is refused before any issuer sees it.
  technical:
    "0001 0002 0101 0102 0103 0108 0109 0110 0113 0122 0201 0202 0203 0204 0205 0207 0208 0209 0210 0214 0217 0231 0756 0759 0763 0764 0770 0771 0773 0785 0804 0809",
  // Password or hash, rights, terminal, merchant, our address.
  credentials: "0651 0652 0653 0654 0752 0753 0769",
  // The order already has a success.
  undecided: "0104 0111",
  // A time-out, and "any other error".
  failed: "9998 9999",
});

const codes = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** The gateway knows no order of this name, no sale or no transaction in it. */
export const NOT_FOUND = codes("0108 0109 0110");

/** There is no hold to capture, or no longer. */
export const NOTHING_TO_CAPTURE = codes("0102 0108 0109 0110 0204 0205 0209 25");

/** There is nothing to void, or no longer, or a later movement has to be voided first. */
export const NOTHING_TO_VOID = codes("0101 0108 0109 0110 0201 0202 0207 0210 25");
