/**
 * The gateway's point of comparison: the least code that does the same durable work. One process, express and pg: a
 * commit before the acquirer call and one after it, the same acquirer call over kept-alive connections. With
 * WEBHOOK_URL it also signs the payment's webhook, delivers it over HTTPS after the answer, and records it. No bus, no
 * second process, no sign-in, no validation, no recovery.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { orderIdOf } from "@holdfast/acquirer";
import { createSimulatorAcquirer } from "@holdfast/banks";
import express from "express";
import { Pool } from "pg";
import { createBareWebhooks } from "./bare-webhooks.ts";

const { BARE_DATABASE_URL = "", ACQUIRER_URL = "", WEBHOOK_URL = "" } = process.env;

const pool = new Pool({ connectionString: BARE_DATABASE_URL, max: 20 });
await pool.query(
  "create table if not exists bare_payment (payment_id uuid primary key, body jsonb not null, status text not null, result jsonb)",
);
const acquirer = createSimulatorAcquirer({ url: ACQUIRER_URL, connectTimeoutMs: 2_000, connectionsMax: 256 });

const webhooks = WEBHOOK_URL ? await createBareWebhooks({ pool, url: WEBHOOK_URL }) : undefined;

const app = express();
app.use(express.json());
app.post("/api/pre-authorization", async (request, response) => {
  const { pan, cvv, expiryMonth, expiryYear, ...kept } = request.body;
  const paymentId = randomUUID();
  await pool.query({
    name: "claim",
    text: "insert into bare_payment (payment_id, body, status) values ($1, $2, 'PENDING')",
    values: [paymentId, kept],
  });
  const outcome = await acquirer.authorize({
    reference: paymentId,
    orderId: orderIdOf(paymentId),
    expiresAt: new Date(Date.now() + 15_000),
    amountMinor: BigInt(Math.round(kept.amount * 100)),
    currency: kept.currency,
    card: { pan, cvv, expiryMonth, expiryYear },
    cardHolderName: kept.cardHolderName,
    installmentCount: 1,
  });
  const status = outcome.kind === "approved" ? "SUCCESS" : "FAILED";
  const { authCode } = outcome.kind === "approved" ? outcome : { authCode: null };
  await pool.query({
    name: "record",
    text: "update bare_payment set status = $2, result = $3 where payment_id = $1",
    values: [paymentId, status, { authCode }],
  });
  const payment = { paymentId, ...kept, status, authCode };
  response.status(201).json(payment);
  webhooks?.send(payment);
});

const server = createServer(app).listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.once("SIGTERM", () => process.exit(0));
