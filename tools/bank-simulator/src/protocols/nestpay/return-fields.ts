import { decimalAmount } from "../../core/index.ts";
import type { Cc5Response } from "./cc5-response.ts";
import type { RefusedForm } from "./gate-form.ts";
import type { GateSession } from "./gate-sessions.ts";
import type { Parameter } from "./ver3-hash.ts";

/**
 * The fields that the browser brings back, without the hash: all posted ones but the card, the authentication, and with
 * `3d_pay` the answer of the payment.
 */
export function returnFields(
  session: GateSession,
  clientIp: string,
  payment: Cc5Response | undefined,
): Parameter[] {
  const { form, md, authentication } = session;
  const { pan, merchant, orderId } = form;
  const mdStatus = authentication?.mdStatus ?? "7";
  const [mdErrorMsg = "", txstatus = "U"] = statuses.get(mdStatus) ?? [];
  const scheme = pan.startsWith("4") ? "1" : "2";
  return withEchoes(form.posted, {
    ReturnOid: orderId,
    merchantID: merchant.clientId,
    merchantName: merchant.options.merchantName,
    maskedCreditCard: `${pan.slice(0, 4)} ${pan.slice(4, 6)}** **** ${pan.slice(-4)}`,
    MaskedPan: `${pan.slice(0, 6)}***${pan.slice(-4)}`,
    clientIp,
    ACQBIN: "454672",
    dsId: scheme,
    payResults_dsId: scheme,
    sID: scheme,
    mdStatus,
    mdErrorMsg,
    txstatus,
    eci: authentication?.eci ?? "",
    cavv: authentication?.cavv ?? "",
    xid: authentication?.xid ?? "",
    md,
    version: "2.0",
    PAResSyntaxOK: "true",
    PAResVerified: mdStatus === "1" ? "true" : "false",
    digest: "digest",
    callbackCall: form.callbackUrl === undefined ? "false" : "true",
    ...(payment && paymentFields(payment)),
    ...(session.behaviour === "wrong_amount" && {
      amount: decimalAmount(form.amountMinor + 1n, form.currency),
    }),
  });
}

/** The return of a refused form. It has an mdStatus only where its sender is known. */
export function refusedFields({ merchant, code, message, posted }: RefusedForm): Parameter[] {
  return withEchoes(posted, {
    Response: "Error",
    ...(code === "HPP-1001" ? { ErrorCode: code } : { ErrCode: code }),
    ErrMsg: message,
    ...(merchant && { mdStatus: "7", mdErrorMsg: message }),
  });
}

/** The bank's own fields win over posted ones of the same name. */
function withEchoes(posted: readonly Parameter[], own: Record<string, string>): Parameter[] {
  const ownNames = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const echoes = posted.filter(([name]) => {
    const lower = name.toLowerCase();
    return !NEVER_RETURNED.has(lower) && !ownNames.has(lower);
  });
  return [...echoes, ...Object.entries(own), ["encoding", "ISO-8859-9"]];
}

function paymentFields(payment: Cc5Response): Record<string, string> {
  const { Extra, ERRORCODE } = payment;
  const extras = ERRORCODE === undefined ? Extra : { ...Extra, ERRORCODE };
  return {
    Response: payment.Response,
    ...(payment.ProcReturnCode !== undefined && { ProcReturnCode: payment.ProcReturnCode }),
    ...(payment.AuthCode !== undefined && { AuthCode: payment.AuthCode }),
    TransId: payment.TransId ?? "",
    TRANID: "",
    HostRefNum: payment.HostRefNum ?? "",
    ErrMsg: payment.ErrMsg,
    SettleId: Extra["SETTLEID"] ?? "",
    acqStan: Extra["ACQSTAN"] ?? "",
    ...Object.fromEntries(Object.entries(extras).map(([name, value]) => [`EXTRA_${name}`, value])),
  };
}

/** The card does not come back, and the request's hash is not the return's. */
const NEVER_RETURNED = new Set(["pan", "cv2", "hash", "encoding"]);

/** The messages of an mdStatus, and the status of EMV 3-D Secure. */
const statuses = new Map([
  ["0", ["Not authenticated", "N"]],
  ["1", ["Authenticated", "Y"]],
  ["2", ["Card or issuer is not in 3-D Secure", "A"]],
  ["3", ["Issuer is not in 3-D Secure", "A"]],
  ["4", ["Attempt", "A"]],
  ["5", ["Could not be verified", "U"]],
  ["6", ["3-D Secure error", "U"]],
  ["7", ["System error", "U"]],
  ["8", ["Unknown card number", "U"]],
]);
