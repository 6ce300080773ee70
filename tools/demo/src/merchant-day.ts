/**
 * One day of a merchant, in the order in which things happen: onboarding, a checkout with 3-D Secure, a
 * pre-authorization captured in part, a refund that another operator approves. Everything goes over HTTP as it would for a
 * merchant, an operator and a buyer's browser; the webhooks arrive at a receiver of this program, which verifies them.
 */
import { readFileSync } from "node:fs";
import type { SandboxFile } from "@holdfast/sandbox";
import { startReceiver } from "@holdfast/merchant-receiver";
import { createApiClient, type ApiClient } from "./api-client.ts";
import { payAsBuyer } from "./buyer.ts";
import { createWebhookInbox } from "./webhook-inbox.ts";

type Print = (text: string) => void;

/** @throws DemoError when an answer is not what the day expects. */
export async function runMerchantDay(sandbox: SandboxFile, print: Print): Promise<void> {
  const heading = (text: string) => print(`\n== ${text} ==\n`);
  const [operator, another] = [0, 1].map((index) =>
    createApiClient(sandbox.operators[index]!.name, sandbox.operatorUrl, print, {
      Authorization: `Bearer ${sandbox.operators[index]!.token}`,
    }),
  ) as [ApiClient, ApiClient];

  heading("An operator onboards a merchant");
  const shop = (await operator.post("/operator/merchants", { name: "Bosphorus Books" }, 201)).body;
  const merchant = createApiClient("merchant", sandbox.gatewayUrl, print, {
    "X-API-KEY": String(shop["apiKey"]),
    "X-API-SECRET": String(shop["apiSecret"]),
  });
  await using inbox = await openInbox(sandbox, operator, String(shop["merchantId"]), print);

  heading("A buyer pays on the hosted page with 3-D Secure");
  await sellThroughCheckout(merchant, print);
  await inbox.next("SUCCESS");

  heading("An order is authorized and partly captured");
  const reserved = await merchant.post("/api/pre-authorization", cardPayment("order-1002", 120), 201);
  await inbox.next("SUCCESS");
  const { paymentId } = reserved.body;
  await merchant.post(`/api/payment/${String(paymentId)}/capture`, { amount: 100, currency: "TRY" }, 200);

  // Not the one who issued the merchant's credential: that person could have asked for the refund.
  heading("The buyer returns the order: another operator approves the refund");
  const refund = await merchant.post(
    `/api/payment/${String(paymentId)}/refund`,
    { amount: 40, currency: "TRY" },
    202,
  );
  const refundId = String(refund.body["paymentId"]);
  await another.get("/operator/refunds?status=PENDING_APPROVAL");
  await another.post(`/operator/refunds/${refundId}/approve`, { note: "the book is back" }, 200);
  await inbox.next("SUCCESS");
  await merchant.get(`/api/payment/${refundId}`);

  heading("A card is declined");
  await merchant.post("/api/payment", { ...cardPayment("order-1003", 15), pan: "4000000000009995" }, 201);
  await inbox.next("FAILED");
  print("\nThe day is over: every payment has the expected status, and every webhook was verified.\n");
}

/** Turns webhooks on, at a receiver that runs for the length of the day. */
async function openInbox(sandbox: SandboxFile, operator: ApiClient, merchantId: string, print: Print) {
  const inbox = createWebhookInbox(print);
  // The port has to be known before the secret is, and the receiver needs the secret.
  const path = `/operator/merchants/${merchantId}/webhook`;
  const files = {
    cert: readFileSync(sandbox.receiver.certFile),
    key: readFileSync(sandbox.receiver.keyFile),
  };
  const probe = await startReceiver({ ...files, port: 0, secret: "", onReceipt: () => {} });
  await probe.close();
  const { body } = await operator.put(path, { url: `https://localhost:${probe.port}/webhooks` }, 201);
  const receiver = await startReceiver({
    ...files,
    port: probe.port,
    secret: String(body["secret"]),
    onReceipt: inbox.take,
  });
  return { next: inbox.next, [Symbol.asyncDispose]: () => receiver.close() };
}

async function sellThroughCheckout(merchant: ApiClient, print: Print): Promise<void> {
  const { body: checkout } = await merchant.post(
    "/api/checkout",
    {
      orderId: "order-1001",
      amount: 249.9,
      currency: "TRY",
      installmentOptions: [1, 3, 6],
      successUrl: "https://shop.example/paid",
      failureUrl: "https://shop.example/failed",
    },
    201,
  );
  await payAsBuyer(String(checkout["checkoutUrl"]), CHALLENGED_CARD, print);
  await merchant.get(`/api/checkout/${String(checkout["checkoutId"])}`);
}

/** A test card whose bank wants a challenge (see the simulator's README). */
const CHALLENGED_CARD = "4000000000003220";

function cardPayment(orderId: string, amount: number) {
  return {
    orderId,
    amount,
    currency: "TRY",
    cardHolderName: "Ada Lovelace",
    pan: "4111111111111111",
    expiryMonth: "12",
    expiryYear: String((new Date().getUTCFullYear() + 2) % 100).padStart(2, "0"),
    cvv: "123",
    requestIp: "203.0.113.7",
    requestPort: 443,
  };
}
