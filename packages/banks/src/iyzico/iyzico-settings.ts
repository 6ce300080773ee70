import { isIP } from "node:net";

import { z } from "zod";

/** The currencies that iyzico takes; all of them have two decimals. */
export const IYZICO_CURRENCIES = ["TRY", "USD", "EUR", "GBP", "NOK", "CHF"] as const;

const text = (what: string, longest: number) =>
  z
    .string(`${what} must be text`)
    .trim()
    .min(1, `${what} must not be empty`)
    .max(longest, `${what} must have at most ${longest} characters`)
    .regex(/^\P{Cc}*$/u, `${what} must not contain control characters`);

const url = z
  .string("url must be text")
  .refine(isOrigin, "url must be an http:// or https:// address without a path, query or user name")
  .transform((given) => new URL(given).origin)
  .describe("Where iyzico answers: `https://api.iyzipay.com`, or `https://sandbox-api.iyzipay.com`.");

function isOrigin(given: string): boolean {
  const parsed = URL.parse(given);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.hostname === "") return false;
  return parsed.pathname === "/" && parsed.search + parsed.hash + parsed.username + parsed.password === "";
}

const address = z.strictObject(
  {
    line1: text("defaults.address.line1", 200).describe("Street and number."),
    city: text("defaults.address.city", 80).describe("City."),
    country: text("defaults.address.country", 80).describe("Country, by its name or its ISO 3166-1 code."),
    postalCode: text("defaults.address.postalCode", 20).exactOptional().describe("Postal code."),
  },
  strictly("defaults.address"),
);

const item = z.strictObject(
  {
    name: text("defaults.item.name", 100).describe("What the buyer pays for, such as `Order`."),
    category: text("defaults.item.category", 100).describe("Its category in iyzico's reports."),
    kind: z
      .enum(["physical", "virtual"], "defaults.item.kind must be physical or virtual")
      .describe("`virtual` goods need no shipping address."),
  },
  strictly("defaults.item"),
);

const defaults = z
  .strictObject(
    {
      email: z
        .email("defaults.email must be an e-mail address")
        .exactOptional()
        .describe("The buyer's e-mail address."),
      identityNumber: z
        .string("defaults.identityNumber must be text")
        .regex(/^[A-Za-z0-9]{5,50}$/, "defaults.identityNumber must be 5 to 50 letters and digits")
        .exactOptional()
        .describe(
          "The buyer's identity number. Whether a placeholder such as `11111111111` is allowed, the contract with iyzico says.",
        ),
      ip: z
        .string("defaults.ip must be text")
        .refine((given) => isIP(given) !== 0, "defaults.ip must be an IPv4 or IPv6 address")
        .describe(
          "The address that a call names where no buyer's or operator's is known: this installation's own.",
        ),
      address: address.exactOptional().describe("The buyer's address."),
      item: item.exactOptional().describe("The one line of a basket that the merchant did not send."),
    },
    strictly("defaults"),
  )
  .describe(
    "What iyzico demands of every payment, for merchants that do not send it. A payment that lacks what is not set here is refused.",
  );

/** Everything of an account that is no secret. */
export const iyzicoSettings = z.strictObject(
  {
    url,
    locale: z
      .enum(["tr", "en"], "locale must be tr or en")
      .default("tr")
      .describe("The language of iyzico's messages."),
    defaults,
  },
  strictly("settings"),
);
export type IyzicoSettings = z.output<typeof iyzicoSettings>;

const key = (what: string) =>
  z.string(`${what} must be text`).regex(/^[!-~]{1,256}$/, `${what} must be 1 to 256 characters of ASCII`);

/** Keys from iyzico's merchant panel. */
export const iyzicoSecrets = z.strictObject(
  {
    apiKey: key("apiKey").describe("Names the merchant; the sandbox's begin with `sandbox-`."),
    secretKey: key("secretKey").describe("Signs requests, and shows that answers and returns are genuine."),
  },
  strictly("secrets"),
);
export type IyzicoSecrets = z.output<typeof iyzicoSecrets>;

/** Names a field that is not known, and never a value. */
function strictly(what: string) {
  return {
    error: (issue: { code?: string; keys?: string[] }) =>
      issue.code === "unrecognized_keys"
        ? `${what} has no field ${issue.keys?.join(", ")}`
        : `${what} must be an object`,
  };
}
