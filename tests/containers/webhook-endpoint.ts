import { readFileSync } from "node:fs";
import { startReceiver, type Receipt } from "@holdfast/merchant-receiver";
import type { Client } from "../e2e/running-sandbox.ts";
import type { ComposeSystem } from "./compose-system.ts";

/** Turns a merchant's webhooks on and receives them over HTTPS on this machine, where containers reach it. */
export async function receiveWebhooks(
  { certificates, receiverPort }: Pick<ComposeSystem, "certificates" | "receiverPort">,
  operator: Client,
  merchantId: string,
): Promise<{ receipts: Receipt[]; close(): Promise<void> }> {
  const url = `https://host.docker.internal:${receiverPort}/webhooks`;
  const { status, body, text } = await operator("PUT", `/operator/merchants/${merchantId}/webhook`, { url });
  if (status !== 201) throw new Error(`webhooks were not turned on: HTTP ${status} ${text}`);
  const receipts: Receipt[] = [];
  const receiver = await startReceiver({
    cert: readFileSync(certificates.certFile),
    key: readFileSync(certificates.keyFile),
    host: "0.0.0.0",
    port: receiverPort,
    secret: body.secret as string,
    onReceipt: (receipt) => void receipts.push(receipt),
  });
  return { receipts, close: () => receiver.close() };
}
