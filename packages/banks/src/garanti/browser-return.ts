import type { BrowserReturn, Declined } from "@holdfast/acquirer";
import {
  hiddenInputs,
  maskedMessage,
  notGenuine,
  readMdStatus,
  returnedFields,
  type ReturnRead,
} from "@holdfast/acquirer/kit";

import type { GarantiSettings } from "./garanti-settings.ts";
import { isHash } from "./hashes.ts";

/**
 * Reads the return of a cardholder's browser. It checks first that the bank wrote it, then that it is about
 * this payment, and only then reads its result. The hash covers ten fields without amount and currency; all
 * other fields are ignored. The bank compares our own amount through `md`. A refused form returns without a
 * hash, so anybody could have written it.
 */
export function readReturn(
  returned: BrowserReturn | undefined,
  expected: { orderId: string; session: string },
  settings: Pick<GarantiSettings, "terminalId" | "acceptMdStatus">,
  storeKey: string,
): ReturnRead {
  const fields = returned && returnedFields(returned, countingName);
  if (!returned || fields?.size === 0) return notGenuine("no_signature");
  if (!fields) return notGenuine("signature");
  const hash = fields.get("hash");
  if (!hash) return notGenuine("no_signature");
  const values = SIGNED.map((name) => fields.get(name) ?? "");
  // Another list could leave out what is read.
  const isKnownForm =
    fields.get("hashparams") === HASH_PARAMS && SIGNED.every((name, at) => FORMS[name].test(values[at]!));
  if (!isKnownForm || !isHash(hash, ...values, storeKey)) return notGenuine("signature");
  if (fields.get("clientid") !== settings.terminalId) return notGenuine("other_account");
  const isOurs = fields.get("oid") === expected.orderId && expected.session === expected.orderId;
  if (!isOurs) return notGenuine("other_order");
  return readResult(fields, xidOf(returned), settings.acceptMdStatus);
}

/**
 * The signed fields, in the order of the hash. No separator is between two of them: the form of each keeps a character from
 * moving into its neighbour. Terminal and order are compared with ours, and the three after them are empty in this model.
 */
const FORMS = {
  clientid: /^\d{1,9}$/,
  oid: /^[A-Za-z0-9_-]{1,36}$/,
  authcode: /^$/,
  procreturncode: /^$/,
  response: /^$/,
  mdstatus: /^\d$/,
  cavv: /^[A-Za-z0-9+/=]{0,64}$/,
  eci: /^(?:\d\d)?$/,
  md: /^[!-~]{0,250}$/,
  rnd: /^[!-~]{0,64}$/,
} as const;
type SignedName = keyof typeof FORMS;
type Fields = ReadonlyMap<SignedName | "hash" | "hashparams", string>;
const SIGNED = Object.keys(FORMS) as SignedName[];
const HASH_PARAMS = "clientid:oid:authcode:procreturncode:response:mdstatus:cavv:eci:md:rnd:";

function countingName(name: string) {
  const lower = name.toLowerCase();
  return ([...SIGNED, "hash", "hashparams"] as const).find((known) => known === lower);
}

/** The xid is not signed, and the second call needs it: the bank compares it with `md`. */
function xidOf({ fields }: BrowserReturn): string {
  const xid = fields.find(([name]) => name.toLowerCase() === "xid")?.[1] ?? "";
  return /^[A-Za-z0-9+/=-]{0,50}$/.test(xid) ? xid : "";
}

/**
 * Nothing is authorized without our second call, so every result that does not allow this call is a final
 * decline. The bank's text is not signed, and is not shown.
 */
function readResult(fields: Fields, xid: string, accepted: readonly string[]): ReturnRead {
  const [status = "", eci = "", cavv = "", md = ""] = (["mdstatus", "eci", "cavv", "md"] as const).map(
    (name) => fields.get(name),
  );
  return readMdStatus(status, { proof: { md, xid, eci, cavv }, isWhole: md !== "", accepted });
}

/**
 * The refusal of a form in the page that the gate itself answers with: believed without a hash, because no browser has
 * carried it. @returns undefined for any other page.
 */
export function readGateRefusal(html: string): Declined | undefined {
  const inputs = hiddenInputs(html);
  const isRefusal = inputs.get("response") === "Error" && !inputs.get("hash");
  if (!isRefusal) return undefined;
  const status = inputs.get("mdstatus") ?? "";
  return {
    kind: "declined",
    declineClass: "technical",
    resultCode: `MD-${/^\d$/.test(status) ? status : ""}`,
    resultMessage: maskedMessage(inputs.get("errmsg") || inputs.get("mderrormessage") || ""),
  };
}
