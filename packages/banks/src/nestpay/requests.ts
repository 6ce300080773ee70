import type { CardOperation, Customer, EnrolmentRequest } from "@holdfast/acquirer";
import {
  amountText,
  NUMERIC_CURRENCIES,
  shortYear,
  writeXml,
  type Instrument,
  type XmlContent,
} from "@holdfast/acquirer/kit";

import type { NestpaySettings } from "./nestpay-settings.ts";
import { ver3Hash, type FormFields } from "./ver3-hash.ts";

/** An amount and a currency that the protocol can carry, as it writes them. */
export type WrittenAmount = { total: string; currency: string };

/**
 * @returns `{ total: "1249.90", currency: "949" }` for 124990 minor units of TRY; undefined for another
 * currency, and for an amount that is not positive or has more than the protocol's 18 digits.
 */
export function writeAmount(amountMinor: bigint, currency: string): WrittenAmount | undefined {
  const code = NUMERIC_CURRENCIES.get(currency);
  const isCarried = code !== undefined && amountMinor > 0n && amountMinor < 10n ** 18n;
  return isCarried ? { total: amountText(amountMinor), currency: code } : undefined;
}

export function isOrderId(text: string): boolean {
  return /^[A-Za-z0-9]{1,64}$/.test(text);
}

/** The caller: elements of every request. */
export type Caller = { user: string; password: string; clientId: string; mode: "P" | "T" };

export type CardCall = {
  operation: CardOperation;
  orderId: string;
  amount: WrittenAmount;
  installmentCount: number;
  instrument: Instrument;
  customer?: Customer;
};

/** `PreAuth` authorizes, `Auth` sells. */
export function cardRequest(caller: Caller, call: CardCall): string {
  const { orderId, amount, installmentCount } = call;
  return render({
    ...callerElements(caller),
    Type: transactionType(call.operation),
    ...buyerElements(call.customer),
    OrderId: orderId,
    Total: amount.total,
    Currency: amount.currency,
    Taksit: writeInstallments(installmentCount),
    ...instrumentElements(call.instrument),
  });
}

export function captureRequest(caller: Caller, orderId: string, { total }: WrittenAmount): string {
  return render({ ...callerElements(caller), Type: "PostAuth", OrderId: orderId, Total: total });
}

/**
 * A void without a transaction would reverse the order's last movement, even a refund, so `transId` is
 * required.
 */
export function voidRequest(caller: Caller, orderId: string, transId: string): string {
  return render({ ...callerElements(caller), Type: "Void", OrderId: orderId, TransId: transId });
}

export function creditRequest(caller: Caller, orderId: string, { total, currency }: WrittenAmount): string {
  const elements = { Type: "Credit", OrderId: orderId, Total: total, Currency: currency };
  return render({ ...callerElements(caller), ...elements });
}

export function historyRequest(caller: Caller, orderId: string): string {
  const { Mode: _mode, ...elements } = callerElements(caller);
  return render({ ...elements, OrderId: orderId, Extra: { ORDERHISTORY: "QUERY" } });
}

/**
 * The signed form that asks the bank to authenticate a cardholder. It has the card in it, so this process
 * posts it itself and stores it nowhere. All of its values are ASCII, because banks hash other characters
 * differently.
 * @param nonce an unguessable secret of at most 20 characters that the return has to repeat.
 */
export function gateForm(
  request: Pick<EnrolmentRequest, "operation" | "orderId" | "installmentCount" | "returnUrl" | "card">,
  amount: WrittenAmount,
  settings: Pick<NestpaySettings, "clientId" | "language">,
  { storeKey, nonce }: { storeKey: string; nonce: string },
): FormFields {
  const { pan, cvv, expiryMonth } = request.card;
  const returnUrl = new URL(request.returnUrl).href;
  const fields: FormFields = [
    ["clientid", settings.clientId],
    ["storetype", STORE_TYPE],
    ["TranType", transactionType(request.operation)],
    ["amount", amount.total],
    ["currency", amount.currency],
    ["oid", request.orderId],
    ["okUrl", returnUrl],
    ["failUrl", returnUrl],
    ["lang", settings.language],
    ["rnd", nonce],
    ["taksit", writeInstallments(request.installmentCount)],
    ["hashAlgorithm", "ver3"],
    ["encoding", "UTF-8"],
    ["pan", pan],
    ["cv2", cvv],
    ["Ecom_Payment_Card_ExpDate_Month", expiryMonth],
    ["Ecom_Payment_Card_ExpDate_Year", shortYear(request.card)],
  ];
  return [...fields, ["hash", ver3Hash(fields, storeKey)]];
}

/** The bank authenticates, and the authorization is a call of ours. */
export const STORE_TYPE = "3d";

/** The protocol's words for the operation, the same in the API and in the 3-D Secure form. */
export function transactionType(operation: CardOperation): "Auth" | "PreAuth" {
  return operation === "sale" ? "Auth" : "PreAuth";
}

/** A payment in one installment is an empty text: some banks refuse "1". */
export function writeInstallments(count: number): string {
  return count > 1 ? String(count) : "";
}

function callerElements({ user, password, clientId, mode }: Caller) {
  return { Name: user, Password: password, ClientId: clientId, Mode: mode };
}

/** A field that is too long would have the whole payment refused, so it is left out. */
function buyerElements({ ip = "", email = "" }: Customer = {}): XmlContent {
  return {
    ...(ip !== "" && ip.length <= 39 && { IPAddress: ip }),
    ...(email !== "" && email.length <= 64 && { Email: email }),
  };
}

function instrumentElements(instrument: Instrument): XmlContent {
  if ("pan" in instrument) {
    const { pan, expiryMonth, cvv } = instrument;
    return { Number: pan, Expires: `${expiryMonth}/${shortYear(instrument)}`, Cvv2Val: cvv };
  }
  const { md, xid, eci, cavv } = instrument;
  return { Number: md, PayerTxnId: xid, PayerSecurityLevel: eci, PayerAuthenticationCode: cavv };
}

/** The body of a request: a form with one field, its XML percent-encoded and so of ASCII only. */
function render(elements: XmlContent): string {
  return `DATA=${encodeURIComponent(writeXml("CC5Request", elements))}`;
}
