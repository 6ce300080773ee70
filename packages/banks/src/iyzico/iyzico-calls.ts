import { randomUUID } from "node:crypto";

import type { AcquirerCard, NotSent } from "@holdfast/acquirer";
import type { BoundedHttpClient } from "../bounded-http-client.ts";
import { classifyFailure } from "./classify-failure.ts";
import type { IyzicoSecrets } from "./iyzico-settings.ts";
import { readDetails, type OrderDetails } from "./read-details.ts";
import { INVALID_ANSWER, readEnvelope, type Envelope } from "./read-envelope.ts";
import type { IyzicoRequest } from "./requests.ts";
import { signedHeaders } from "./signatures.ts";

/** The two calls over the network: one signed request, and the inquiry about an order. */
export class IyzicoCalls {
  readonly #client: BoundedHttpClient;
  readonly #secrets: IyzicoSecrets;

  constructor(client: BoundedHttpClient, secrets: IyzicoSecrets) {
    this.#client = client;
    this.#secrets = secrets;
  }

  /** @param card of the request, which the answer must not repeat. */
  async post({ path, body }: IyzicoRequest, until: Date, card?: AcquirerCard): Promise<Envelope> {
    const headers = signedHeaders(this.#secrets, { random: randomUUID(), path, body });
    const exchange = await this.#client.exchangeBytes({ method: "POST", path, body, headers }, until);
    return readEnvelope(exchange, {
      ...(card && { pan: card.pan, cvv: card.cvv }),
      keys: [this.#secrets.apiKey, this.#secrets.secretKey],
    });
  }

  /** All payments of an order. No failure proves that there are none, so each of them is unknown. */
  async details(orderId: string, until: Date): Promise<OrderDetails | NotSent> {
    const path = "/v2/reporting/payment/details";
    const headers = signedHeaders(this.#secrets, { random: randomUUID(), path, body: "" });
    const query = new URLSearchParams({ paymentConversationId: orderId });
    const exchange = await this.#client.exchangeBytes(
      { method: "GET", path: `${path}?${query.toString()}`, headers },
      until,
    );
    const envelope = readEnvelope(exchange, { keys: [] });
    switch (envelope.kind) {
      case "success":
        return readDetails(envelope.answer, orderId);
      case "failure": {
        const { kind } = classifyFailure(envelope.failure.code);
        return kind === "credentials" || kind === "limit"
          ? { kind: "not_sent", reason: kind }
          : INVALID_ANSWER;
      }
      case "unknown":
      case "not_sent":
        return envelope;
      default:
        return envelope satisfies never;
    }
  }

  /** Lets the calls under way end. */
  close(): Promise<void> {
    return this.#client.close();
  }
}
