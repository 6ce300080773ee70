import type { AskOperatorApi } from "./operator-client.ts";
import type { Merchant, SecretsFile } from "./secrets.ts";

/**
 * The merchant of this home, onboarded through the operator API at the first start. Its secret is shown only then, so
 * it is kept with the other secrets.
 */
export async function seedDemoMerchant(secrets: SecretsFile, ask: AskOperatorApi): Promise<Merchant> {
  const kept = secrets.read().demoMerchant;
  if (kept) return kept;
  const merchant = await onboard(ask, "Demo Shop");
  secrets.update({ demoMerchant: merchant });
  return merchant;
}

export async function onboard(ask: AskOperatorApi, shop: string): Promise<Merchant> {
  const { merchantId, name, apiKey, apiSecret } = await ask<Merchant>("POST", "/operator/merchants", {
    body: { name: shop, commission: { ratePercent: "2.50", fixed: "0.25", currency: "TRY" } },
    expected: 201,
    purpose: `the merchant ${shop} could not be created`,
  });
  return { merchantId, name, apiKey, apiSecret };
}
