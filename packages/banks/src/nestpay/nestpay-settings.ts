import type { Capabilities } from "@holdfast/acquirer";
import { bankAddress, orderBankSettings, secretText, strictFields } from "@holdfast/acquirer/kit";
import { z } from "zod";

import { decidingName } from "./browser-return.ts";

/**
 * The settings of an account that are not secret. Addresses over plain HTTP are refused when the account is connected.
 */
export const nestpaySettings = strictFields({
  apiUrl: bankAddress.describe(
    "The bank's address for payments, such as https://sanalpos.bank.example/fim/api. The bank has to know the address that calls to it come from.",
  ),
  gateUrl: bankAddress.describe(
    "The bank's address for 3-D Secure, such as https://sanalpos.bank.example/fim/est3Dgate. Holdfast posts the form itself, so that no browser ever carries the card.",
  ),
  clientId: z
    .string()
    .regex(/^\d{1,15}$/, "must be 1 to 15 digits")
    .describe("The number that the bank gave the merchant's virtual terminal."),
  mode: z
    .enum(["P", "T"], { error: "must be P or T" })
    .default("P")
    .describe("`P` for a live terminal, `T` for a test terminal. A wrong one is refused by the bank."),
  language: z
    .enum(["tr", "en"], { error: "must be tr or en" })
    .default("tr")
    .describe("The language of the bank's 3-D Secure pages."),
  unsignedFields: z
    .array(
      z
        .string()
        .regex(/^[\w.-]{1,64}$/, "must be the name of a field")
        .refine((name) => decidingName(name) === undefined, "must not be a field that Holdfast reads"),
    )
    .max(20, "must name at most 20 fields")
    .default(["countdown", "nationalidno"])
    .describe(
      "Fields of a 3-D Secure return, named without case, which the bank may leave out of its signature. Holdfast reads none of them, and refuses the name of a field that it reads.",
    ),
  creditBeforeDayEnd: z
    .boolean("must be true or false")
    .default(false)
    .describe("Whether the bank pays back before the end of its business day, which most banks do not."),
  ...orderBankSettings,
});
export type NestpaySettings = z.output<typeof nestpaySettings>;

/** The address for 3-D Secure is left out, because no inquiry goes there. */
export const NESTPAY_TERMINAL = { settings: ["apiUrl", "clientId", "mode"], secrets: [] } as const;

/**
 * A second success of an order is refused; the history does not return our references; a partial capture
 * releases the rest.
 */
export function nestpayCapabilities({
  confirmAmounts,
}: Pick<NestpaySettings, "confirmAmounts">): Capabilities {
  return {
    repetition: "refuses_second_success",
    ownReferenceOn: [],
    // A whole refund on the business day is a void.
    sharesNameOn: ["capture", "void", "refund"],
    release: false,
    callsPerPayment: confirmAmounts ? 2 : 1,
  };
}

/** No error message of this schema repeats its input. */
export const nestpaySecrets = strictFields({
  apiUser: secretText(255).describe(
    "The name of an API user. It needs the role for the API: passwords of other roles run out every three months.",
  ),
  apiPassword: secretText(255).describe("That user's password."),
  storeKey: secretText(255).describe(
    "The key that signs 3-D Secure forms, set in the bank's panel. It is not the API user's password.",
  ),
}).refine(({ apiPassword, storeKey }) => apiPassword !== storeKey, {
  path: ["storeKey"],
  error: "must not be the API user's password: it is a key of its own, set in the bank's panel",
});
export type NestpaySecrets = z.output<typeof nestpaySecrets>;
