import { isSafeWebUrl } from "@holdfast/service-runtime";

import type { AcquirerWire } from "../connector.ts";
import { BoundedHttpClient, type HttpCall, type HttpExchange } from "./bounded-http-client.ts";

/** The addresses of one account's bank, by the adapter's names for them. Those of one origin share their connections. */
export class BankAddresses<Name extends string> {
  readonly #urls: Record<Name, URL>;
  readonly #clients = new Map<string, BoundedHttpClient>();

  /** @throws PlaintextRefusedError where cards would leave this machine without TLS. */
  constructor(urls: Record<Name, string>, { allowPlaintext, ...wire }: AcquirerWire) {
    const given = Object.entries<string>(urls).map(([name, url]) => {
      if (!allowPlaintext && !isSafeWebUrl(url)) throw new PlaintextRefusedError();
      return [name, new URL(url)] as const;
    });
    this.#urls = Object.fromEntries(given) as Record<Name, URL>;
    for (const [, { origin }] of given)
      if (!this.#clients.has(origin))
        this.#clients.set(origin, new BoundedHttpClient({ ...wire, url: origin }));
  }

  /** @param call without a path goes to the address itself. */
  exchange(name: Name, call: Omit<HttpCall, "path"> & { path?: string }, until: Date): Promise<HttpExchange> {
    const { origin, pathname, search } = this.#urls[name];
    return this.#clients.get(origin)!.exchange({ path: pathname + search, ...call }, until);
  }

  /** Posts a form, as browsers and most Turkish banks write it. */
  postForm(name: Name, body: string, until: Date): Promise<HttpExchange> {
    return this.exchange(name, { method: "POST", body, headers: FORM_HEADERS }, until);
  }

  /** Lets the calls under way end; calls made afterwards are `not_sent`. */
  async close(): Promise<void> {
    await Promise.all(this.#clients.values().map((client) => client.close()));
  }
}

const FORM_HEADERS = { "content-type": "application/x-www-form-urlencoded" };

/** An address of an account is http://, and does not stay on this machine. The error does not repeat it. */
export class PlaintextRefusedError extends Error {
  override readonly name = "PlaintextRefusedError";
  readonly code = "plaintext_refused";

  constructor() {
    super("the bank's addresses must be https://, unless ALLOW_PLAINTEXT names acquirer");
  }
}
