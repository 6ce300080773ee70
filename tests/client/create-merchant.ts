import type { TestSystem } from "../support/index.ts";

/** A merchant's credentials, created as an operator does it. This starts the system's operator listener. */
export async function createMerchant(system: TestSystem): Promise<{ apiKey: string; apiSecret: string }> {
  const { port } = await system.start("gateway-operator");
  const created = await fetch(`http://127.0.0.1:${port}/operator/merchants`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${await system.identity.token()}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ name: "Bosphorus Books" }),
  });
  if (created.status !== 201) throw new Error(`the merchant was refused: ${await created.text()}`);
  return (await created.json()) as { apiKey: string; apiSecret: string };
}
