import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { inScript } from "./encodings.ts";
import { preAuthorization } from "./running-sandbox.ts";

/** A request with a card number where it does not belong. */
export type MisplacedCard = {
  listener: "merchant" | "operator";
  method: "POST" | "PUT" | "PATCH";
  path: string;
  body: unknown;
  headers?: Record<string, string>;
  /** The one field at fault. */
  field: string;
};

/** Every field from which a card number was once stored, in several spellings. */
export function misplacedCards(pan: string): MisplacedCard[] {
  const spaced = pan.replaceAll(/(.{4})(?=.)/g, "$1 ");
  const fullWidth = inScript(pan, "０");
  const arabic = inScript(pan, "٠");
  const card = preAuthorization({ pan });
  const checkout = {
    orderId: "order-1",
    amount: 12.5,
    currency: "TRY",
    successUrl: "https://shop.example/paid",
    failureUrl: "https://shop.example/failed",
  };
  const id = randomUUID();
  const merchant = (path: string, field: string, body: unknown, headers?: Record<string, string>) =>
    ({ listener: "merchant", method: "POST", path, field, body, ...(headers && { headers }) }) as const;
  const operator = (method: "POST" | "PUT" | "PATCH", path: string, field: string, text: string, more = {}) =>
    ({ listener: "operator", method, path, field, body: { ...more, [field]: text } }) as const;
  return [
    merchant("/api/pre-authorization", "orderId", { ...card, orderId: fullWidth }),
    merchant("/api/pre-authorization", "cardHolderName", { ...card, cardHolderName: arabic }),
    merchant("/api/payment", "customerId", {
      ...card,
      customerId: pan.replaceAll(/(.{4})(?=.)/g, "$1\u200b"),
    }),
    merchant("/api/payment", "loyaltyCode", { ...card, loyaltyCode: pan }),
    merchant("/api/pre-authorization", "Idempotency-Key", card, { "Idempotency-Key": `pay-${pan}` }),
    merchant("/api/checkout", "orderId", { ...checkout, orderId: `order ${spaced}` }),
    merchant("/api/checkout", "customerId", { ...checkout, customerId: pan }),
    merchant("/api/checkout", "successUrl", { ...checkout, successUrl: `https://shop.example/?c=${pan}` }),
    merchant("/api/checkout", "failureUrl", {
      ...checkout,
      failureUrl: `https://shop.example/?c=${encodeURIComponent(fullWidth)}`,
    }),
    merchant(`/api/payment/${id}/cancel`, "reason", { reason: `card ${pan} cvv 123` }),
    operator("POST", "/operator/merchants", "name", `Shop ${spaced}`),
    operator("PATCH", `/operator/merchants/${id}`, "name", arabic),
    operator("PUT", `/operator/merchants/${id}/webhook`, "url", `https://shop.example/${pan}`),
    operator("POST", `/operator/payments/${id}/refunds`, "reason", `card ${fullWidth}`, {
      amount: 1,
      currency: "TRY",
    }),
    operator("POST", `/operator/payments/${id}/resolve`, "evidence", spaced, { outcome: "SUCCESS" }),
    operator("POST", `/operator/refunds/${id}/approve`, "note", pan),
    operator("POST", `/operator/refunds/${id}/reject`, "reason", `${pan.slice(0, 8)}.${pan.slice(8)}`),
    operator("POST", `/operator/refunds/${id}/resolve`, "evidence", arabic, { outcome: "SUCCESS" }),
  ];
}

/** Every row of every table of ours as text, by the table's name; binary columns in hex. */
export async function storedRows(databaseUrl: string): Promise<{ table: string; row: string }[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const found: { table: string; row: string }[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`select stored::text as row from ${name} stored`);
      found.push(...rows.map(({ row }) => ({ table: name, row })));
    }
    return found;
  } finally {
    await client.end();
  }
}
