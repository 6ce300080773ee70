import { isIPv4 } from "node:net";

import type { CardOperation, EnrolmentRequest } from "@holdfast/acquirer";
import { NUMERIC_CURRENCIES, shortYear, writeXml, type Instrument } from "@holdfast/acquirer/kit";

import type { GarantiSettings } from "./garanti-settings.ts";
import { hashOf, securityData } from "./hashes.ts";

/** An amount in minor units and a currency's number, as the protocol writes them. */
export type WrittenAmount = { amount: string; currency: string };

/** @returns undefined for a currency that the protocol does not have, and for an amount that is not positive or too long. */
export function writeAmount(amountMinor: bigint, currency: string): WrittenAmount | undefined {
  const code = NUMERIC_CURRENCIES.get(currency);
  const isCarried = code !== undefined && amountMinor > 0n && amountMinor < 10n ** 18n;
  return isCarried ? { amount: amountMinor.toString(), currency: code } : undefined;
}

/** The bank's list of errors says 32, other pages 36. */
export function isOrderId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,32}$/.test(text);
}

/** One of an account's two users, with the part of a hash that represents its password. */
export type Caller = GarantiSettings & { user: string; securityData: string };

export function callerOf(settings: GarantiSettings, user: string, password: string): Caller {
  return { ...settings, user, securityData: securityData(password, settings.terminalId) };
}

/** A request about an order. The fields have the names and the order of the bank's samples. */
export type OrderCall = WrittenAmount & {
  type: "sales" | "preauth" | "postauth" | "void" | "refund" | "orderhistoryinq";
  orderId: string;
  ip?: string | undefined;
  email?: string | undefined;
  installmentCount?: number | undefined;
  instrument?: Instrument;
  isMailOrder?: boolean;
  /** The bank's name of the movement that the call is about. */
  originalName?: string;
};

export function orderRequest(caller: Caller, call: OrderCall): string {
  const { orderId, amount, currency, instrument, originalName } = call;
  const card = instrument && "pan" in instrument ? instrument : undefined;
  const proof = instrument && "md" in instrument ? instrument : undefined;
  const { mode, user, merchantId, terminalId, subMerchantId } = caller;
  const hash = hashOf(orderId, terminalId, card?.pan ?? "", amount, currency, caller.securityData);
  return writeXml("GVPSRequest", {
    Mode: mode,
    Version: VERSION,
    Terminal: {
      ProvUserID: user,
      HashData: hash,
      UserID: user,
      ID: terminalId,
      MerchantID: merchantId,
      SubMerchantID: subMerchantId,
    },
    Customer: { IPAddress: ipOf(caller, call.ip), EmailAddress: emailOf(call.email) },
    Card: card && { Number: card.pan, ExpireDate: card.expiryMonth + shortYear(card), CVV2: card.cvv },
    Order: { OrderID: orderId, GroupID: "" },
    Transaction: {
      Type: call.type,
      InstallmentCnt: writeInstallments(call.installmentCount),
      Amount: amount,
      CurrencyCode: currency,
      CardholderPresentCode: proof ? "13" : "0",
      MotoInd: call.isMailOrder ? "Y" : "N",
      OriginalRetrefNum: originalName,
      Secure3D: proof && {
        AuthenticationCode: proof.cavv,
        SecurityLevel: proof.eci,
        TxnID: proof.xid,
        Md: proof.md,
      },
    },
  });
}

/** Selects SHA-512, and hashes with the currency in them. */
const VERSION = "512";

/**
 * A placeholder amount for voids and inquiries, which the bank only hashes. A refund needs the real amount,
 * since the bank would pay back this one.
 * @param order its currency has to be one of the protocol's.
 */
export function dummyOf({ currency }: { currency: string }): WrittenAmount {
  return { amount: "100", currency: NUMERIC_CURRENCIES.get(currency)! };
}

/**
 * The form that asks the bank to authenticate a cardholder, signed. It has the card, and so it is posted by this process
 * and stored nowhere. All of its values are ASCII.
 */
export function gateForm(
  request: Pick<
    EnrolmentRequest,
    "operation" | "orderId" | "installmentCount" | "returnUrl" | "card" | "customer"
  >,
  { amount, currency }: WrittenAmount,
  caller: Caller,
  storeKey: string,
): URLSearchParams {
  const { pan, cvv, expiryMonth } = request.card;
  const returnUrl = new URL(request.returnUrl).href;
  const { terminalId, merchantId, user, subMerchantId } = caller;
  const type = transactionType(request.operation);
  const count = writeInstallments(request.installmentCount);
  const signed = [terminalId, request.orderId, amount, currency, returnUrl, returnUrl, type, count];
  return new URLSearchParams({
    secure3dsecuritylevel: "3D",
    mode: caller.mode,
    apiversion: VERSION,
    terminalprovuserid: user,
    terminaluserid: user,
    terminalmerchantid: merchantId,
    terminalid: terminalId,
    ...(subMerchantId !== undefined && { submerchantid: subMerchantId }),
    txntype: type,
    txnamount: amount,
    txncurrencycode: currency,
    txninstallmentcount: count,
    orderid: request.orderId,
    successurl: returnUrl,
    errorurl: returnUrl,
    customeripaddress: ipOf(caller, request.customer?.ip),
    customeremailaddress: emailOf(request.customer?.email) ?? "",
    cardnumber: pan,
    cardexpiredatemonth: expiryMonth,
    cardexpiredateyear: shortYear(request.card),
    cardcvv2: cvv,
    secure3dhash: hashOf(...signed, storeKey, caller.securityData),
  });
}

export function transactionType(operation: CardOperation): "sales" | "preauth" {
  return operation === "sale" ? "sales" : "preauth";
}

/** A payment in one installment is an empty text: the number 1 gives another hash. */
function writeInstallments(count = 1): string {
  return count > 1 ? String(count) : "";
}

/** The bank takes IPv4 only, and demands an address in every call. */
function ipOf({ fallbackIp }: Caller, ip = ""): string {
  return isIPv4(ip) ? ip : fallbackIp;
}

/** An address that is too long would have the whole payment refused, so it is left out. */
function emailOf(email = ""): string | undefined {
  return /^[!-~]{3,64}$/.test(email) ? email : undefined;
}
