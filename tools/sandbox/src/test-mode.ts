// Test mode of the demo merchant: an account that no live payment reaches, and a key whose payments go there alone.
import { keepAccount, simulatorAccount, type Seeders } from "./keep-account.ts";
import type { SecretsFile } from "./secrets.ts";

/** A test key, as it was given once. */
export type TestKey = { apiKey: string; apiSecret: string };

/** Test mode in `sandbox.json`. Here one simulator plays the banks of both modes. */
export type SandboxTestMode = TestKey & { accountId: string; merchantId: string };

/** Makes what is missing: the installation's default account of test mode, and the merchant's test key. */
export async function seedTestMode(
  secrets: SecretsFile,
  seeders: Seeders,
  { merchantId, acquirerUrl }: { merchantId: string; acquirerUrl: string },
): Promise<SandboxTestMode> {
  const accountId = await keepAccount(seeders, {
    ...simulatorAccount(acquirerUrl),
    name: "Test mode",
    livemode: false,
  });
  const key = secrets.read().demoTestKey ?? (await issueTestKey(seeders, merchantId));
  secrets.update({ demoTestKey: key });
  return { merchantId, accountId, ...key };
}

async function issueTestKey({ first }: Seeders, merchantId: string): Promise<TestKey> {
  const { apiKey, apiSecret } = await first<TestKey>(
    "POST",
    `/operator/merchants/${merchantId}/credentials`,
    {
      body: { livemode: false },
      expected: 201,
      purpose: "the demo merchant got no test key",
    },
  );
  return { apiKey, apiSecret };
}
