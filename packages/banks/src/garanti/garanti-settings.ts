import { isIPv4 } from "node:net";

import type { Capabilities } from "@holdfast/acquirer";
import { asciiSecret, bankAddress, orderBankSettings, strictFields } from "@holdfast/acquirer/kit";
import { z } from "zod";

const number = z.string("must be a text").regex(/^\d{1,9}$/, "must be 1 to 9 digits");

/** The settings of an account that are not secret. Addresses over plain HTTP are refused when the account is connected. */
export const garantiSettings = strictFields({
  apiUrl: bankAddress.describe(
    "The bank's address for everything but 3-D Secure: `https://sanalposprov.garanti.com.tr/VPServlet`, or `https://sanalposprovtest.garantibbva.com.tr/VPServlet`. The bank has to know the address that calls to it come from.",
  ),
  gateUrl: bankAddress.describe(
    "The bank's address for 3-D Secure, `…/servlet/gt3dengine` of the same host. Holdfast posts the form itself, so that no browser ever carries the card.",
  ),
  mode: z
    .enum(["PROD", "TEST"], { error: "must be PROD or TEST" })
    .default("PROD")
    .describe("`PROD` for a live terminal, `TEST` for a test terminal."),
  merchantId: number.describe("The number that the bank gave the merchant."),
  terminalId: number.describe("The number of the virtual terminal."),
  subMerchantId: z
    .string("must be a text")
    .regex(/^[A-Za-z0-9]{1,20}$/, "must be 1 to 20 letters and digits")
    .exactOptional()
    .describe("The dealer's number, on terminals that have dealers only."),
  fallbackIp: z
    .string("must be a text")
    .refine(isIPv4, "must be an IPv4 address")
    .describe(
      "The IPv4 address that a call names where no buyer's or operator's is known, or only an IPv6 address: this installation's own. The bank demands one in every call.",
    ),
  contentType: z
    .enum(["application/xml", "application/x-www-form-urlencoded"], {
      error: "must be application/xml or application/x-www-form-urlencoded",
    })
    .default("application/xml")
    .describe("The content type of a request, whose body is the same XML with both."),
  encoding: z
    .enum(["utf-8", "iso-8859-9"], { error: "must be utf-8 or iso-8859-9" })
    .default("utf-8")
    .describe("The encoding of answers that declare none. Only messages have letters that are not ASCII."),
  ...orderBankSettings,
  verifyAnswers: z
    .boolean("must be true or false")
    .default(true)
    .describe(
      "Whether answers have to carry the bank's hash. Switch it off only if the bank signs answers in another way: every outcome would be unknown.",
    ),
});
export type GarantiSettings = z.output<typeof garantiSettings>;

/** The address for 3-D Secure is left out, because no inquiry goes there. */
export const GARANTI_TERMINAL = {
  settings: ["apiUrl", "mode", "merchantId", "terminalId", "subMerchantId"],
  secrets: [],
} as const;

/**
 * A second success of an order is refused; the bank does not return our references; a partial capture
 * releases the rest.
 */
export function garantiCapabilities({
  confirmAmounts,
}: Pick<GarantiSettings, "confirmAmounts">): Capabilities {
  return {
    repetition: "refuses_second_success",
    ownReferenceOn: [],
    // The record shows a void as the state of what it voids.
    sharesNameOn: ["void"],
    release: false,
    callsPerPayment: confirmAmounts ? 2 : 1,
  };
}

/** No error message of this schema repeats its input. */
export const garantiSecrets = strictFields({
  provUser: asciiSecret(32).describe(
    "The user of payments, captures and inquiries, `PROVAUT` unless the bank says otherwise.",
  ),
  provPassword: asciiSecret(64).describe("That user's password."),
  refundUser: asciiSecret(32).describe(
    "The user of voids and refunds, `PROVRFN` unless the bank says otherwise.",
  ),
  refundPassword: asciiSecret(64).describe("That user's password."),
  storeKey: asciiSecret(64).describe("The key that signs 3-D Secure forms, set in the bank's panel."),
});
export type GarantiSecrets = z.output<typeof garantiSecrets>;
