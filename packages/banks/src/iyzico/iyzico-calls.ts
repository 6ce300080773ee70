import { randomUUID } from "node:crypto";

import type {
  AcquirerCard,
  AcquirerWire,
  BusinessDay,
  ConnectedAccount,
  Declined,
  NotSent,
  Unknown,
} from "@holdfast/acquirer";
import { BankAddresses, INVALID_ANSWER, MISMATCH } from "@holdfast/acquirer/kit";

import { failed, readEnvelope, type Answer, type Envelope, type Failure } from "./envelope.ts";
import { FAILURE_CODES } from "./failure-codes.ts";
import type { IyzicoSecrets, IyzicoSettings } from "./iyzico-settings.ts";
import { readDetails, type OrderDetails } from "./order-details.ts";
import type { IyzicoRequest } from "./requests.ts";
import { signedHeaders } from "./signatures.ts";

/** One account at iyzico, and how it is reached. */
export type Account = {
  settings: IyzicoSettings;
  secrets: IyzicoSecrets;
  businessDay: BusinessDay;
  calls: IyzicoCalls;
};

/** One account's calls over the network: signed requests, and the inquiry about an order. */
export class IyzicoCalls {
  readonly #businessDay: BusinessDay;
  readonly #secrets: IyzicoSecrets;
  readonly #addresses: BankAddresses<"api">;

  /** @throws PlaintextRefusedError where cards would leave this machine without TLS. */
  constructor(
    { settings, businessDay }: ConnectedAccount<IyzicoSettings>,
    secrets: IyzicoSecrets,
    wire: AcquirerWire,
  ) {
    this.#businessDay = businessDay;
    this.#secrets = secrets;
    this.#addresses = new BankAddresses({ api: settings.url }, wire);
  }

  /**
   * The outcome of one call, by an answer that is about it.
   * @param onFailure for calls of which a failure may prove more than its code does.
   */
  async outcome<Outcome, Failed = never>(
    request: IyzicoRequest & { card?: AcquirerCard },
    until: Date,
    onSuccess: (answer: Answer) => Outcome,
    onFailure?: (failure: Failure) => Failed | undefined,
  ): Promise<Outcome | Failed | Declined | Unknown | NotSent> {
    const envelope = await this.post(request, until);
    switch (envelope.kind) {
      case "success":
        return onSuccess(envelope.answer);
      case "failure": {
        const { failure } = envelope;
        const { conversationId } = failure;
        if (conversationId !== undefined && conversationId !== request.conversationId) return MISMATCH;
        return onFailure?.(failure) ?? failed(failure, { now: new Date(), businessDay: this.#businessDay });
      }
      case "unknown":
      case "not_sent":
        return envelope;
      default:
        return envelope satisfies never;
    }
  }

  /** @param request.card which the answer must not repeat. */
  post({ path, body, card }: IyzicoRequest & { card?: AcquirerCard }, until: Date): Promise<Envelope> {
    const headers = this.#headers(path, body);
    return this.#exchange({ method: "POST", path, body, headers }, until, card);
  }

  /**
   * All payments of an order. No failure proves that there are none, so every failure is an unknown outcome.
   */
  async details(orderId: string, until: Date): Promise<OrderDetails | NotSent> {
    const path = "/v2/reporting/payment/details";
    const query = new URLSearchParams({ paymentConversationId: orderId });
    const call = {
      method: "GET",
      path: `${path}?${query.toString()}`,
      headers: this.#headers(path, ""),
    } as const;
    const envelope = await this.#exchange(call, until);
    switch (envelope.kind) {
      case "success":
        return readDetails(envelope.answer, orderId);
      case "failure": {
        const codeClass = FAILURE_CODES.get(envelope.failure.code);
        if (codeClass === "credentials") return { kind: "not_sent", reason: "credentials" };
        return codeClass === "too_many_calls" ? { kind: "not_sent", reason: "limit" } : INVALID_ANSWER;
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
    return this.#addresses.close();
  }

  #headers(path: string, body: string): Record<string, string> {
    return signedHeaders(this.#secrets, { random: randomUUID(), path, body });
  }

  async #exchange(
    call: Parameters<BankAddresses<"api">["exchange"]>[1],
    until: Date,
    card?: AcquirerCard,
  ): Promise<Envelope> {
    const { apiKey, secretKey } = this.#secrets;
    const exchange = await this.#addresses.exchange("api", call, until);
    return readEnvelope(exchange, { ...card, keys: [apiKey, secretKey] });
  }
}
