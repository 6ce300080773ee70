import { randomBytes } from "node:crypto";

import type { CardOperation, EnrolmentRequest } from "@holdfast/acquirer";
import { amountText, NUMERIC_CURRENCIES, shortYear, type Instrument } from "@holdfast/acquirer/kit";

import type { AkbankSettings } from "./akbank-settings.ts";
import { signatureOf } from "./signatures.ts";

/** An amount with two decimals and a currency's number, as the protocol writes them. */
export type WrittenAmount = { amount: string; currency: string };

/** @returns undefined for a currency that the protocol does not have, and for an amount that is not positive or too long. */
export function writeAmount(amountMinor: bigint, currency: string): WrittenAmount | undefined {
  const code = NUMERIC_CURRENCIES.get(currency);
  const isCarried = code !== undefined && amountMinor > 0n && amountMinor < 10n ** 15n;
  return isCarried ? { amount: amountText(amountMinor), currency: code } : undefined;
}

export function isOrderId(text: string): boolean {
  return /^[A-Za-z0-9-]{1,36}$/.test(text);
}

/**
 * The parts that distinguish a request from an equal one: the bank's wall clock, which it compares with its
 * own, and a number.
 */
export type Stamp = { requestDateTime: string; randomNumber: string };

export function stampOf(now: Date): Stamp {
  const time = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO("Europe/Istanbul");
  return {
    requestDateTime: time.toPlainDateTime().toString({ fractionalSecondDigits: 3 }),
    randomNumber: randomBytes(64).toString("hex").toUpperCase(),
  };
}

export const TRANSACTIONS = {
  sale: "1000",
  authorize: "1004",
  capture: "1005",
  refund: "1002",
  void: "1003",
  history: "1010",
} as const;

/** A request about an order. The fields have the names and the order of the bank's samples. */
export type OrderCall = {
  type: keyof typeof TRANSACTIONS;
  orderId: string;
  /** Absent for a void, which reverses the order's last movement. */
  amount?: WrittenAmount;
  payment?: {
    instrument: Instrument;
    installmentCount: number;
    isMailOrder: boolean;
    ip: string | undefined;
    email: string | undefined;
  };
};

/** @returns the body, which has to be sent and signed as it is. */
export function orderRequest(
  settings: AkbankSettings,
  { type, orderId, amount, payment }: OrderCall,
  stamp: Stamp,
): string {
  const { merchantSafeId, terminalSafeId, subMerchantId } = settings;
  return JSON.stringify({
    version: "1.00",
    txnCode: TRANSACTIONS[type],
    ...stamp,
    terminal: { merchantSafeId, terminalSafeId },
    ...(subMerchantId !== undefined && { subMerchant: { subMerchantId } }),
    ...(payment && payerOf(payment.instrument)),
    order: { orderId },
    ...(amount && {
      transaction: {
        amount: amount.amount,
        currencyCode: Number(amount.currency),
        ...(payment && {
          motoInd: payment.isMailOrder ? 1 : 0,
          installCount: payment.installmentCount,
        }),
      },
    }),
    ...(payment && { customer: { emailAddress: emailOf(payment.email), ipAddress: payment.ip } }),
  });
}

function payerOf(instrument: Instrument) {
  if ("pan" in instrument) {
    const { pan, cvv, expiryMonth } = instrument;
    return { card: { cardNumber: pan, cvv2: cvv, expireDate: expiryMonth + shortYear(instrument) } };
  }
  const { xid: secureId, eci: secureEcomInd, cavv: secureData, md: secureMd } = instrument;
  return { secureTransaction: { secureId, secureEcomInd, secureData, secureMd } };
}

/**
 * The form that asks the bank to authenticate a cardholder. All of it is signed, in this order, a field that
 * is absent as an empty text. It has the card, and so it is posted by this process and stored nowhere.
 */
export function gateForm(
  request: Pick<
    EnrolmentRequest,
    "operation" | "orderId" | "installmentCount" | "returnUrl" | "card" | "customer" | "browser"
  >,
  { amount, currency }: WrittenAmount,
  { merchantSafeId, terminalSafeId, subMerchantId = "" }: AkbankSettings,
  secretKey: string,
  { randomNumber, requestDateTime }: Stamp,
): URLSearchParams {
  const { pan, cvv, expiryMonth } = request.card;
  const returnUrl = new URL(request.returnUrl).href;
  const fields = {
    paymentModel: "3D",
    txnCode: FORMS[request.operation],
    merchantSafeId,
    terminalSafeId,
    orderId: request.orderId,
    lang: request.browser?.browserLanguage.toLowerCase().startsWith("en") ? "EN" : "TR",
    amount,
    currencyCode: currency,
    installCount: String(request.installmentCount),
    okUrl: returnUrl,
    failUrl: returnUrl,
    emailAddress: emailOf(request.customer?.email) ?? "",
    subMerchantId,
    creditCard: pan,
    expiredDate: expiryMonth + shortYear(request.card),
    cvv,
    randomNumber,
    requestDateTime,
  };
  const hash = signatureOf(secretKey, ...Object.values(fields));
  return new URLSearchParams(Object.entries({ ...fields, hash }).filter(([, value]) => value !== ""));
}

const FORMS: Record<CardOperation, string> = { sale: "3000", authorize: "3004" };

/** An address that is too long would have the whole payment refused, so it is left out. */
function emailOf(email = ""): string | undefined {
  return /^[!-~]{3,64}$/.test(email) ? email : undefined;
}
