import { setTimeout as sleep } from "node:timers/promises";

import { webhookSignature, wrongSignature } from "../wire/signature.ts";
import type { Merchant } from "./merchants.ts";
import type { Modes } from "./modes.ts";

export type WebhookEvent = {
  iyziEventType: "API_AUTH" | "THREE_DS_AUTH" | "THREE_DS_CALLBACK";
  paymentId: string;
  paymentConversationId: string;
  status: "SUCCESS" | "FAILURE" | "CALLBACK_THREEDS";
  iyziReferenceCode: string;
  /** Epoch milliseconds. */
  iyziEventTime: number;
};

export type WebhookOptions = {
  /** The time from the event to the first try. */
  delayMs: number;
  /** The time between two tries. */
  retryMs: number;
  /** The addition to the delay where webhooks are late. */
  latenessMs: number;
  modes: Readonly<Modes>;
  stopping: AbortSignal;
};

/**
 * Sends webhooks to the merchants' URLs: three tries at most, each answered within ten seconds with a 2xx (iyzico
 * protocol, idempotency, time-outs, limits). They are in memory only and end with the process.
 */
export class Webhooks {
  readonly #options: WebhookOptions;
  #pending = 0;
  #trying = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** Sends one in the background, or two; undeliverable ones are dropped, as webhooks are hints. */
  send({ webhookUrl, merchantId, secretKey }: Merchant, event: WebhookEvent): void {
    const { webhooks } = this.#options.modes;
    if (webhookUrl === undefined || webhooks === "off") return;
    const right = webhookSignature(secretKey, event);
    const message = {
      url: webhookUrl,
      signature: webhooks === "wrong_signature" ? wrongSignature(right) : right,
      body: JSON.stringify({
        ...event,
        merchantId: Number(merchantId),
        paymentId: Number(event.paymentId),
        iyziPaymentId: Number(event.paymentId),
      }),
      delayMs: this.#options.delayMs + (webhooks === "late" ? this.#options.latenessMs : 0),
    };
    for (let copy = 0; copy < (webhooks === "twice" ? 2 : 1); copy += 1) {
      if (this.#pending >= PENDING_MAX) return;
      this.#pending += 1;
      // The only failure that ends it early is the simulator's own end.
      void this.#deliver(message)
        .catch(() => undefined)
        .finally(() => (this.#pending -= 1));
    }
  }

  async #deliver(message: Message): Promise<void> {
    const { retryMs, stopping } = this.#options;
    await sleep(message.delayMs, undefined, { signal: stopping });
    for (let tries = 1; !(await this.#try(message)) && tries < TRIES_MAX; tries += 1) {
      await sleep(retryMs, undefined, { signal: stopping });
    }
  }

  async #try({ url, signature, body }: Message): Promise<boolean> {
    if (this.#trying >= TRYING_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#trying += 1;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", "x-iyz-signature-v3": signature },
        body,
        redirect: "manual",
        signal: AbortSignal.any([this.#options.stopping, AbortSignal.timeout(TRY_MS)]),
      });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    } finally {
      this.#trying -= 1;
      this.#waiting.shift()?.();
    }
  }
}

type Message = { url: string; signature: string; body: string; delayMs: number };

const TRIES_MAX = 3;
const TRY_MS = 10_000;
/** Connections to merchants at the same time. */
const TRYING_MAX = 32;
/** Far more than any test has under way, and a bound where no receiver listens. */
const PENDING_MAX = 10_000;
