import { describeReceipt, type Receipt } from "@holdfast/merchant-receiver";
import { DemoError } from "./demo-error.ts";

/** Webhooks as they arrive, printed, and waited for one after the other. */
export type WebhookInbox = {
  take: (receipt: Receipt) => void;
  /** @throws DemoError when none comes, or another one. */
  next: (status: string) => Promise<void>;
};

export function createWebhookInbox(print: (text: string) => void): WebhookInbox {
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
