import type { EnrolmentRequest } from "@holdfast/acquirer";
import { shortYear, transactionType, writeInstallments } from "./build-request.ts";
import type { WrittenAmount } from "./nestpay-amount.ts";
import type { NestpaySettings } from "./nestpay-settings.ts";
import { ver3Hash, type FormFields } from "./ver3-hash.ts";

/**
 * The form that asks the bank to authenticate a cardholder, signed. It has the card, and so it is posted by this
 * process and stored nowhere. All of its values are ASCII: how a bank hashes others differs.
 * @param nonce a secret that the return has to repeat, unguessable, at most 20 characters.
 */
export function gateForm(
  request: Pick<EnrolmentRequest, "operation" | "orderId" | "installmentCount" | "returnUrl" | "card">,
  amount: WrittenAmount,
  settings: Pick<NestpaySettings, "clientId" | "language">,
  { storeKey, nonce }: { storeKey: string; nonce: string },
): FormFields {
  const { pan, cvv, expiryMonth, expiryYear } = request.card;
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
    ["Ecom_Payment_Card_ExpDate_Year", shortYear(expiryYear)],
  ];
  return [...fields, ["hash", ver3Hash(fields, storeKey)]];
}

/** The bank authenticates, and the authorization is a call of ours. */
export const STORE_TYPE = "3d";
