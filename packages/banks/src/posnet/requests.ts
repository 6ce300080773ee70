import { randomBytes } from "node:crypto";

import {
  shortOrderIdOf,
  type CardOperation,
  type EnrolmentRequest,
  type AcquirerCard,
} from "@holdfast/acquirer";
import { shortYear, writeXml, type Instrument, type XmlContent } from "@holdfast/acquirer/kit";

import { macOf, type MacKey } from "./macs.ts";
import type { PosnetSettings } from "./posnet-settings.ts";

/** The bank's codes of currencies. Others are of clients only, and one without two decimals is not documented. */
const CURRENCIES: ReadonlyMap<string, string> = new Map([
  ["TRY", "TL"],
  ["USD", "US"],
  ["EUR", "EU"],
]);
export const POSNET_CURRENCIES = [...CURRENCIES.keys()];

export function currencyOf(code: string): string | undefined {
  return POSNET_CURRENCIES.find((currency) => CURRENCIES.get(currency) === code);
}

/** A request's order and amount, as the protocol writes them: 20 characters, minor units, the bank's code. */
export type Written = { name: string; amount: string; currency: string };

/** @returns undefined for what the protocol cannot carry. */
export function write({
  orderId,
  amountMinor,
  currency,
}: {
  orderId: string;
  amountMinor: bigint;
  currency: string;
}): Written | undefined {
  const [name, code] = [shortOrderIdOf(orderId), CURRENCIES.get(currency)];
  const isCarried = amountMinor > 0n && amountMinor <= AMOUNT_MINOR_MAX;
  return name !== undefined && code !== undefined && isCarried
    ? { name, amount: amountMinor.toString(), currency: code }
    : undefined;
}

/** The bank takes at most 99 999.99 in one transaction. */
const AMOUNT_MINOR_MAX = 9_999_999n;

/** An order has 24 characters. These four have no zeros, of which nobody knows whether the bank's inquiry keeps them. */
export const ORDER_PREFIX = "HFST";

/** A call of the XML service, under the name of its element. */
export type PosnetCall = { [Name in CallName]?: XmlContent };
export type CallName =
  | "sale"
  | "auth"
  | "capt"
  | "reverse"
  | "return"
  | "agreement"
  | "oosRequestData"
  | "oosResolveMerchantData"
  | "oosTranData";

/** The form with the document, which declares an encoding that its bytes do not have: all of it is ASCII. */
export function callBody({ merchantId: mid, terminalId: tid }: PosnetSettings, call: PosnetCall): string {
  const content = { mid, tid, tranDateRequired: "1", ...call };
  return new URLSearchParams({ xmldata: writeXml("posnetRequest", content, "ISO-8859-9") }).toString();
}

export function callHeaders({ merchantId, terminalId, posnetId }: PosnetSettings): Record<string, string> {
  return {
    "content-type": "application/x-www-form-urlencoded; charset=utf-8",
    "x-merchant-id": merchantId,
    "x-terminal-id": terminalId,
    "x-posnet-id": posnetId,
    "x-correlation-id": randomBytes(12).toString("hex"),
  };
}

/** The payment of a card, or of an authentication, of which the bank has card and installments. */
export function payment(
  operation: CardOperation,
  { name, amount, currency }: Written,
  {
    instrument,
    installmentCount,
    isMailOrder,
    key,
  }: { instrument: Instrument; installmentCount: number; isMailOrder: boolean; key: MacKey },
): PosnetCall {
  if ("md" in instrument) {
    const mac = macOf({ name, amount, currency }, key);
    return { oosTranData: { bankData: instrument.md, wpAmount: "0", mac } };
  }
  return {
    [operation === "sale" ? "sale" : "auth"]: {
      amount,
      ...cardOf(instrument),
      currencyCode: currency,
      orderID: ORDER_PREFIX + name,
      installment: writeInstallments(installmentCount),
      mailorderflag: isMailOrder ? "Y" : undefined,
    },
  };
}

/** The first step of 3-D Secure, which moves nothing. */
export function beginning(
  request: Pick<EnrolmentRequest, "operation" | "installmentCount" | "card" | "cardHolderName">,
  { name, amount, currency }: Written,
  { posnetId }: PosnetSettings,
): PosnetCall {
  return {
    oosRequestData: {
      posnetid: posnetId,
      XID: name,
      amount,
      currencyCode: currency,
      installment: writeInstallments(request.installmentCount),
      tranType: request.operation === "sale" ? "Sale" : "Auth",
      cardHolderName: asciiOf(request.cardHolderName),
      ...cardOf(request.card),
    },
  };
}

/** The fields for the form that the first step gives. */
export type Begun = { data1: string; data2: string; sign: string };

/** The form for the bank's 3-D Secure page. It has the card, and so it is posted by this process and stored nowhere. */
export function gateForm(
  { data1, data2, sign }: Begun,
  { returnUrl, browser }: Pick<EnrolmentRequest, "returnUrl" | "browser">,
  { merchantId, posnetId }: PosnetSettings,
): URLSearchParams {
  return new URLSearchParams({
    mid: merchantId,
    posnetID: posnetId,
    posnetData: data1,
    posnetData2: data2,
    digest: sign,
    vftCode: "",
    merchantReturnURL: new URL(returnUrl).href,
    lang: browser?.browserLanguage.toLowerCase().startsWith("en") ? "en" : "tr",
    url: "",
    openANewWindow: "0",
  });
}

/** True unless the address is longer than the bank accepts. */
export function isReturnUrl(url: string): boolean {
  return new URL(url).href.length <= 255;
}

/** A payment without installments is `00`: the protocol does not allow the number 1. */
export function writeInstallments(count: number): string {
  return count > 1 ? String(count).padStart(2, "0") : "00";
}

function cardOf(card: AcquirerCard): XmlContent {
  return { ccno: card.pan, expDate: shortYear(card) + card.expiryMonth, cvc: card.cvv };
}

/** The bank takes ASCII only, and shows the name to nobody but itself. */
function asciiOf(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replaceAll("ı", "i")
    .replace(/[^ -~]/g, "")
    .trim();
  return plain.slice(0, 60) || "CARDHOLDER";
}
