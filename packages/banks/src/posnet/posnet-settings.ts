import type { Capabilities } from "@holdfast/acquirer";
import { asciiSecret, bankAddress, orderBankSettings, strictFields } from "@holdfast/acquirer/kit";
import { z } from "zod";

const number = (form: RegExp, says: string) => z.string("must be a text").regex(form, `must be ${says}`);

/** The settings of an account that are not secret. Addresses over plain HTTP are refused when the account is connected. */
export const posnetSettings = strictFields({
  apiUrl: bankAddress.describe(
    "The bank's address for everything but 3-D Secure's page: `https://posnet.yapikredi.com.tr/PosnetWebService/XML`, or the same path at `https://setmpos.ykb.com`. The bank has to know the address that calls to it come from.",
  ),
  gateUrl: bankAddress.describe(
    "The address of the bank's 3-D Secure page, `…/3DSWebService/YKBPaymentService` of the same host. Holdfast posts the form itself: it has the card in it, encrypted with a key that Holdfast has, too.",
  ),
  merchantId: number(/^\d{10}$/, "10 digits").describe("The merchant's number, `mid`."),
  terminalId: number(/^[0-9A-Z]{8}$/, "8 digits or upper-case letters").describe(
    "The terminal's number, `tid`.",
  ),
  posnetId: number(/^\d{1,16}$/, "1 to 16 digits").describe("The PosNet number, for 3-D Secure."),
  orderPrefix: number(/^[A-Z0-9_]{4}$/, "4 upper-case letters, digits or underscores")
    .default("TDS_")
    .describe(
      "The characters that the bank puts before the order of a payment with 3-D Secure. `TDS_` and `TDSC` are looked for in any case.",
    ),
  ...orderBankSettings,
  verifySign: z
    .boolean("must be true or false")
    .default(false)
    .describe(
      "Whether a 3-D Secure return has to carry the bank's `Sign`. The bank's current document does not describe it. Each return is proven by a call to the bank in any case: this saves the call for a forged one.",
    ),
});
export type PosnetSettings = z.output<typeof posnetSettings>;

/** The address for 3-D Secure is left out, because no inquiry goes there. */
export const POSNET_TERMINAL = {
  settings: ["apiUrl", "merchantId", "terminalId", "posnetId"],
  secrets: [],
} as const;

/**
 * A second success of an order is refused; the bank does not return our references; a partial capture
 * releases the rest.
 */
export function posnetCapabilities({ confirmAmounts }: Pick<PosnetSettings, "confirmAmounts">): Capabilities {
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
export const posnetSecrets = strictFields({
  encKey: asciiSecret(64).describe(
    "The key of 3-D Secure (`ENCKEY`), which is made in the bank's panel. It opens the card in the bank's forms.",
  ),
});
export type PosnetSecrets = z.output<typeof posnetSecrets>;
