import { encodeIso88599, transactionDate, xmlOf, type ShownTimes } from "../../core/index.ts";
import { hostDate } from "./bank-time.ts";
import type { Outcome } from "./judge.ts";
import type { Merchant } from "./merchants.ts";
import type { Modes } from "./modes.ts";
import { textOf, type RefusalCode } from "./refusals.ts";

/** A CC5Response before it is written: elements without a value are left out, empty ones are written empty. */
export type Cc5Response = {
  OrderId: string;
  GroupId: string;
  Response: "Approved" | "Declined" | "Error";
  AuthCode?: string;
  HostRefNum?: string;
  ProcReturnCode?: string;
  TransId?: string;
  ErrMsg: string;
  /** At some banks this is beside Extra. */
  ERRORCODE?: string;
  Extra: Record<string, string>;
};

/** The form of an answer about an operation. */
export function outcomeResponse(
  outcome: Outcome,
  { merchant, modes, clock }: { merchant: Merchant; modes: Modes; clock: ShownTimes },
): Cc5Response {
  const { verdict, line } = outcome;
  if (typeof verdict === "number") return refusedResponse(verdict, line, line.transactionId, modes);
  const text = verdict === undefined ? "" : textOf(verdict, modes.language);
  const response: Cc5Response = {
    ...namesOf(line),
    Response: verdict === undefined ? "Approved" : "Declined",
    AuthCode: line.authCode ?? "",
    HostRefNum: line.hostReference ?? "",
    ProcReturnCode: verdict ?? "00",
    TransId: line.transactionId,
    ErrMsg: text,
    Extra: {
      ...extraOf(outcome, merchant, clock),
      ERRORCODE: verdict === undefined ? "" : `ISO8583-${verdict}`,
      NUMCODE: verdict ?? "00",
      HOSTMSG: text,
    },
  };
  if (verdict === undefined) return response;
  return withOddities(modes.bareDeclines ? bare(response) : response, modes);
}

/** The form of a refusal by the gateway itself. `transactionId` may be missing if nothing was judged. */
export function refusedResponse(
  code: RefusalCode,
  names: { orderId: string; groupId: string },
  transactionId: string,
  modes: Modes,
  text = textOf(code, modes.language),
): Cc5Response {
  const isNamed = modes.declinedRefusals || (!NAMELESS.has(code) && !modes.emptyOrderIdInErrors);
  const refusal: Cc5Response = {
    ...namesOf(isNamed ? names : { orderId: "", groupId: "" }),
    Response: modes.declinedRefusals ? "Declined" : "Error",
    AuthCode: "",
    HostRefNum: "",
    ProcReturnCode: "99",
    ...(modes.transIdInRefusals && { TransId: transactionId }),
    ErrMsg: text,
    Extra: {
      ...codesOf(code, modes),
      ...(modes.declinedRefusals && { EXTENDED_ERROR_CODE: "215001" }),
    },
  };
  return withOddities(code === 2504 ? { ...bare(refusal), Response: "Declined" } : refusal, modes);
}

function namesOf({ orderId, groupId }: { orderId: string; groupId: string }) {
  return { OrderId: orderId, GroupId: groupId };
}

function extraOf({ line, batch, movementAtMs }: Outcome, { clientId, options }: Merchant, clock: ShownTimes) {
  return {
    SETTLEID: String(batch),
    TRXDATE: transactionDate(clock, movementAtMs),
    TERMINALID: options.terminalId,
    MERCHANTID: clientId,
    CARDBRAND: brandOf(line.pan),
    CARDISSUER: "TEST BANKASI A.S.",
    AVSAPPROVE: "Y",
    HOSTDATE: hostDate(clock, Date.parse(line.at)),
    KAZANILANPUAN: "000000000.00",
    ACQSTAN: (line.hostReference ?? "").slice(-6),
  };
}

/** The scheme of a masked card number, empty if it is not known. */
function brandOf(pan: string | null): string {
  if (pan === null) return "";
  if (pan.startsWith("4")) return "VISA";
  if (/^(?:5[1-5]|2[2-7])/.test(pan)) return "MASTERCARD";
  return pan.startsWith("9792") ? "TROY" : "";
}

/** NUMCODE is 99 and the four digits; for the net of 0 and the gateway's own trouble the documents have other pairs. */
function codesOf(code: RefusalCode, modes: Modes): { ERRORCODE: string; NUMCODE: string } {
  if (code === 2504) return { ERRORCODE: "215021", NUMCODE: "215021" };
  if (code === 2100) return { ERRORCODE: "2100", NUMCODE: "992104" };
  return {
    ERRORCODE: modes.unprefixedErrorCodes ? String(code) : `CORE-${code}`,
    NUMCODE: modes.declinedRefusals ? "99" : `99${code}`,
  };
}

function bare(response: Cc5Response): Cc5Response {
  const { AuthCode: _, ProcReturnCode: __, ...rest } = response;
  return rest;
}

function withOddities(response: Cc5Response, modes: Modes): Cc5Response {
  if (!modes.errorCodeBesideExtra) return response;
  const { ERRORCODE = "", ...Extra } = response.Extra;
  return { ...response, ERRORCODE, Extra };
}

/** Refusals that come without the order's id although it was sent. */
const NAMELESS = new Set<RefusalCode>([2507, 2008, 2100]);

export const XML_TYPE = "text/xml;charset=ISO-8859-9";

/** An answer as the bytes that are sent, in ISO-8859-9 with the declaration. */
export function writeXml(response: Cc5Response): Buffer {
  return encodeIso88599(
    `<?xml version="1.0" encoding="ISO-8859-9"?>\n<CC5Response>${xmlOf(response, "\n")}</CC5Response>\n`,
  );
}
