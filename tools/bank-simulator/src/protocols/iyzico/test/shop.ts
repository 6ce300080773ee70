import { createHmac } from "node:crypto";

/** The fields of an answer, with its numbers as JavaScript reads them. */
export type Answer = Record<string, unknown> & { status?: string; errorCode?: string; paymentId?: string };
export type Exchange = { httpStatus: number; text: string; body: Answer };

export type Keys = { apiKey: string; secretKey: string };
export const sandboxKeys: Keys = { apiKey: "sandbox-apikey", secretKey: "sandbox-secret" };

/** A merchant's program: it signs its requests, by code of its own. */
export class Shop {
  /** The bank, whose URL changes when it is started again. */
  readonly #bank: { readonly url: string };
  readonly #keys: Keys;

  constructor(bank: { readonly url: string }, keys: Keys = sandboxKeys) {
    this.#bank = bank;
    this.#keys = keys;
  }

  /** Sends a body as it stands, or an object as JSON. */
  async post(path: string, body: object | string, signal?: AbortSignal): Promise<Exchange> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return await this.#send("POST", path, "", text, signal);
  }

  async get(path: string, query: Record<string, string> = {}): Promise<Exchange> {
    return await this.#send("GET", path, new URLSearchParams(query).toString(), undefined);
  }

  /** The answer of a call that has to succeed. */
  async succeed(path: string, body: object): Promise<Answer> {
    const { body: answer } = await this.post(path, body);
    if (answer.status !== "success") throw new Error(`${path} failed: ${String(answer.errorCode)}`);
    return answer;
  }

  /** The code with which a call fails; undefined if it succeeds. */
  async codeOf(path: string, body: object | string): Promise<unknown> {
    return (await this.post(path, body)).body.errorCode;
  }

  async #send(
    method: string,
    path: string,
    query: string,
    body: string | undefined,
    signal?: AbortSignal,
  ): Promise<Exchange> {
    const random = "5f2d8c0b7a914e36";
    const signature = createHmac("sha256", this.#keys.secretKey)
      .update(`${random}${path}${body ?? ""}`)
      .digest("hex");
    const claim = `apiKey:${this.#keys.apiKey}&randomKey:${random}&signature:${signature}`;
    const response = await fetch(`${this.#bank.url}${path}${query && `?${query}`}`, {
      method,
      headers: {
        authorization: `IYZWSv2 ${Buffer.from(claim).toString("base64")}`,
        "content-type": "application/json",
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    return { httpStatus: response.status, text, body: jsonOf(text) };
  }
}

function jsonOf(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return {};
  }
}

/** A valid payment of 100.00 TRY for two items; `changes` replaces fields of it. */
export function paymentBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const address = { contactName: "Ayse Yilmaz", city: "Istanbul", country: "Turkey", address: "Nidakule" };
  return {
    locale: "en",
    conversationId: "shop-pay-1",
    price: "100.0",
    paidPrice: "100.0",
    currency: "TRY",
    installment: 1,
    basketId: "basket-1",
    paymentChannel: "WEB",
    paymentGroup: "PRODUCT",
    paymentCard: card(),
    buyer: {
      id: "buyer-1",
      name: "Ayse",
      surname: "Yilmaz",
      identityNumber: "11111111111",
      email: "ayse@example.com",
      registrationAddress: "Nidakule",
      city: "Istanbul",
      country: "Turkey",
      ip: "203.0.113.7",
    },
    billingAddress: address,
    shippingAddress: address,
    basketItems: [
      { id: "item-1", name: "Book", category1: "Books", itemType: "PHYSICAL", price: "60.0" },
      { id: "item-2", name: "Song", category1: "Music", itemType: "VIRTUAL", price: "40.0" },
    ],
    ...changes,
  };
}

export function card(cardNumber = "5528790000000008", changes: Record<string, unknown> = {}) {
  return {
    cardHolderName: "Ayse Yilmaz",
    cardNumber,
    expireYear: "2099",
    expireMonth: "12",
    cvc: "123",
    registerCard: 0,
    ...changes,
  };
}
