import { isIP } from "node:net";

import { secretText, settingText, strictFields } from "@holdfast/acquirer/kit";
import { z } from "zod";

/** The currencies that iyzico accepts; all of them have two decimals. */
export const IYZICO_CURRENCIES: readonly string[] = ["TRY", "USD", "EUR", "GBP", "NOK", "CHF"];

const url = z
  .string("must be a text")
  .refine(isOrigin, "must be an http:// or https:// address without a path, query or user name")
  .transform((given) => new URL(given).origin)
  .describe("Where iyzico answers: `https://api.iyzipay.com`, or `https://sandbox-api.iyzipay.com`.");

function isOrigin(given: string): boolean {
  const parsed = URL.parse(given);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.hostname === "") return false;
  return parsed.pathname === "/" && parsed.search + parsed.hash + parsed.username + parsed.password === "";
}

const address = strictFields({
  line1: settingText(200).describe("Street and number."),
  city: settingText(80).describe("City."),
  country: settingText(80).describe("Country, by its name or its ISO 3166-1 code."),
  postalCode: settingText(20).exactOptional().describe("Postal code."),
});

const item = strictFields({
  name: settingText(100).describe("What the buyer pays for, such as `Order`."),
  category: settingText(100).describe("Its category in iyzico's reports."),
  kind: z
    .enum(["physical", "virtual"], "must be physical or virtual")
    .describe("`virtual` goods need no shipping address."),
});

const defaults = strictFields({
  email: z.email("must be an e-mail address").exactOptional().describe("The buyer's e-mail address."),
  identityNumber: z
    .string("must be a text")
    .regex(/^[A-Za-z0-9]{5,50}$/, "must be 5 to 50 letters and digits")
    .exactOptional()
    .describe(
      "The buyer's identity number. Whether a placeholder such as `11111111111` is allowed, the contract with iyzico says.",
    ),
  ip: z
    .string("must be a text")
    .refine((given) => isIP(given) !== 0, "must be an IPv4 or IPv6 address")
    .describe(
      "The address that a call names where no buyer's or operator's is known: this installation's own.",
    ),
  address: address.exactOptional().describe("The buyer's address."),
  item: item.exactOptional().describe("The one line of a basket that the merchant did not send."),
}).describe(
  "What iyzico demands of every payment, for merchants that do not send it. A payment that lacks what is not set here is refused.",
);

/** Everything of an account that is no secret. */
export const iyzicoSettings = strictFields({
  url,
  locale: z
    .enum(["tr", "en"], "must be tr or en")
    .default("tr")
    .describe("The language of iyzico's messages."),
  defaults,
});
export type IyzicoSettings = z.output<typeof iyzicoSettings>;

/** A key identifies its merchant, and a new key of the same merchant looks like another merchant's. */
export const IYZICO_TERMINAL = { settings: ["url"], secrets: ["apiKey"] } as const;

const key = secretText(256).regex(/^[!-~]*$/, "must be 1 to 256 characters of ASCII");

/** Keys from iyzico's merchant panel. No error message of this schema repeats its input. */
export const iyzicoSecrets = strictFields({
  apiKey: key.describe("Names the merchant; the sandbox's begin with `sandbox-`."),
  secretKey: key.describe("Signs requests, and shows that answers and returns are genuine."),
});
export type IyzicoSecrets = z.output<typeof iyzicoSecrets>;
