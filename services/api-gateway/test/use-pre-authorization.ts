import { afterAll, beforeAll, beforeEach } from "vitest";
import { preAuthorizationBody } from "./builders.ts";
import type { HttpAnswer } from "./http-client.ts";
import { JSON_TYPE, startTestGateway, type TestGateway, type TestMerchant } from "./test-gateway.ts";
import { startTestPayments } from "./test-payments.ts";

type Payments = Awaited<ReturnType<typeof startTestPayments>>;

/**
 * Sets up a test file about pre-authorizations: a gateway, payments that answer, and a merchant, without any
 * earlier state.
 */
export function usePreAuthorization() {
  const on = {} as {
    gateway: TestGateway;
    payments: Payments;
    merchant: TestMerchant;
    usual: Payments["answers"];
  };
  beforeAll(async () => {
    on.gateway = await startTestGateway();
    on.payments = await startTestPayments(on.gateway.nats.url);
    on.merchant = await on.gateway.createMerchant({
      commission: { ratePercent: "2.50", fixed: "0.25", currency: "TRY" },
    });
    on.usual = { ...on.payments.answers };
  });
  beforeEach(() => {
    on.payments.received.length = 0;
    on.gateway.lines.length = 0;
    Object.assign(on.payments.answers, on.usual);
  });
  afterAll(async () => {
    await on.payments.stop();
    await on.gateway.stop();
  });

  const send = (body: string | Buffer, headers: Record<string, string | string[]>): Promise<HttpAnswer> =>
    on.gateway.merchantApi({
      method: "POST",
      path: "/api/pre-authorization",
      headers: { ...on.merchant.headers, ...headers },
      body,
    });
  const preAuthorize = (
    fields?: Parameters<typeof preAuthorizationBody>[0],
    headers: Record<string, string> = {},
  ): Promise<HttpAnswer> => send(preAuthorizationBody(fields), { ...JSON_TYPE, ...headers });
  return { on, send, preAuthorize };
}
