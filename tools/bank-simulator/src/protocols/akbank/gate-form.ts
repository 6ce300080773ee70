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
import { FORM_FIELDS, formHash, type Field } from "./hashes.ts";
import { currencies } from "./request.ts";

/** A form of 3-D Secure that is signed and right. */
export type GateForm = {
  merchant: Merchant;
  operation: "authorize" | "sale";
  orderId: string;
  amountMinor: bigint;
  currency: string;
  installments: number;
  pan: string;
  cvv: string;
  okUrl: string;
  failUrl: string;
};

export type GateSession = Session<GateForm, BehaviourName>;

/** A form, or the refusal of one. Without a `failUrl` there is no way back. */
export type ParsedForm =
  | { form: GateForm }
  | { merchant: Merchant | undefined; failUrl: string | undefined; message: string; orderId: string };

type Of = { field: Field; merchant: Merchant | undefined; nowMs: number; names: readonly string[] };

const isUnlike = (name: string, pattern: RegExp) => (of: Of) => !pattern.test(of.field(name));
const expiryOf = ({ field }: Of) => field("expiredDate").replace(/(..)(..)/, "20$2-$1");
const known = new Set([...FORM_FIELDS, "hash"]);

const faults: readonly Rule<Of, string>[] = [
  [({ names }) => new Set(names).size < names.length, "Alan tekrarı"],
  [({ names }) => names.some((name) => !known.has(name)), "Bilinmeyen alan"],
  [({ field, merchant }) => field("merchantSafeId") !== merchant?.merchantSafeId, "İşyeri hatalı"],
  [
    ({ field, merchant }) => !merchant || field("hash") !== formHash(merchant.secretKey, field),
    "Hash hatalı",
  ],
  [isUnlike("paymentModel", /^3D$/), "Model hatalı"],
  [isUnlike("txnCode", /^300[04]$/), "İşlem tipi hatalı"],
  [isUnlike("amount", /^(?!0+\.00$)\d{1,10}\.\d\d$/), "Tutar hatalı"],
  [({ field }) => !currencies.has(Number(field("currencyCode"))), "Para birimi hatalı"],
  [isUnlike("installCount", /^[1-9]\d?$/), "Taksit hatalı"],
  [isUnlike("orderId", /^[\w-]{1,36}$/), "Sipariş numarası hatalı"],
  [isUnlike("lang", /^(?:TR|EN)$/), "Dil hatalı"],
  [isUnlike("randomNumber", /^[0-9A-F]{128}$/), "randomNumber hatalı"],
  [({ field }) => !isWebAddress(field("okUrl")) || !isWebAddress(field("failUrl")), "Adres hatalı"],
  [
    ({ field }) => !/^\d{13,19}$/.test(field("creditCard")) || !isLuhnValid(field("creditCard")),
    "Kart hatalı",
  ],
  [
    (of) => !/^20\d\d-(?:0[1-9]|1[0-2])$/.test(expiryOf(of)) || hasExpired(expiryOf(of), of.nowMs),
    "Tarih hatalı",
  ],
  [isUnlike("cvv", /^\d{3,4}$/), "CVV hatalı"],
];

/** Reads and verifies a form; `text` is its body in form encoding. */
export function parseGateForm(
  text: string,
  merchantOf: (terminalSafeId: string) => Merchant | undefined,
  nowMs: number,
): ParsedForm {
  const posted = [...new URLSearchParams(text)];
  const fields = new Map(posted);
  const field: Field = (name) => fields.get(name) ?? "";
  const merchant = merchantOf(field("terminalSafeId"));
  const [orderId, failUrl] = [field("orderId"), field("failUrl")];
  const message = verdictOf(faults, { field, merchant, nowMs, names: posted.map(([name]) => name) });
  if (message !== undefined || !merchant)
    return {
      merchant,
      failUrl: isWebAddress(failUrl) ? failUrl : undefined,
      message: message ?? "",
      orderId,
    };
  const form = {
    merchant,
    operation: field("txnCode") === "3000" ? ("sale" as const) : ("authorize" as const),
    orderId,
    amountMinor: BigInt(field("amount").replace(".", "")),
    currency: currencies.get(Number(field("currencyCode"))) ?? "",
    installments: Number(field("installCount")),
    pan: field("creditCard"),
    cvv: field("cvv"),
    okUrl: field("okUrl"),
    failUrl,
  };
  return { form };
}
