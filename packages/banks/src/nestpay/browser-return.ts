import type {
  Authentication,
  BrowserReturn,
  CardOperation,
  DeclineClass,
  Declined,
  NotGenuine,
} from "@holdfast/acquirer";
import { printable } from "./answer-verdict.ts";
import { transactionType, writeInstallments, type Instrument } from "./build-request.ts";
import { readDecimal, type WrittenAmount } from "./nestpay-amount.ts";
import type { NestpaySettings } from "./nestpay-settings.ts";
import { STORE_TYPE } from "./gate-form.ts";
import { isVer3Hash, type FormFields } from "./ver3-hash.ts";

/** The payment as we stored it: a return that says anything else about it is not the payment's. */
export type ReturnedFor = {
  orderId: string;
  amount: WrittenAmount;
  operation: CardOperation;
  installmentCount: number;
  /** The nonce of the form. */
  session: string;
};

export type ReturnRead =
  | { kind: "proven"; instrument: Extract<Instrument, { md: string }>; authentication: Authentication }
  | (Declined & { authentication?: Authentication })
  | NotGenuine;

/**
 * Reads the return of a cardholder's browser: first that the bank wrote it, then that it is about this payment, and
 * only then its result. An unsigned failure is not believed either: anybody who knows the address could end the
 * session.
 */
export function readReturn(
  returned: BrowserReturn | undefined,
  expected: ReturnedFor,
  settings: Pick<NestpaySettings, "clientId" | "acceptMdStatus">,
  storeKey: string,
): ReturnRead {
  if (!returned) return notGenuine("no_signature");
  const fields = indexed(returned.fields);
  if (!fields) return notGenuine("signature");
  const hash = fields.get("hash");
  if (!hash) return notGenuine("no_signature");
  if (fields.get("hashalgorithm") !== "ver3") return notGenuine("signature");
  if (!isVer3Hash(hash, returned.fields, storeKey)) return notGenuine("signature");
  const difference = differenceOf(fields, expected, settings.clientId);
  if (difference) return notGenuine(difference);
  return readResult(fields, settings);
}

type Fields = ReadonlyMap<string, string>;

/**
 * Fields by name in lower case. A name that comes twice could be read in two ways; a form of a novel's length is none.
 */
function indexed(fields: FormFields): Fields | undefined {
  const byName = new Map(fields.map(([name, value]) => [name.toLowerCase(), value]));
  const length = fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return byName.size === fields.length && fields.length <= FIELDS_MAX && length <= LENGTH_MAX
    ? byName
    : undefined;
}

function differenceOf(
  fields: Fields,
  expected: ReturnedFor,
  clientId: string,
): NotGenuine["why"] | undefined {
  if (fields.get("clientid") !== clientId) return "other_account";
  const orderId = fields.get("oid");
  if (orderId !== expected.orderId || (fields.get("returnoid") ?? orderId) !== orderId) return "other_order";
  const { total, currency } = expected.amount;
  const isSameAmount = readDecimal(fields.get("amount") ?? "") === readDecimal(total);
  if (!isSameAmount || fields.get("currency") !== currency) return "other_amount";
  const installments = fields.get("taksit") ?? fields.get("instalment") ?? "";
  if (installments !== writeInstallments(expected.installmentCount)) return "other_amount";
  const type = (fields.get("trantype") ?? fields.get("islemtipi") ?? "").toLowerCase();
  const isSameForm =
    fields.get("rnd") === expected.session &&
    fields.get("storetype")?.toLowerCase() === STORE_TYPE &&
    type === transactionType(expected.operation).toLowerCase();
  return isSameForm ? undefined : "other_order";
}

/**
 * Without a second call of ours nothing is ever authorized, so every result that does not entitle us to it is a decline
 * for good.
 */
function readResult(fields: Fields, settings: Pick<NestpaySettings, "acceptMdStatus">): ReturnRead {
  const status = fields.get("mdstatus") ?? "";
  const transStatus = fields.get("txstatus") === "R" ? "R" : TRANS_STATUS.get(status);
  const authentication = transStatus && authenticationOf(fields, transStatus);
  const instrument = instrumentOf(fields);
  const isAccepted = settings.acceptMdStatus.some((accepted) => accepted === status);
  if (isAccepted && authentication && instrument) return { kind: "proven", instrument, authentication };
  return {
    kind: "declined",
    declineClass: isAccepted ? "technical" : (STATUS_CLASSES.get(status) ?? "technical"),
    resultCode: TRANS_STATUS.has(status) ? `MD-${status}` : (codeOf(fields) ?? "MD-"),
    resultMessage: printable(fields.get("mderrormsg") || fields.get("errmsg") || ""),
    ...(authentication && { authentication }),
  };
}

/** Bounded, since the values of a return are the bank's, but came by a browser. */
function instrumentOf(fields: Fields): Extract<Instrument, { md: string }> | undefined {
  const [md = "", xid = "", eci = "", cavv = ""] = ["md", "xid", "eci", "cavv"].map((name) =>
    fields.get(name),
  );
  const areBounded = [md, xid, eci, cavv].every((value) => /^[\x20-\x7e]{0,512}$/.test(value));
  return md !== "" && areBounded ? { md, xid, eci, cavv } : undefined;
}

function authenticationOf(fields: Fields, transStatus: Authentication["transStatus"]): Authentication {
  const eci = fields.get("eci") ?? "";
  const dsTransId = fields.get("dstransid") ?? fields.get("xid") ?? "";
  return {
    transStatus,
    ...(/^\d\d$/.test(eci) && { eci }),
    // Under EMV 3-D Secure it is a UUID; the xid of the first version is not.
    ...(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(dsTransId) && { dsTransId }),
  };
}

function codeOf(fields: Fields): string | undefined {
  const code = fields.get("errorcode") ?? fields.get("errcode") ?? fields.get("procreturncode") ?? "";
  return /^[\w-]{1,32}$/.test(code) ? code : undefined;
}

/** The terms of EMV 3-D Secure for each `mdStatus`. */
const TRANS_STATUS: ReadonlyMap<string, Authentication["transStatus"]> = new Map([
  ["0", "N"],
  ["1", "Y"],
  ["2", "A"],
  ["3", "A"],
  ["4", "A"],
  ["5", "U"],
  ["6", "U"],
  ["7", "U"],
  ["8", "U"],
]);

/** A cardholder who was not authenticated may try again; a card outside of 3-D Secure stays there. */
const STATUS_CLASSES: ReadonlyMap<string, DeclineClass> = new Map([
  ["0", "soft"],
  ["2", "hard"],
  ["3", "hard"],
  ["4", "soft"],
  ["8", "hard"],
]);

const FIELDS_MAX = 200;
const LENGTH_MAX = 65_536;

function notGenuine(why: NotGenuine["why"]): NotGenuine {
  return { kind: "not_genuine", why };
}
