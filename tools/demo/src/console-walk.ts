import { randomUUID } from "node:crypto";
import { Holdfast } from "@holdfast/client";
import type { SandboxFile } from "@holdfast/sandbox";
import { cardPayment } from "./card-payment.ts";
import { DemoError } from "./demo-error.ts";
import { expectOutcome } from "./merchant.ts";

/**
 * Makes a payment and a refund that waits, and prints who clicks what in the console until the money is back. It opens no
 * browser.
 */
export async function printConsoleWalk(sandbox: SandboxFile, print: (text: string) => void): Promise<void> {
  const shop = sandbox.merchants[0];
  if (!shop) throw new DemoError("the sandbox has no merchant");
  const { apiKey, apiSecret } = shop;
  const merchant = new Holdfast({ baseUrl: sandbox.gatewayUrl, apiKey, apiSecret });
  const orderId = `walk-${randomUUID().slice(0, 8)}`;
  const sale = expectOutcome(await merchant.payments.create(cardPayment(orderId, "40.00")), "done");
  const { paymentId } = sale.payment;
  const amount = { amount: "15.00", currency: "TRY" };
  const { refund } = expectOutcome(await merchant.refunds.request(paymentId, amount), "done");
  print(walkOf(sandbox, { shop, orderId, paymentId, refundId: refund.paymentId }));
}

type Made = {
  shop: SandboxFile["merchants"][number];
  orderId: string;
  paymentId: string;
  refundId: string;
};

function walkOf({ consoleUrl }: SandboxFile, { shop, orderId, paymentId, refundId }: Made): string {
  return `
${shop.name} has sold order ${orderId} for TRY 40.00, and now requests a refund of TRY 15.00.

Open the console in a browser, and a second person's in a private window:

   ${consoleUrl}

 1. alice  signs in with one click and sees on the overview that a refund waits.
 2. alice  types ${orderId} into "Search" and presses Enter: the payment and its refund.
 3. alice  opens the payment: its whole history, what she can do, and why she cannot do the rest.
           ${consoleUrl}/payments/${paymentId}
 4. alice  writes 2.50 and a reason, and clicks "Refund". On that refund's page there is no "Approve" for her:
           she has requested it.
 5. bora   signs in in the other window, opens "Refunds", and clicks "Approve" beside alice's refund.
 6. bora   opens the merchant's refund, writes a reason and clicks "Reject", or "Approve".
           ${consoleUrl}/refunds/${refundId}
 7. omer   opens "Merchants", and ${shop.name}: keys, plan, routes, webhooks. "New merchant" creates another one, whose
           secret is shown once.
           ${consoleUrl}/merchants/${shop.merchantId}
 8. alice  opens "Deliveries" and a webhook: each attempt, "Redeliver", and why a signature may be wrong.
           ${consoleUrl}/deliveries?merchantId=${shop.merchantId}
 9. alice  opens "Settlement": the differences between the banks' files and our records, until they are closed.
           "Upload file" takes a bank's file. The file's page shows what it comes to; "Confirm file" lets it count.
10. vera   opens "Audit": who did what, including all of the above.
           ${consoleUrl}/audit
11. mina   is an owner at the shop: "Keys and webhooks", "Payment links" with a QR code, "Statements", and the payment.
           selim, of the shop's support, sees the same, and cannot change anything.

docs/console.md explains each page.
`;
}
