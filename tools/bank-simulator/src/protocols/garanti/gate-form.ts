import {
  hasExpired,
  isLuhnValid,
  isWebAddress,
  verdictOf,
  type GateSession as Session,
  type Rule,
} from "../../core/index.ts";
import type { BehaviourName } from "./behaviours.ts";
import type { Merchant } from "./config.ts";
import { currencies } from "./gvps-request.ts";
import { formHash, PAYING_USER, securityOf, type Field } from "./hashes.ts";

/** A form of 3-D Secure that is signed and right. */
export type GateForm = {
  merchant: Merchant;
  orderId: string;
  amountMinor: bigint;
  currency: string;
  pan: string;
  cvv: string;
  successUrl: string;
  errorUrl: string;
  /** Everything that was posted but the card. */
  echoes: Record<string, string>;
};

export type GateSession = Session<GateForm, BehaviourName>;

/** A form, or the refusal of one. Without an `errorUrl` there is no way back. */
export type ParsedForm =
  | { form: GateForm }
  | { errorUrl: string | undefined; message: string; echoes: Record<string, string> };

type Of = { field: Field; merchant: Merchant | undefined; nowMs: number; isTwice: boolean };

const isUnlike = (name: string, pattern: RegExp) => (of: Of) => !pattern.test(of.field(name));
const expiryOf = ({ field }: Of) => `20${field("cardexpiredateyear")}-${field("cardexpiredatemonth")}`;

function isWronglyHashed({ field, merchant }: Of): boolean {
  const security = securityOf(merchant, field("terminalprovuserid")) ?? "";
  return !merchant || field("secure3dhash") !== formHash(field, merchant.storeKey, security);
}

/** The bank's texts: a wrong hash is a wrong "security code". */
const faults: readonly Rule<Of, string>[] = [
  [({ isTwice }) => isTwice, "Alan tekrari"],
  [
    ({ field, merchant }) => field("terminalmerchantid") !== merchant?.merchantId,
    "Isyeri ya da terminal hatali",
  ],
  [({ field }) => field("terminalprovuserid") !== PAYING_USER, "Kullanici hatali"],
  [isUnlike("apiversion", /^512$/), "Guvenlik Kodu hatali"],
  [isWronglyHashed, "Guvenlik Kodu hatali"],
  [isUnlike("secure3dsecuritylevel", /^3D$/), "Guvenlik seviyesi hatali"],
  [isUnlike("mode", /^(?:TEST|PROD)$/), "Mode hatali"],
  [isUnlike("txntype", /^(?:sales|preauth)$/), "Islem tipi hatali"],
  [isUnlike("txnamount", /^[1-9]\d{0,14}$/), "Tutar hatali"],
  [({ field }) => !currencies.has(field("txncurrencycode")), "Para birimi hatali"],
  [isUnlike("txninstallmentcount", /^(?:[2-9]|[1-9]\d)?$/), "Taksit hatali"],
  [isUnlike("orderid", /^[\w-]{1,32}$/), "Siparis numarasi hatali"],
  [isUnlike("customeripaddress", /./), "IP adresi eksik"],
  [({ field }) => !isWebAddress(field("successurl")) || !isWebAddress(field("errorurl")), "Adres hatali"],
  [
    ({ field }) => !/^\d{13,19}$/.test(field("cardnumber")) || !isLuhnValid(field("cardnumber")),
    "Kart hatali",
  ],
  [
    (of) => !/^20\d\d-(?:0[1-9]|1[0-2])$/.test(expiryOf(of)) || hasExpired(expiryOf(of), of.nowMs),
    "Tarih hatali",
  ],
  [isUnlike("cardcvv2", /^\d{3,4}$/), "CVV hatali"],
];

/** Reads and verifies a form; `text` is its body in form encoding. */
export function parseGateForm(
  text: string,
  merchantOf: (terminalId: string) => Merchant | undefined,
  nowMs: number,
): ParsedForm {
  const posted = [...new URLSearchParams(text)];
  const fields = new Map(posted);
  const field: Field = (name) => fields.get(name) ?? "";
  const merchant = merchantOf(field("terminalid"));
  const echoes = Object.fromEntries(posted.filter(([name]) => !name.startsWith("card")));
  const errorUrl = isWebAddress(field("errorurl")) ? field("errorurl") : undefined;
  const message = verdictOf(faults, { field, merchant, nowMs, isTwice: fields.size < posted.length });
  if (message !== undefined || !errorUrl || !merchant) return { errorUrl, message: message ?? "", echoes };
  const form = {
    merchant,
    orderId: field("orderid"),
    amountMinor: BigInt(field("txnamount")),
    currency: currencies.get(field("txncurrencycode")) ?? "",
    pan: field("cardnumber"),
    cvv: field("cardcvv2"),
    successUrl: field("successurl"),
    errorUrl,
    echoes,
  };
  return { form };
}
