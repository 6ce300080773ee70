import type { Operator } from "./operators.ts";
import type { Merchant, SecretsFile } from "./secrets.ts";

/**
 * The merchant of this home, onboarded through the operator API at the first start. Its secret is shown only then, so
 * it is kept with the other secrets.
 */
export async function seedDemoMerchant(
  secrets: SecretsFile,
  operatorUrl: string,
  { token }: Operator,
): Promise<Merchant> {
  const kept = secrets.read().demoMerchant;
  if (kept) return kept;
  const merchant = await onboard(operatorUrl, token);
  secrets.update({ demoMerchant: merchant });
  return merchant;
}

async function onboard(operatorUrl: string, token: string): Promise<Merchant> {
  const response = await fetch(`${operatorUrl}/operator/merchants`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      name: "Demo Shop",
      commission: { ratePercent: "2.50", fixed: "0.25", currency: "TRY" },
    }),
    signal: AbortSignal.timeout(60_000),
  });
  if (response.status !== 201) {
    throw new Error(
      `the demo merchant could not be created: HTTP ${response.status} ${await response.text()}`,
    );
  }
  const { merchantId, name, apiKey, apiSecret } = (await response.json()) as Merchant;
  return { merchantId, name, apiKey, apiSecret };
}
