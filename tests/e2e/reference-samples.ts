// The examples of the reference, as a running product serves them, and the records that they need.
import { randomUUID } from "node:crypto";
import type { SandboxFile } from "@holdfast/sandbox";
import { preAuthorization } from "./running-sandbox.ts";

export type ReferenceSample = { language: string; operationId: string; code: string };

/** Every block of code of the reference that is an operation's, from its pages as Markdown. */
export async function readSamples({ gatewayUrl }: SandboxFile): Promise<ReferenceSample[]> {
  const read = async (name: string) => await (await fetch(`${gatewayUrl}/docs/${name}`)).text();
  const names = [...(await read("llms.txt")).matchAll(/\((reference[a-z-]*\.md)\)/g)];
  const pages = await Promise.all(names.map(async ([, name = ""]) => await read(name)));
  return [...pages.join("\n").matchAll(/^```(sh|ts|php) (\w+)\n([^]*?)^```$/gm)].map(
    ([, language = "", operationId = "", code = ""]) => ({ language, operationId, code }),
  );
}

/** Lets the first merchant's keys change its webhook endpoints, which its examples do. */
export async function allowEndpointChanges({
  operatorUrl,
  operators,
  merchants,
}: SandboxFile): Promise<void> {
  const path = `/operator/merchants/${merchants[0]!.merchantId}/webhook-management`;
  const { ok } = await fetch(operatorUrl + path, {
    method: "PUT",
    headers: { Authorization: `Bearer ${operators[0]!.token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ managedBy: "api" }),
  });
  if (!ok) throw new Error("the merchant's keys may not change its endpoints");
}

/**
 * Makes the records that an example is about, new for each of them.
 *
 * @returns the variables that it reads.
 */
export async function makeRecords(
  file: SandboxFile,
  { operationId, code }: ReferenceSample,
): Promise<Record<string, string>> {
  const order = { orderId: `order-${randomUUID()}`, amount: 12.5, currency: "TRY" };
  // An authorization is captured or cancelled, and a sale is refunded.
  const path = operationId === "requestRefund" ? "/api/payment" : "/api/pre-authorization";
  const card = preAuthorization(order);
  const shop = { successUrl: "https://shop.example/paid", failureUrl: "https://shop.example/failed" };
  const endpoint = { url: EXAMPLE_URL, headers: [{ name: "x-tenant", value: "shop-7" }] };
  const call = callerOf(file);
  const { apiKey, apiSecret } = file.merchants[0]!;
  const variables: Record<string, string> = {
    API_KEY: apiKey,
    API_SECRET: apiSecret,
    KEY: randomUUID(),
    BIN: "411111",
    FROM: "2026-11-01",
    TO: "2026-11-30",
  };
  const makers: Record<string, () => Promise<string | undefined>> = {
    PAYMENT_ID: async () => (await call("POST", path, card)).paymentId,
    CHECKOUT_ID: async () => (await call("POST", "/api/checkout", { ...order, ...shop })).checkoutId,
    PAYMENT_LINK_ID: async () =>
      (await call("POST", "/api/payment-links", { ...order, description: "An example" })).paymentLinkId,
    ENDPOINT_ID: async () => (await call("POST", "/api/webhooks", endpoint)).endpointId,
  };
  for (const [name, make] of Object.entries(makers)) {
    if (new RegExp(`\\b${name}\\b`).test(code)) variables[name] = (await make()) ?? "";
  }
  return variables;
}

/** The endpoint of the examples: a merchant has it once, and an example that changes it keeps its headers. */
const EXAMPLE_URL = "https://erp.example/holdfast";

/** Removes the endpoint that an example, or `makeRecords`, has made. */
export async function removeEndpoints(file: SandboxFile): Promise<void> {
  const call = callerOf(file);
  const { items = [] } = await call("GET", "/api/webhooks");
  for (const { endpointId, url } of items)
    if (url === EXAMPLE_URL) await call("DELETE", `/api/webhooks/${endpointId}`);
}

type Answer = {
  paymentId?: string;
  checkoutId?: string;
  paymentLinkId?: string;
  endpointId?: string;
  items?: { endpointId: string; url: string }[];
};

function callerOf({ gatewayUrl, merchants }: SandboxFile) {
  const { apiKey, apiSecret } = merchants[0]!;
  return async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(gatewayUrl + path, {
      method,
      headers: {
        "X-API-KEY": apiKey,
        "X-API-SECRET": apiSecret,
        ...(body && { "Content-Type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text || "{}") as Answer;
  };
}
