import { eventually } from "../support/index.ts";
import { expect, test, vi } from "vitest";
import { preAuthorization, receiveWebhooks, runSandbox } from "./running-sandbox.ts";

const PLACES = 2;

test("while calls to a bank that hangs take all places, reads, refunds, checkouts and webhooks go on", async () => {
  for (const [name, value] of Object.entries({
    REQUESTS_IN_FLIGHT_MAX: String(PLACES),
    COMMANDS_IN_FLIGHT_MAX: String(PLACES),
    REQUESTS_IN_FLIGHT_SHARE: "1",
    COMMANDS_IN_FLIGHT_SHARE: "1",
    ACQUIRER_TIMEOUT: "10m",
    LEASE_DURATION: "40m",
    HANDLER_TIMEOUT: "11m",
    REQUEST_TIMEOUT: "12m",
  })) {
    vi.stubEnv(name, value);
  }
  const sandbox = await runSandbox();
  vi.unstubAllEnvs();
  const receiver = await receiveWebhooks(sandbox);
  const [merchant, operator] = [sandbox.merchant(), sandbox.operator()];
  const { paymentId } = (await merchant("POST", "/api/payment", preAuthorization({ amount: 100 }))).body;

  const fault = { operation: "authorize", behaviour: "hang", times: 100 };
  await fetch(`${sandbox.file.acquirerUrl}/faults`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(fault),
  });
  const statuses: number[] = [];
  for (let count = 0; count < 4 * PLACES; count++) {
    void merchant("POST", "/api/pre-authorization", preAuthorization()).then(
      ({ status }) => statuses.push(status),
      // The sandbox ends before these requests do.
      () => {},
    );
  }
  // The other requests have a permit and wait for the bank.
  await eventually(() => expect(statuses).toHaveLength(3 * PLACES));
  expect(new Set(statuses)).toEqual(new Set([503]));

  expect(await merchant("GET", `/api/payment/${paymentId}`)).toMatchObject({
    status: 200,
    body: { status: "SUCCESS" },
  });
  const refund = { amount: 30, currency: "TRY" };
  const requested = await merchant("POST", `/api/payment/${paymentId}/refund`, refund);
  expect(requested.status).toBe(202);
  expect((await merchant("GET", requested.headers.get("Location")!)).status).toBe(200);
  expect((await operator("GET", "/operator/payments?unresolved=true")).status).toBe(200);
  expect(await operator("GET", "/operator/refunds?status=PENDING_APPROVAL")).toMatchObject({
    status: 200,
    body: { items: [{ amount: 30 }] },
  });
  const urls = { successUrl: "https://shop.example/paid", failureUrl: "https://shop.example/failed" };
  const order = { orderId: "order-2", amount: 20, currency: "TRY", ...urls };
  const checkout = await merchant("POST", "/api/checkout", order);
  expect(checkout.status).toBe(201);
  expect((await fetch(checkout.body.checkoutUrl)).status).toBe(200);
  // A rejection is committed, sent to payments, published, delivered and confirmed without the bank.
  const refundId = requested.body.paymentId as string;
  const rejection = { reason: "not this one" };
  expect((await operator("POST", `/operator/refunds/${refundId}/reject`, rejection)).status).toBe(200);
  await eventually(() =>
    expect(receiver.ledger.some(({ body }) => String(body).includes(refundId))).toBe(true),
  );
  expect(statuses).toHaveLength(3 * PLACES);
});
