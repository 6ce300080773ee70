/**
 * One day of a merchant, in the order in which things happen: onboarding, a checkout with 3-D Secure, a
 * pre-authorization captured in part, a refund that another operator approves. Everything goes over HTTP as it would for a
 * merchant, an operator and a buyer's browser; the webhooks arrive at a receiver of this program, which verifies them.
 */
import { readFileSync } from "node:fs";
import type { Holdfast } from "@holdfast/client";
import type { SandboxFile } from "@holdfast/sandbox";
import { startReceiver, describeReceipt, type Receipt } from "@holdfast/merchant-receiver";
import { payAsBuyer } from "./buyer.ts";
import { cardPayment } from "./card-payment.ts";
import { createMerchant, expectOutcome } from "./merchant.ts";
import { DemoError } from "./demo-error.ts";
import { printExchange } from "./print-exchange.ts";

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
  const credentials = { apiKey: String(shop["apiKey"]), apiSecret: String(shop["apiSecret"]) };
  const merchant = createMerchant({ gatewayUrl: sandbox.gatewayUrl, ...credentials }, print);
  await using inbox = await openInbox(sandbox, operator, String(shop["merchantId"]), print);

  heading("A buyer pays on the hosted page with 3-D Secure");
  await sellThroughCheckout(merchant, print);
  await inbox.next("SUCCESS");

  heading("An order is authorized and partly captured");
  const reserved = expectOutcome(
    await merchant.payments.authorize(cardPayment("order-1002", "120.00")),
    "done",
  );
  await inbox.next("SUCCESS");
  const { paymentId } = reserved.payment;
  expectOutcome(await merchant.payments.capture(paymentId, { amount: "100.00", currency: "TRY" }), "done");

  // Another operator than the issuer of the merchant's credential, who could have asked for the refund.
  heading("The buyer returns the order: another operator approves the refund");
  const order = { amount: "40.00", currency: "TRY" };
  const { refund } = expectOutcome(await merchant.refunds.request(paymentId, order), "done");
  await another.get("/operator/refunds?status=PENDING_APPROVAL");
  await another.post(`/operator/refunds/${refund.paymentId}/approve`, { note: "the book is back" }, 200);
  await inbox.next("SUCCESS");
  await merchant.payments.waitForOutcome(refund.paymentId);

  heading("A card is declined");
  const poor = { ...cardPayment("order-1003", "15.00"), pan: "4000000000009995" };
  expectOutcome(await merchant.payments.create(poor), "declined");
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

async function sellThroughCheckout(merchant: Holdfast, print: Print): Promise<void> {
  const created = await merchant.checkouts.create({
    orderId: "order-1001",
    amount: "249.90",
    currency: "TRY",
    installmentOptions: [1, 3, 6],
    successUrl: "https://shop.example/paid",
    failureUrl: "https://shop.example/failed",
  });
  const { checkout } = expectOutcome(created, "done");
  await payAsBuyer(checkout.checkoutUrl, CHALLENGED_CARD, print);
  await merchant.checkouts.get(checkout.checkoutId);
}

/** A test card whose bank wants a challenge (see the simulator's README). */
const CHALLENGED_CARD = "4000000000003220";

/** One caller of the operator API, which prints what it sends and is answered. */
type ApiClient = {
  get(path: string): Promise<ApiAnswer>;
  post(path: string, body: object, status: number): Promise<ApiAnswer>;
  put(path: string, body: object, status: number): Promise<ApiAnswer>;
};

type ApiAnswer = { status: number; body: Record<string, unknown> };

function createApiClient(
  who: string,
  baseUrl: string,
  print: (text: string) => void,
  credentials: Record<string, string>,
): ApiClient {
  const call = async (method: string, path: string, expected: number, body?: object): Promise<ApiAnswer> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...credentials, ...(body !== undefined && { "Content-Type": "application/json" }) },
      signal: AbortSignal.timeout(30_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    printExchange(print, { who, method, path, body, status: response.status, answer });
    if (response.status !== expected)
      throw new DemoError(`${method} ${path} was to be answered with ${expected}`);
    return { status: response.status, body: answer };
  };
  return {
    get: (path) => call("GET", path, 200),
    post: (path, body, status) => call("POST", path, status, body),
    put: (path, body, status) => call("PUT", path, status, body),
  };
}

/** Webhooks as they arrive, printed, and waited for one after another. */
type WebhookInbox = {
  take: (receipt: Receipt) => void;
  /** @throws DemoError if none comes, or another one. */
  next: (status: string) => Promise<void>;
};

function createWebhookInbox(print: (text: string) => void): WebhookInbox {
  const arrived: string[] = [];
  let onArrival = () => {};
  return {
    take: (receipt) => {
      print(`\nwebhook <- ${describeReceipt(receipt, new Date())}`);
      if (!receipt.verdict.valid || receipt.repeated) return;
      arrived.push((JSON.parse(Buffer.from(receipt.received.body).toString()) as { status: string }).status);
      onArrival();
    },
    next: async (status) => {
      const late = AbortSignal.timeout(WAIT_MS);
      while (arrived.length === 0) {
        if (late.aborted) throw new DemoError(`no webhook came within ${WAIT_MS} ms`);
        await new Promise<void>((resolve) => {
          onArrival = resolve;
          late.addEventListener("abort", () => resolve(), { once: true });
        });
      }
      const came = arrived.shift();
      if (came !== status) throw new DemoError(`a webhook said ${came} and should have said ${status}`);
    },
  };
}

const WAIT_MS = 20_000;
