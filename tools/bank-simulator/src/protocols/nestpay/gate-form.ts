import { hasExpired, isLuhnValid, isWebAddress, verdictOf, type Rule } from "../../core/index.ts";
import type { Desk } from "./desk.ts";
import type { Merchant } from "./merchants.ts";
import type { Rules } from "./modes.ts";
import { currencyOf, LIRA, parseAmount } from "./money.ts";
import { isHash, ver3Hash, type Parameter } from "./ver3-hash.ts";

/** A form of `POST /fim/est3Dgate` that is signed and right. */
export type GateForm = {
  merchant: Merchant;
  /** `3d`: the merchant pays in a second step; `3d_pay`: the bank does it with the authentication. */
  storeType: "3d" | "3d_pay";
  operation: "authorize" | "sale";
  orderId: string;
  amountMinor: bigint;
  currency: string;
  installments: number;
  pan: string;
  cvv: string;
  okUrl: string;
  failUrl: string;
  callbackUrl: string | undefined;
  /** All posted fields, which are returned without the card. */
  posted: Parameter[];
};

/**
 * A refused form. `merchant` is set if its hash was correct, and then the return is signed. Without a
 * `failUrl` there is no address to send the browser back to.
 */
export type RefusedForm = {
  merchant: Merchant | undefined;
  failUrl: string | undefined;
  /** `HPP-1001` for a fault of the sender, `3D-1007` for one of a value. */
  code: "HPP-1001" | "3D-1007";
  message: string;
  posted: Parameter[];
};

export type ParsedForm = { kind: "form"; form: GateForm } | { kind: "refused"; refusal: RefusedForm };

/** Reads and verifies a form; `text` is its body in form encoding. */
export function parseGateForm(
  text: string,
  { merchantOf, rulesOf }: Pick<Desk, "merchantOf" | "rulesOf">,
  nowMs: number,
): ParsedForm {
  const posted = [...new URLSearchParams(text)];
  const fields = new Map(posted.map(([name, value]) => [name.toLowerCase(), value]));
  const field = (name: string) => fields.get(name.toLowerCase()) ?? "";
  const failUrl = isWebAddress(field("failUrl")) ? field("failUrl") : undefined;
  const refuse = (code: RefusedForm["code"], message: string, merchant?: Merchant): ParsedForm => ({
    kind: "refused",
    refusal: { merchant, failUrl, code, message, posted },
  });
  if (posted.length > FIELDS_MAX || fields.size < posted.length) return refuse("HPP-1001", "Fields");
  const merchant = merchantOf(field("clientid"));
  if (!merchant) return refuse("HPP-1001", "Unknown clientid");
  if (field("hashAlgorithm") !== "ver3") return refuse("HPP-1001", "hashAlgorithm has to be ver3");
  if (!isHash(field("hash"), ver3Hash(posted, merchant.storeKey))) return refuse("HPP-1001", "Wrong hash");
  const wrong = verdictOf(wrongFields, { field, merchant, rules: rulesOf(merchant), nowMs });
  if (wrong !== undefined || !failUrl) return refuse("3D-1007", wrong ?? "failUrl", merchant);
  return { kind: "form", form: formOf(field, merchant, failUrl, posted) };
}

type Field = (name: string) => string;
type Of = { field: Field; merchant: Merchant; rules: Rules; nowMs: number };

const operationOf = (field: Field) => operations.get(field("TranType") || field("islemtipi"));
const storeTypeOf = (field: Field) => storeTypes.get(field("storetype").toLowerCase());
const installmentsOf = (field: Field) => field("taksit") || field("Instalment") || "1";
const isUntaken = (currency: string | undefined, { merchant: { options } }: Of) =>
  currency === undefined || !options.currencies.includes(currency);

/** Installments have the same rules as in the API. */
function hasWrongInstallments({ field, merchant: { options }, rules }: Of): boolean {
  const named = installmentsOf(field);
  if (!/^[1-9]\d?$/.test(named)) return true;
  if (named === "1") return field("taksit") + field("Instalment") !== "" && rules.installmentOneRefused;
  return currencyOf(field("currency")) !== LIRA || Number(named) > options.installmentsMax;
}

/** `YYYY-MM`; empty for another form of the month or the year. */
function expiryOf(field: Field): string {
  const month = field("Ecom_Payment_Card_ExpDate_Month");
  const year = field("Ecom_Payment_Card_ExpDate_Year");
  const isForm = /^(?:0[1-9]|1[0-2])$/.test(month) && /^(?:20)?\d{2}$/.test(year);
  return isForm ? `20${year.slice(-2)}-${month}` : "";
}

/** Each names the field that is wrong. */
const wrongFields: readonly Rule<Of, string>[] = [
  [({ field }) => storeTypeOf(field) === undefined, "storetype"],
  [({ field }) => operationOf(field) === undefined, "TranType"],
  [({ field }) => !/^(?=.*[1-9])\d{1,16}(?:\.\d{1,2})?$/.test(field("amount")), "amount"],
  [(of) => isUntaken(currencyOf(of.field("currency")), of), "currency"],
  [hasWrongInstallments, "taksit"],
  [({ field }) => field("oid") === "" || field("oid").length > 64, "oid"],
  [({ field }) => field("rnd") === "" || field("rnd").length > 20, "rnd"],
  [({ field }) => !isWebAddress(field("okUrl")), "okUrl"],
  [({ field }) => !/^\d{13,19}$/.test(field("pan")) || !isLuhnValid(field("pan")), "pan"],
  [({ field, nowMs }) => hasExpired(expiryOf(field), nowMs), "Ecom_Payment_Card_ExpDate"],
  [({ field }) => !/^\d{3,4}$/.test(field("cv2")), "cv2"],
];

/** The rules above have checked each field; the values after `??` only satisfy the compiler. */
function formOf(field: Field, merchant: Merchant, failUrl: string, posted: Parameter[]): GateForm {
  const callbackUrl = field("callbackUrl");
  return {
    merchant,
    storeType: storeTypeOf(field) ?? "3d",
    operation: operationOf(field) ?? "sale",
    orderId: field("oid"),
    amountMinor: parseAmount(field("amount")) ?? 0n,
    currency: currencyOf(field("currency")) ?? "",
    installments: Number(installmentsOf(field)),
    pan: field("pan"),
    cvv: field("cv2"),
    okUrl: field("okUrl"),
    failUrl,
    callbackUrl: isWebAddress(callbackUrl) ? callbackUrl : undefined,
    posted,
  };
}

/** An honest form has under fifty fields. */
const FIELDS_MAX = 100;

const storeTypes = new Map<string, GateForm["storeType"]>([
  ["3d", "3d"],
  ["3d_pay", "3d_pay"],
]);
const operations = new Map<string, GateForm["operation"]>([
  ["Auth", "sale"],
  ["PreAuth", "authorize"],
]);
