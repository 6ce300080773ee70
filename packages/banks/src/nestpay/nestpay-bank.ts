import { isSafeWebUrl } from "@holdfast/service-runtime";

import type { AcquirerCard, NotSent, Unknown } from "@holdfast/acquirer";
import { BoundedHttpClient, type RawHttpExchange } from "../bounded-http-client.ts";
import type { AcquirerWire, ConnectedAccount } from "@holdfast/acquirer";
import { INVALID_ANSWER, verdictOf, type Asked, type Verdict } from "./answer-verdict.ts";
import { historyRequest, type Caller } from "./build-request.ts";
import { challengePage } from "./challenge-page.ts";
import type { NestpaySecrets, NestpaySettings } from "./nestpay-settings.ts";
import { readHistory, type OrderHistory } from "./order-history.ts";
import { readAnswer } from "./read-answer.ts";
import type { FormFields } from "./ver3-hash.ts";

/**
 * The bank over HTTP: the one place that sends anything. Bodies have card numbers and passwords in them, so that
 * nothing here is logged, thrown or kept.
 */
export class NestpayBank {
  readonly caller: Caller;
  readonly #timeZone: string;
  readonly #confidential: readonly string[];
  readonly #api: BoundedHttpClient;
  readonly #gate: BoundedHttpClient;
  readonly #apiPath: string;
  readonly #gatePath: string;

  /** @throws TypeError for an address over plain HTTP to another machine, unless the wire allows it. */
  constructor(account: ConnectedAccount<NestpaySettings>, secrets: NestpaySecrets, wire: AcquirerWire) {
    const { apiUrl, gateUrl, clientId, mode } = account.settings;
    const { apiUser, apiPassword, storeKey } = secrets;
    const refused = [apiUrl, gateUrl].find((url) => !wire.allowPlaintext && !isSafeWebUrl(url));
    if (refused !== undefined) throw new TypeError("the bank's addresses must be https://");
    this.caller = { user: apiUser, password: apiPassword, clientId, mode };
    this.#timeZone = account.businessDay.timeZone;
    this.#confidential = [apiPassword, storeKey];
    const [api, gate] = [new URL(apiUrl), new URL(gateUrl)];
    this.#api = clientOf(api.origin, wire);
    this.#gate = api.origin === gate.origin ? this.#api : clientOf(gate.origin, wire);
    this.#apiPath = api.pathname + api.search;
    this.#gatePath = gate.pathname + gate.search;
  }

  /** Sends a call that moves money. */
  async order(
    body: string,
    until: Date,
    asked: Omit<Asked, "confidential">,
    card: string[] = [],
  ): Promise<Verdict> {
    const exchange = await this.#post(this.#api, this.#apiPath, body, until);
    if (exchange.kind !== "answered") return exchange;
    const answer = readAnswer(exchange);
    if (!answer) return INVALID_ANSWER;
    return verdictOf(answer, { ...asked, confidential: [...this.#confidential, ...card] });
  }

  /** Asks for all rows of an order. */
  async history(orderId: string, until: Date): Promise<OrderHistory> {
    const exchange = await this.#post(this.#api, this.#apiPath, historyRequest(this.caller, orderId), until);
    if (exchange.kind !== "answered") return exchange;
    const answer = readAnswer(exchange);
    return answer ? readHistory(answer, orderId, this.#timeZone) : INVALID_ANSWER;
  }

  /** Posts the 3-D Secure form and returns the page that the cardholder's browser is to be shown. */
  async openGate(
    form: FormFields,
    until: Date,
    card: AcquirerCard,
  ): Promise<{ kind: "page"; html: string } | Unknown | NotSent> {
    const body = new URLSearchParams(form.map(([name, value]) => [name, value])).toString();
    const exchange = await this.#post(this.#gate, this.#gatePath, body, until);
    if (exchange.kind !== "answered") return exchange;
    const html = challengePage(exchange, card);
    return html === undefined ? INVALID_ANSWER : { kind: "page", html };
  }

  async close(): Promise<void> {
    await Promise.all([this.#api.close(), this.#gate.close()]);
  }

  #post(client: BoundedHttpClient, path: string, body: string, until: Date): Promise<RawHttpExchange> {
    return client.exchangeBytes({ method: "POST", path, body, headers: FORM_HEADERS }, until);
  }
}

function clientOf(url: string, wire: AcquirerWire): BoundedHttpClient {
  return new BoundedHttpClient({ ...wire, url });
}

const FORM_HEADERS = { "content-type": "application/x-www-form-urlencoded" };
