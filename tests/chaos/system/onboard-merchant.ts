import type { LedgerReceiver } from "../../support/index.ts";
import type { OperatorClient } from "../client/operator-client.ts";

export type Merchant = { merchantId: string; apiKey: string; apiSecret: string };

/** A merchant with its webhooks' receiver. */
export type Shop = {
  merchant: Merchant;
  receiver: LedgerReceiver;
  /** Path at the receiver for this merchant's webhooks. */
  path: string;
  /** Every webhook secret the merchant was given, oldest first. */
  secrets: string[];
};

/** Onboards a merchant as an operator does. */
export async function onboardMerchant(
  operator: OperatorClient,
  { name, receiver }: { name: string; receiver: LedgerReceiver },
): Promise<Shop> {
  const created = await operator.change({
    action: "merchant.created",
    method: "POST",
    path: "/operator/merchants",
    body: { name },
    subjectIn: "merchantId",
  });
  const { merchantId, apiKey, apiSecret } = created.body as Merchant;
  if (created.status !== 201) throw new Error(`the merchant was refused: ${JSON.stringify(created)}`);
  const path = `/webhooks/${name}`;
  const turnedOn = await operator.change({
    action: "webhook.turned_on",
    method: "PUT",
    path: `/operator/merchants/${merchantId}/webhook`,
    body: { url: new URL(path, receiver.url).href },
    subject: merchantId,
  });
  const { secret } = turnedOn.body as { secret?: string };
  if (secret === undefined) throw new Error(`webhooks were refused: ${JSON.stringify(turnedOn)}`);
  return { merchant: { merchantId, apiKey, apiSecret }, receiver, path, secrets: [secret] };
}
