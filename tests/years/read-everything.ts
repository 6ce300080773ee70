import { openApiJson, type DocumentedListener } from "@holdfast/contracts/openapi";
import type { Lived } from "./live.ts";
import type { YearsSystem } from "./years-system.ts";
import { TEST_ACCOUNT_ID } from "../support/index.ts";

/**
 * Calls each GET of both APIs, by their documents, without parameters and with each of them, so that new ones
 * are read, too.
 */
export async function readEverything(system: YearsSystem, lived: Lived): Promise<void> {
  const token = `Bearer ${await system.identity.token()}`;
  const shop = await openShop(system, token);
  const [filled] = await system.query<Record<string, string>>(FILLED);
  const values = { ...lived, ...filled, ...FIXED, q: filled!["orderId"]! };
  for (const [document, port, headers] of [
    ["merchant", system.merchantApi.port, shop],
    ["operator", system.operatorApi.port, { Authorization: token }],
  ] as const) {
    for (const path of pathsOf(document, values)) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      const text = await answer.text();
      // A query without an index is refused with 400 (docs/adr/0028); another merchant's record is not found.
      if (![200, 400, 404].includes(answer.status)) throw new Error(`${path}: ${answer.status} ${text}`);
    }
  }
}

/** A merchant who may read, with most of the payments. */
async function openShop(system: YearsSystem, Authorization: string): Promise<Record<string, string>> {
  const answer = await fetch(`http://127.0.0.1:${system.operatorApi.port}/operator/merchants`, {
    method: "POST",
    headers: { Authorization, "content-type": "application/json" },
    body: JSON.stringify({ name: "Years" }),
  });
  const { merchantId, apiKey, apiSecret } = (await answer.json()) as Record<string, string>;
  await system.query(
    `with large as (select merchant_id from payments.payment group by 1 order by count(*) desc limit 1)
     update gateway.credential set merchant_id = large.merchant_id from large where credential.merchant_id = $1
       and exists (select from gateway.merchant where merchant.merchant_id = large.merchant_id)`,
    [merchantId],
  );
  return { "X-API-KEY": apiKey!, "X-API-SECRET": apiSecret! };
}

const FILLED = `
  select merchant_id as "merchantId", order_id as "orderId", customer_id as "customerId", right(masked_pan, 4) as last4,
    external_transaction_id as "externalTransactionId", auth_code as "authCode"
  from payments.payment order by created_at limit 1`;

const FIXED: Record<string, string> = {
  actor: "nobody",
  action: "nothing.done",
  subject: "nothing",
  service: "payments",
  bin: "411111",
  class: "LATE",
  state: "CLOSED",
  currency: "TRY",
  amountFrom: "10",
  amountTo: "20",
  transactionType: "REFUND",
  unresolved: "true",
  accountId: TEST_ACCOUNT_ID,
  from: new Date(Date.now() - 20 * 86_400_000).toISOString(),
  to: new Date().toISOString(),
};

type Parameter = { in: string; name: string };

function pathsOf(name: DocumentedListener, values: Record<string, string>): string[] {
  const { paths } = JSON.parse(openApiJson(name)) as {
    paths: Record<string, { get?: { parameters?: Parameter[] } }>;
  };
  return Object.entries(paths).flatMap(([template, { get }]) => {
    if (!get) return [];
    const path = template.replaceAll(/\{(\w+)\}/g, (_, id: string) => values[id] ?? "none");
    const days = `from=${values["from"]!.slice(0, 10)}&to=${values["to"]!.slice(0, 10)}`;
    const range = template.endsWith("/statements") ? days : "";
    const filters = (get.parameters ?? [])
      .filter((parameter) => parameter.in === "query" && values[parameter.name] !== undefined && !range)
      .map((parameter) => `${parameter.name}=${encodeURIComponent(values[parameter.name]!)}`);
    return ["", ...filters].map((filter) => `${path}?${[filter, range].filter(Boolean).join("&")}`);
  });
}
