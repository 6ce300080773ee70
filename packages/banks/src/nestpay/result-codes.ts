import { codeTable, type CodeClass } from "@holdfast/acquirer/kit";

import type { BankAnswer } from "./answer.ts";

/** A refusal's code: the issuer's, or `CORE-` with the number of the gateway's. */
export type CodeMeaning = { code: string; codeClass: CodeClass | undefined };

export function meaningOf(
  { errorCode, numCode, procReturnCode }: Pick<BankAnswer, "errorCode" | "numCode" | "procReturnCode">,
  installmentCount = 1,
): CodeMeaning {
  const fromError = gatewayCode(errorCode);
  const fromNumber = /^99(\d{4})$/.exec(numCode)?.[1];
  const isOwnFailure = /^BM-|^(?:2100|91\d\d)$/.test(errorCode);
  if (isOwnFailure || (fromError && fromNumber && fromError !== fromNumber)) return FAILED;
  const gateway = fromError ?? fromNumber;
  if (gateway !== undefined) {
    // A refusal of the gateway and one of the issuer: one of the two is not about this call.
    if (procReturnCode !== "99" && procReturnCode !== "") return FAILED;
    // "Not permitted to the merchant" is about the instalments where there are any, and else about the account.
    const isOfInstallments = gateway === "2204" && installmentCount > 1;
    return {
      code: `CORE-${gateway}`,
      codeClass: isOfInstallments ? "technical" : GATEWAY_CODES.get(gateway),
    };
  }
  const issuer = /^ISO8583-([0-9A-Z]{2})$/.exec(errorCode)?.[1];
  if (issuer && procReturnCode && issuer !== procReturnCode) return FAILED;
  const code = procReturnCode || issuer || "";
  return { code, codeClass: ISSUER_CODES.get(code) };
}

const FAILED: CodeMeaning = { code: "", codeClass: "failed" };

/** The number of a `CORE` code. Two codes of one kind of terminal are written otherwise. */
function gatewayCode(errorCode: string): string | undefined {
  return OTHER_SPELLINGS.get(errorCode) ?? /^CORE-(\d{4})$/.exec(errorCode)?.[1];
}

const OTHER_SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["215001", "2008"],
  ["215021", "2504"],
]);

export const NESTPAY_CODE_LIST = {
  name: "Nestpay's and the issuers' codes",
  source: "the bank's list of error codes, and ISO 8583, field 39",
  comparedOn: "2026-11-23",
} as const;

const ISSUER_CODES = codeTable({
  soft: "01 02 05",
  // 55: a PIN. 38, 75: its tries. 81, 82, 84: a security code. Tried again at another account, it would be one more guess.
  hard: "12 14 15 33 36 38 52 53 54 55 57 62 63 75 80 81 82 84 93 GK",
  stolen: "04 07 34 41 43 YK",
  limit: "51 61 65",
  technical: "03 13 20 25 28 29 30 58 77 98",
  // "See the host's message".
  unclassed: "SF",
  // Host time-outs (at 92 the gateway reverses by itself), and "try again".
  undecided: "19 91 92 96",
});

const GATEWAY_CODES = codeTable({
  // 2208, 2515: a security code that is missing or not valid.
  hard: "2010 2012 2124 2208 2250-2253 2255 2256 2513-2515 2517",
  sca_required: "2206",
  // The request or the order's state is refused before any issuer sees it.
  technical:
    "1007 1008 1010-1024 1028 2001-2003 2008 2009 2011 2013-2015 2020-2034 2115-2117 2119-2121 2123 2133 2301 2503-2506 2508 2509 2511 2512 2601 2603",
  // Mode, closed merchant, user or password, rights, address, locked terminal.
  credentials: "1006 2126 2201 2202 2204 2254 2311-2316",
  // The order already has a success (2507), its id is in use (2302), its authentication has been used (2127),
  // or one of its calls is waiting or running (2016, 2304).
  undecided: "2016 2127 2302 2304 2507",
});

export function coreCodes(numbers: string): ReadonlySet<string> {
  return new Set(numbers.split(" ").map((number) => `CORE-${number}`));
}
