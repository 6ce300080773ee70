import type { BrowserReturn, Declined } from "@holdfast/acquirer";
import {
  hiddenInputs,
  maskedMessage,
  notGenuine,
  readMdStatus,
  returnedFields,
  type ReturnRead,
} from "@holdfast/acquirer/kit";

import type { AkbankSettings } from "./akbank-settings.ts";
import { APPROVED } from "./result-codes.ts";
import { isSignature } from "./signatures.ts";

/** The payment as we stored it. */
export type ReturnedFor = { orderId: string; session: string; amount: string; installmentCount: number };

type ReturnSettings = Pick<
  AkbankSettings,
  "merchantSafeId" | "terminalSafeId" | "acceptMdStatus" | "acceptUnsignedAmount"
>;

/**
 * Reads the return of a cardholder's browser. It checks first that the bank wrote it, then that it is about
 * this payment, and only then reads its result. The return names its signed fields, and one of three lists of
 * names is accepted. A field in none of the lists is ignored.
 */
export function readReturn(
  returned: BrowserReturn | undefined,
  expected: ReturnedFor,
  settings: ReturnSettings,
  secretKey: string,
): ReturnRead {
  const fields = returned && returnedFields(returned, countingName);
  if (!returned || fields?.size === 0) return notGenuine("no_signature");
  if (!fields) return notGenuine("signature");
  const hash = fields.get("hash");
  if (!hash) return notGenuine("no_signature");
  const list = LISTS.find((names) => names.join("+") === fields.get("hashParams"));
  const values = (list ?? []).map((name) => fields.get(name) ?? "");
  const isKnownForm = list?.every((name, at) => FORMS[name].test(values[at]!));
  if (!list || !isKnownForm || !isSignature(hash, secretKey, ...values)) return notGenuine("signature");
  const value = (name: SignedName) => values[list.indexOf(name)] ?? "";
  if (value("orderId") !== expected.orderId || expected.session !== expected.orderId)
    return notGenuine("other_order");
  if (list === REFUSED) return refused(value("responseCode"), value("responseMessage"));
  const isOurs = (["merchantSafeId", "terminalSafeId"] as const).every(
    (name) => value(name).toUpperCase() === settings[name],
  );
  if (!isOurs) return notGenuine("other_account");
  if (list === WITHOUT_AMOUNT) {
    const isAccepted = settings.acceptUnsignedAmount || value("responseCode") !== APPROVED;
    return isAccepted ? readResult(value, "1", ["1"]) : notGenuine("other_amount");
  }
  const isSameAmount =
    value("amount") === expected.amount && value("installCount") === String(expected.installmentCount);
  if (!isSameAmount) return notGenuine("other_amount");
  return readResult(value, value("mdStatus"), settings.acceptMdStatus);
}

/**
 * The forms of the signed fields. No separator is between two of them: their lengths keep a character from moving into the
 * neighbour. A message is free, and the 87 characters between it and our order are not.
 */
const FORMS = {
  txnCode: /^300\d$/,
  responseCode: /^VPS-\d{4}$/,
  responseMessage: /^[^]*$/,
  txnDateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/,
  merchantSafeId: /^[\dA-Fa-f]{32}$/,
  terminalSafeId: /^[\dA-Fa-f]{32}$/,
  orderId: /^[A-Za-z0-9-]{1,36}$/,
  secureId: /^(?:(?=.{8,32}$)[A-Za-z0-9+/]+={0,2})?$/,
  secureEcomInd: /^(?:0\d)?$/,
  mdStatus: /^\d$/,
  secureData: /^(?:[A-Za-z0-9+/]{26}[A-Za-z0-9+/=]{2})?$/,
  secureMd: /^(?:[\dA-Fa-f]{64})?$/,
  maskedCardNumber: /^\d{6}\*{4,9}\d{4}$/,
  amount: /^\d{1,13}\.\d\d$/,
  installCount: /^\d{1,2}$/,
  okUrl: /^https?:\/\//,
  failUrl: /^https?:\/\//,
} as const;
type SignedName = keyof typeof FORMS;

const named = (list: string) => list.split(" ") as SignedName[];
/** The bank refused before or at the authentication. */
const REFUSED = named("responseCode responseMessage orderId");
const BEGINNING =
  "txnCode responseCode responseMessage txnDateTime merchantSafeId terminalSafeId orderId secureId secureEcomInd";
/** The form that the bank used until 2024. */
const WITHOUT_AMOUNT = named(`${BEGINNING} secureData secureMd`);
const WHOLE = named(
  `${BEGINNING} mdStatus secureData secureMd maskedCardNumber amount installCount okUrl failUrl`,
);
const LISTS = [REFUSED, WITHOUT_AMOUNT, WHOLE];

const COUNTING = new Map(
  [...WHOLE, "hash" as const, "hashParams" as const].map((name) => [name.toLowerCase(), name]),
);

function countingName(name: string) {
  return COUNTING.get(name.toLowerCase());
}

/**
 * Nothing is authorized without our second call, so every result that does not allow this call is a final
 * decline.
 */
function readResult(
  value: (name: SignedName) => string,
  status: string,
  accepted: readonly string[],
): ReturnRead {
  const code = value("responseCode");
  const [xid, eci, cavv, md] = [
    value("secureId"),
    value("secureEcomInd"),
    value("secureData"),
    value("secureMd"),
  ];
  if (code !== APPROVED) return refused(code, value("responseMessage"));
  return readMdStatus(status, {
    proof: { md, xid, eci, cavv },
    isWhole: xid !== "" && cavv !== "" && md !== "",
    accepted,
  });
}

/** The refusal of our order, which may not name a card or a terminal. */
function refused(code: string, message: string): Declined {
  const resultCode = code === APPROVED ? "MD-" : code;
  return { kind: "declined", declineClass: "soft", resultCode, resultMessage: maskedMessage(message) };
}

/**
 * The refusal of a form in the page that the gate itself answers with, which would take the browser back to us: believed
 * without a signature, because no browser has carried it. @returns undefined for any other page.
 */
export function readGateRefusal(html: string, orderId: string): Declined | undefined {
  const inputs = hiddenInputs(html);
  const code = inputs.get("responsecode") ?? "";
  const isOurs = (inputs.get("orderid") || orderId) === orderId;
  const isRefusal = isOurs && FORMS.responseCode.test(code) && code !== APPROVED;
  return isRefusal ? refused(code, inputs.get("responsemessage") ?? "") : undefined;
}
