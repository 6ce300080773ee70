import { z } from "zod";
import { isSafeWebUrl } from "./plaintext.ts";

const FORM =
  "must be file:/PATH or file:/PATH,/PATH, pkcs11:token=NAME;id=%01?module-path=/PATH&pin-source=file:/PATH, or https://HOST/KEY";

/** Settings of every program that opens wrapped rings. */
export const keyProviderSettings = {
  KEY_PROVIDER: z
    .string({ error: FORM })
    .regex(/^(file:\/[^,]+(,\/[^,]+)?|pkcs11:.+|https?:\/\/[^@?#]+)$/, { error: FORM })
    .refine((value) => !value.startsWith("http:") || isSafeWebUrl(value), { error: "must be https://" })
    .optional()
    .describe(
      "The holder of the key-encrypting key, for key rings that are given wrapped: one or two files, a PKCS #11 device, or a key management service. It is used at the start only ([keys.md](keys.md#wrapped-rings)).",
    ),
  KEY_PROVIDER_TOKEN_FILE: z
    .string()
    .optional()
    .describe("File of the bearer token for a `KEY_PROVIDER` over HTTP."),
  KEY_PROVIDER_CA_FILE: z
    .string()
    .optional()
    .describe(
      "PEM file of the authority of a `KEY_PROVIDER` over HTTP, where it is none of the public ones.",
    ),
};

export type KeyProviderConfig = z.output<z.ZodObject<typeof keyProviderSettings>>;
