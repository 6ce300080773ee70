import { randomUUID } from "node:crypto";

import { z } from "zod";

import { parse, type NotificationControl } from "../../core/index.ts";
import type { IyzicoOffice } from "./calls/call.ts";
import type { Merchant, SimulatorConfig } from "./config.ts";
import { webhookSignature, wrongSignature } from "./wire/signature.ts";

/** A step of a payment about which the merchant is notified. */
export type Notice = {
  iyziEventType: "API_AUTH" | "THREE_DS_AUTH" | "THREE_DS_CALLBACK";
  paymentId: string;
  paymentConversationId: string;
  status: "SUCCESS" | "FAILURE" | "CALLBACK_THREEDS";
};

/** The new address for a merchant's webhooks; none without a `url`. */
const targetBody = z.strictObject({
  merchantId: z.string(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional(),
});

/**
 * Sends webhooks to the merchants' URLs, three tries at most (iyzico protocol, idempotency, time-outs, limits).
 * Undeliverable ones are dropped, as webhooks are hints.
 */
export class Webhooks implements NotificationControl<z.output<typeof targetBody>> {
  readonly #merchants: Merchant[];
  readonly #office: IyzicoOffice;
  readonly #config: Pick<SimulatorConfig, "webhookDelayMs" | "webhookRetryMs">;

  /** @param merchants the merchants, whose URLs may change. */
  constructor(
    merchants: Merchant[],
    office: IyzicoOffice,
    config: Pick<SimulatorConfig, "webhookDelayMs" | "webhookRetryMs">,
  ) {
    this.#merchants = merchants;
    this.#office = office;
    this.#config = config;
  }

  parse(body: unknown) {
    const isKnown = (id: string) => this.#merchants.some(({ merchantId }) => merchantId === id);
    return parse(
      targetBody.refine(({ merchantId }) => isKnown(merchantId), { path: ["merchantId"] }),
      body,
    );
  }

  /** Sends a merchant's further webhooks to this address; undefined sends none to anyone. */
  sendTo(target: z.output<typeof targetBody> | undefined): void {
    for (const merchant of this.#merchants) {
      if (!target || merchant.merchantId === target.merchantId) merchant.webhookUrl = target?.url;
    }
  }

  send({ webhookUrl, merchantId, secretKey }: Merchant, notice: Notice): void {
    const { modes, latenessMs, notifier, bank } = this.#office;
    if (webhookUrl === undefined || modes.webhooks === "off") return;
    const { iyziEventType, paymentId, paymentConversationId, status } = notice;
    const right = webhookSignature(secretKey, [iyziEventType, paymentId, paymentConversationId, status]);
    const signature = modes.webhooks === "wrong_signature" ? wrongSignature(right) : right;
    const body = {
      ...notice,
      iyziReferenceCode: randomUUID(),
      iyziEventTime: bank.clock.now(),
      merchantId: Number(merchantId),
      paymentId: Number(paymentId),
      iyziPaymentId: Number(paymentId),
    };
    const notification = {
      url: webhookUrl,
      headers: { "content-type": "application/json", "x-iyz-signature-v3": signature },
      body: JSON.stringify(body),
      delayMs: this.#config.webhookDelayMs + (modes.webhooks === "late" ? latenessMs : 0),
      retryMs: this.#config.webhookRetryMs,
      triesMax: 3,
    };
    for (let copy = 0; copy < (modes.webhooks === "twice" ? 2 : 1); copy += 1) notifier.send(notification);
  }
}
