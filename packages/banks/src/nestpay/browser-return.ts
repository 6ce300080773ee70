import type {
  Authentication,
  BrowserReturn,
  CardOperation,
  DeclineClass,
  NotGenuine,
} from "@holdfast/acquirer";
import {
  maskedMessage,
  minorOf,
  notGenuine,
  parseDecimal,
  returnedFields,
  type Proof,
  type ReturnRead,
} from "@holdfast/acquirer/kit";

import type { NestpaySettings } from "./nestpay-settings.ts";
import { STORE_TYPE, transactionType, writeInstallments, type WrittenAmount } from "./requests.ts";
import { signedReading } from "./ver3-hash.ts";

/** The payment as we stored it: a return that says anything else about it is not the payment's. */
export type ReturnedFor = {
  orderId: string;
  amount: WrittenAmount;
  operation: CardOperation;
  installmentCount: number;
  /** The nonce of the form. */
  session: string;
};

/**
 * Reads the return of a cardholder's browser. It checks first that the bank wrote it, then that it is about
 * this payment, and only then reads its result. An unsigned failure is not believed either: anybody who knows
 * the address could end the session. Fields outside of `DECIDING_FIELDS` are used only for the signature, and
 * a field that it does not cover is ignored.
 */
export function readReturn(
  returned: BrowserReturn | undefined,
  expected: ReturnedFor,
  settings: ReturnSettings,
  storeKey: string,
): ReturnRead {
  if (!returned) return notGenuine("no_signature");
  const posted = returnedFields(returned, decidingName);
  if (!posted) return notGenuine("signature");
  const hash = posted.get("hash");
  if (!hash) return notGenuine("no_signature");
  if (posted.get("hashalgorithm") !== "ver3") return notGenuine("signature");
  const read = signedReading(returned.fields, hash, { storeKey, unsigned: settings.unsignedFields });
  if (!read) return notGenuine("signature");
  const fields: Fields = new Map([...posted].map(([name, value]) => [name, read(value)]));
  const difference = differenceOf(fields, expected, settings.clientId);
  if (difference) return notGenuine(difference);
  return readResult(fields, settings);
}

type ReturnSettings = Pick<NestpaySettings, "clientId" | "acceptMdStatus" | "unsignedFields">;

/** All fields that are read. The signature has to cover each of them except itself. */
const DECIDING_FIELDS = [
  "hash",
  "hashalgorithm",
  "clientid",
  "oid",
  "returnoid",
  "rnd",
  "storetype",
  "trantype",
  "islemtipi",
  "amount",
  "currency",
  "taksit",
  "instalment",
  "mdstatus",
  "txstatus",
  "md",
  "xid",
  "eci",
  "cavv",
  "dstransid",
  "mderrormsg",
  "errmsg",
  "errorcode",
  "errcode",
  "procreturncode",
] as const;
type DecidingField = (typeof DECIDING_FIELDS)[number];
type Fields = ReadonlyMap<DecidingField, string>;

/** @param name in any case. */
export function decidingName(name: string): DecidingField | undefined {
  const lower = name.toLowerCase();
  return DECIDING_FIELDS.find((field) => field === lower);
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
  const isSameAmount = readAmount(fields.get("amount") ?? "") === readAmount(total);
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

/** Banks write the decimals after a point or a comma. */
function readAmount(text: string): bigint | undefined {
  const decimal = parseDecimal(text.replace(",", "."));
  return decimal && minorOf(decimal);
}

/**
 * Nothing is authorized without our second call, so every result that does not allow this call is a final
 * decline.
 */
function readResult(fields: Fields, settings: Pick<NestpaySettings, "acceptMdStatus">): ReturnRead {
  const status = fields.get("mdstatus") ?? "";
  const known = STATUSES.get(status);
  const transStatus = fields.get("txstatus") === "R" ? "R" : known?.transStatus;
  const authentication = transStatus && authenticationOf(fields, transStatus);
  const proof = proofOf(fields);
  const isAccepted = settings.acceptMdStatus.some((accepted) => accepted === status);
  if (isAccepted && authentication && proof) return { kind: "proven", proof, authentication };
  return {
    kind: "declined",
    declineClass: isAccepted ? "technical" : (known?.declineClass ?? "technical"),
    resultCode: known ? `MD-${status}` : (codeOf(fields) ?? "MD-"),
    resultMessage: maskedMessage(fields.get("mderrormsg") || fields.get("errmsg") || ""),
    ...(authentication && { authentication }),
  };
}

/** Bounded, since the values of a return are the bank's, but came by a browser. */
function proofOf(fields: Fields): Proof | undefined {
  const [md = "", xid = "", eci = "", cavv = ""] = (["md", "xid", "eci", "cavv"] as const).map((name) =>
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
    // The id is a UUID under EMV 3-D Secure; the first version's xid is not.
    ...(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(dsTransId) && { dsTransId }),
  };
}

function codeOf(fields: Fields): string | undefined {
  const code = fields.get("errorcode") ?? fields.get("errcode") ?? fields.get("procreturncode") ?? "";
  return /^[\w-]{1,32}$/.test(code) ? code : undefined;
}

type Status = { transStatus: Authentication["transStatus"]; declineClass: DeclineClass };

/**
 * The terms of EMV 3-D Secure for each `mdStatus`. A cardholder who was not authenticated may try again; a card outside of
 * 3-D Secure stays there.
 */
const STATUSES: ReadonlyMap<string, Status> = new Map([
  ["0", { transStatus: "N", declineClass: "soft" }],
  ["1", { transStatus: "Y", declineClass: "technical" }],
  ["2", { transStatus: "A", declineClass: "hard" }],
  ["3", { transStatus: "A", declineClass: "hard" }],
  ["4", { transStatus: "A", declineClass: "soft" }],
  ["5", { transStatus: "U", declineClass: "technical" }],
  ["6", { transStatus: "U", declineClass: "technical" }],
  ["7", { transStatus: "U", declineClass: "technical" }],
  ["8", { transStatus: "U", declineClass: "hard" }],
]);
