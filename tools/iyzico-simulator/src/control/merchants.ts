import { z } from "zod";

/** A merchant of iyzico and its keys. */
export type Merchant = z.output<typeof merchantSchema>;

// A part of the text of the authorization header may not contain its separators.
const key = z.string().regex(/^[A-Za-z0-9_-]{4,100}$/, "must have 4 to 100 letters, digits, - and _");

const merchantSchema = z.strictObject({
  apiKey: key,
  secretKey: key,
  merchantId: z.string().regex(/^[1-9]\d{0,14}$/, "must be a number of at most 15 digits, as text"),
  webhookUrl: z.url({ protocol: /^https?$/ }).optional(),
});

/**
 * Takes the body of `PUT /webhooks`: the new address for a merchant's webhooks, none without a `url`.
 * @returns false where the body is invalid, or there is no such merchant.
 */
export function changeWebhookUrl(merchants: readonly Merchant[], body: unknown): boolean {
  const parsed = webhookBody.safeParse(body);
  const merchant = merchants.find(({ merchantId }) => merchantId === parsed.data?.merchantId);
  if (merchant) merchant.webhookUrl = parsed.data!.url;
  return merchant !== undefined;
}

const webhookBody = z.strictObject({
  merchantId: z.string(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional(),
});

/** A list of merchants in JSON, each with keys and an id of its own. The fault never quotes a key. */
export const merchantsSetting = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "must be a JSON list of merchants" });
      return z.NEVER;
    }
  })
  .pipe(
    z
      .array(merchantSchema)
      .min(1)
      .max(100)
      .refine((merchants) => isUnique(merchants.map(({ apiKey }) => apiKey)), "has an apiKey twice")
      .refine(
        (merchants) => isUnique(merchants.map(({ merchantId }) => merchantId)),
        "has a merchantId twice",
      ),
  );

/** The keys of the protocol document's vectors. */
export const defaultMerchants: Merchant[] = [
  { apiKey: "sandbox-apikey", secretKey: "sandbox-secret", merchantId: "1000001" },
];

function isUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
