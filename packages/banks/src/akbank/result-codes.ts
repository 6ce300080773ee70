import { codeTable, type CodeClass, type VoidRefusals } from "@holdfast/acquirer/kit";

/** A refusal's code: the issuer's two characters, or the gateway's `VPS-` and four digits. */
export type CodeMeaning = { code: string; codeClass: CodeClass | undefined };

/**
 * The code of a refusal and its class. The gateway's own code counts only if no host was asked.
 * @param hostCode is empty if the gateway has not asked the bank's host.
 */
export function meaningOf(responseCode: string, hostCode: string): CodeMeaning {
  if (responseCode !== PROVISION_ERROR)
    return { code: responseCode, codeClass: hostCode === "" ? gatewayClassOf(responseCode) : undefined };
  if (hostCode === "") return { code: responseCode, codeClass: "undecided" };
  return { code: hostCode, codeClass: HOST_CODES.get(hostCode) };
}

const PREFIX = "VPS-";

export const APPROVED = "VPS-0000";

/** The host's refusal, with its own code beside it. */
export const PROVISION_ERROR = "VPS-1005";

export const AKBANK_CODE_LIST = {
  name: "Akbank's and the issuers' codes",
  source: "recorded answers of the bank's, and ISO 8583, field 39",
  comparedOn: "2026-11-30",
} as const;

const HOST_CODES = codeTable({
  soft: "01 02 05",
  // 83: the card does not allow this number of installments or their amount.
  hard: "12 14 15 33 54 57 58 62 77 83 93",
  stolen: "04 07 34 36 37 38 41 43",
  limit: "51 61 65",
  technical: "03 13 25 28",
  // Time-outs, "try again", and failures of the issuer or on the way to it.
  undecided: "09 19 22 32 68 91 92 96 99",
});

/** The digits of each. */
const GATEWAY_CODES = codeTable({
  // Installments on another bank's card, a scheme that the terminal does not take.
  hard: "1044 1066",
  // No such order, cancelled before, the request's date, recurring fields, rights of the terminal.
  technical: "1007 1008 1055 1060 1061 1073",
  // Another attempt has used the order up, whatever its outcome.
  undecided: "1013",
});

function gatewayClassOf(code: string): CodeClass | undefined {
  return GATEWAY_CODES.get(code.slice(PREFIX.length));
}

/** The gateway's code of a request with a fault in its form. */
export const BAD_REQUEST = "HTTP-400";

/** An inquiry's: the gateway knows no order of this name. */
export const NOT_FOUND = "VPS-1123";

/** The order of a follow-up is not known. */
export const NO_TARGET: ReadonlySet<string> = new Set(["VPS-1007"]);

const NOTHING_LEFT: ReadonlySet<string> = new Set(["VPS-1007", "VPS-1008"]);

/** The bank does not document the code of a refusal after the day's end, so any unlisted code may mean it. */
export const VOID_REFUSALS: VoidRefusals = {
  isNothingLeft: (code) => NOTHING_LEFT.has(code),
  isSettled: () => false,
  isOfRequest: (code) => code === BAD_REQUEST || gatewayClassOf(code) === "technical",
  isUncertain: (code) => code.startsWith(PREFIX) && gatewayClassOf(code) === undefined,
};
