import { isLuhnValid } from "@holdfast/bank-simulator/core";

import { hasExpired } from "../bank-time.ts";
import type { Merchant } from "../merchants.ts";
import type { Rules } from "../modes.ts";
import { currencyOf, LIRA, parseAmount } from "../money.ts";
import { isHash, ver3Hash, type Parameter } from "./ver3-hash.ts";

/** A form of `POST /fim/est3Dgate` that is signed and right (Nestpay protocol, 3-D Secure form). */
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
  /** Everything that was posted, which comes back but for the card. */
  posted: Parameter[];
};

/**
 * A refused form. `merchant` is there where its hash was right, and then the return is signed. Without a `failUrl`
 * there is no address to send the browser back to.
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

export type FormCircumstances = {
  merchantOf: (clientId: string) => Merchant | undefined;
  rulesFor: (merchant: Merchant) => Rules;
  nowMs: number;
};

/** Reads and verifies a form; `text` is its body in form encoding. */
export function parseGateForm(text: string, circumstances: FormCircumstances): ParsedForm {
  const posted = [...new URLSearchParams(text)];
  const fields = new Map(posted.map(([name, value]) => [name.toLowerCase(), value]));
  const field = (name: string) => fields.get(name.toLowerCase()) ?? "";
  const failUrl = webAddress(field("failUrl"));
  const refuse = (code: RefusedForm["code"], message: string, merchant?: Merchant): ParsedForm => ({
    kind: "refused",
    refusal: { merchant, failUrl, code, message, posted },
  });
  if (posted.length > FIELDS_MAX || fields.size < posted.length) return refuse("HPP-1001", "Fields");
  const merchant = circumstances.merchantOf(field("clientid"));
  if (!merchant) return refuse("HPP-1001", "Unknown clientid");
  if (field("hashAlgorithm") !== "ver3") return refuse("HPP-1001", "hashAlgorithm has to be ver3");
  if (!isHash(field("hash"), ver3Hash(posted, merchant.storeKey))) return refuse("HPP-1001", "Wrong hash");
  const form = formOf(field, merchant, circumstances);
  if (typeof form === "string" || !failUrl) {
    return refuse("3D-1007", typeof form === "string" ? form : "failUrl", merchant);
  }
  return { kind: "form", form: { ...form, failUrl, posted } };
}

type Field = (name: string) => string;

/** @returns the name of the first field that is wrong */
function formOf(
  field: Field,
  merchant: Merchant,
  circumstances: FormCircumstances,
): Omit<GateForm, "failUrl" | "posted"> | string {
  const storeType = storeTypes.get(field("storetype").toLowerCase());
  if (!storeType) return "storetype";
  const operation = operations.get(field("TranType") || field("islemtipi"));
  if (!operation) return "TranType";
  const amountMinor = /^\d{1,16}(?:\.\d{1,2})?$/.test(field("amount"))
    ? parseAmount(field("amount"))
    : undefined;
  if (amountMinor === undefined || amountMinor === 0n) return "amount";
  const currency = currencyOf(field("currency"));
  if (currency === undefined || !merchant.options.currencies.includes(currency)) return "currency";
  const installments = installmentsOf(field, merchant, currency, circumstances.rulesFor(merchant));
  if (installments === undefined) return "taksit";
  const orderId = field("oid");
  if (orderId === "" || orderId.length > 64) return "oid";
  if (field("rnd") === "" || field("rnd").length > 20) return "rnd";
  const okUrl = webAddress(field("okUrl"));
  if (!okUrl) return "okUrl";
  const callbackUrl = field("callbackUrl") === "" ? undefined : webAddress(field("callbackUrl"));
  const pan = field("pan");
  if (!/^\d{13,19}$/.test(pan) || !isLuhnValid(pan)) return "pan";
  if (!isExpiry(field, circumstances.nowMs)) return "Ecom_Payment_Card_ExpDate";
  const cvv = field("cv2");
  if (!/^\d{3,4}$/.test(cvv)) return "cv2";
  const terms = { storeType, operation, orderId, amountMinor, currency, installments };
  return { merchant, ...terms, pan, cvv, okUrl, callbackUrl };
}

/** The rules of an installment are those of the API. */
function installmentsOf(
  field: Field,
  { options }: Merchant,
  currency: string,
  rules: Rules,
): number | undefined {
  const named = field("taksit") || field("Instalment");
  if (named === "") return 1;
  if (!/^[1-9]\d?$/.test(named)) return undefined;
  const count = Number(named);
  if (count === 1) return rules.installmentOneRefused ? undefined : 1;
  return currency === LIRA && count <= options.installmentsMax ? count : undefined;
}

function isExpiry(field: Field, nowMs: number): boolean {
  const month = field("Ecom_Payment_Card_ExpDate_Month");
  const year = field("Ecom_Payment_Card_ExpDate_Year");
  if (!/^(?:0[1-9]|1[0-2])$/.test(month) || !/^(?:20)?\d{2}$/.test(year)) return false;
  return !hasExpired(Number(month), Number(year.slice(-2)), nowMs);
}

function webAddress(text: string): string | undefined {
  const isWeb = /^https?:\/\//i.test(text) && text.length <= 2_048 && URL.canParse(text);
  return isWeb ? text : undefined;
}

/** An honest form has under fifty fields. */
const FIELDS_MAX = 100;

const storeTypes = new Map([
  ["3d", "3d"],
  ["3d_pay", "3d_pay"],
] as const) as ReadonlyMap<string, GateForm["storeType"]>;

const operations: ReadonlyMap<string, GateForm["operation"]> = new Map([
  ["Auth", "sale"],
  ["PreAuth", "authorize"],
] as const);
