import type { Capabilities } from "@holdfast/acquirer";
import { asciiSecret, bankAddress, orderBankSettings, strictFields } from "@holdfast/acquirer/kit";
import { z } from "zod";

const safeId = z
  .string("must be a text")
  .regex(/^[0-9A-F]{32}$/i, "must be 32 hexadecimal digits")
  .transform((text) => text.toUpperCase());

/** The settings of an account that are not secret. Addresses over plain HTTP are refused when the account is connected. */
export const akbankSettings = strictFields({
  apiUrl: bankAddress.describe(
    "The bank's address for everything but 3-D Secure: `https://api.akbank.com/api/v1/payment/virtualpos/transaction/process`, or the same path at `https://apipre.akbank.com`.",
  ),
  gateUrl: bankAddress.describe(
    "The bank's address for 3-D Secure: `https://virtualpospaymentgateway.akbank.com/securepay`, or the same path at `https://virtualpospaymentgatewaypre.akbank.com`. Holdfast posts the form itself, so that no browser ever carries the card.",
  ),
  merchantSafeId: safeId.describe("The merchant's id, 32 hexadecimal digits from the bank's portal."),
  terminalSafeId: safeId.describe("The terminal's id, 32 hexadecimal digits from the bank's portal."),
  subMerchantId: z
    .string("must be a text")
    .regex(/^[A-Za-z0-9]{1,32}$/, "must be 1 to 32 letters and digits")
    .exactOptional()
    .describe("The dealer's id, on terminals that have dealers only."),
  ...orderBankSettings,
  acceptUnsignedAmount: z
    .boolean("must be true or false")
    .default(false)
    .describe(
      "Whether a 3-D Secure return goes on whose signature covers neither amount nor installments, as the bank wrote it until 2024. Our own amount is sent in any case.",
    ),
});
export type AkbankSettings = z.output<typeof akbankSettings>;

/** The address for 3-D Secure is left out, because no inquiry goes there. */
export const AKBANK_TERMINAL = {
  settings: ["apiUrl", "merchantSafeId", "terminalSafeId", "subMerchantId"],
  secrets: [],
} as const;

/**
 * A second attempt of an order is refused; the bank does not return our references; a partial capture
 * releases the rest.
 */
export function akbankCapabilities({ confirmAmounts }: Pick<AkbankSettings, "confirmAmounts">): Capabilities {
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
export const akbankSecrets = strictFields({
  secretKey: asciiSecret(512).describe(
    "The key that signs requests, 3-D Secure forms and their returns, as the bank's portal shows it.",
  ),
});
export type AkbankSecrets = z.output<typeof akbankSecrets>;
