// Reach of a merchant's staff: every endpoint of their listener with every id of another merchant, and with every role.
import { randomUUID } from "node:crypto";
import { STAFF_ENDPOINTS, STAFF_ROLES, type Endpoint, type StaffRole } from "@holdfast/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startStaffSystem, type OwnedThings, type StaffSystem } from "./staff-system.ts";

type Line = {
  /** The least role that may call it; `owner` always may. */
  role: StaffRole;
  /** Which of another merchant's things it is called with. */
  of?: Partial<Record<string, keyof OwnedThings>>;
  body?: object;
  /** The answer where it is called with another merchant's things: 404, or a success without them. */
  another: 404 | "nothing of theirs";
};

const reads = { role: "support", another: "nothing of theirs" } as const;
const changes = { role: "developer", another: 404 } as const;
const ofPayment = { of: { paymentId: "payment" } } as const;
const ofEndpoint = { of: { endpointId: "endpoint" } } as const;
const ofEvent = { of: { eventId: "event" } } as const;
const ofLink = { of: { paymentLinkId: "link" } } as const;

/** Every endpoint of the listener, by its operation: an endpoint without a line fails. */
const LINES: Record<string, Line> = {
  listPaymentsAsStaff: reads,
  listRefundsAsStaff: reads,
  listCheckoutsAsStaff: reads,
  listStatementsAsStaff: reads,
  listWebhooksAsStaff: reads,
  listWebhookDeliveriesAsStaff: reads,
  listPaymentLinksAsStaff: reads,
  getMerchantAsStaff: reads,
  searchAsStaff: reads,
  getFiguresAsStaff: reads,
  listChargebacksAsStaff: reads,
  getPaymentAsStaff: { ...reads, ...ofPayment, another: 404 },
  getRefundAsStaff: { ...reads, of: { refundId: "refund" }, another: 404 },
  getCheckoutAsStaff: { ...reads, of: { checkoutId: "checkout" }, another: 404 },
  getWebhookDeliveryAsStaff: { ...reads, ...ofEvent, another: 404 },
  getWebhookHealthAsStaff: { ...reads, ...ofEndpoint, another: 404 },
  getPaymentLinkAsStaff: { ...reads, ...ofLink, another: 404 },
  capturePaymentAsStaff: { role: "refunds", ...ofPayment, body: {}, another: 404 },
  cancelPaymentAsStaff: { role: "refunds", ...ofPayment, body: {}, another: 404 },
  requestRefundAsStaff: {
    role: "refunds",
    ...ofPayment,
    body: { amount: 1, currency: "TRY", reason: "asked" },
    another: 404,
  },
  putWebhookAsStaff: { ...changes, body: { url: "https://127.0.0.1:9/hook" }, another: "nothing of theirs" },
  createWebhookAsStaff: {
    ...changes,
    body: { url: "https://127.0.0.1:9/added" },
    another: "nothing of theirs",
  },
  changeWebhookAsStaff: { ...changes, ...ofEndpoint, body: { url: "https://127.0.0.1:9/taken" } },
  removeWebhookAsStaff: { ...changes, ...ofEndpoint },
  rotateWebhookSecretAsStaff: { ...changes, ...ofEndpoint },
  activateWebhookSecretAsStaff: { ...changes, ...ofEndpoint },
  testWebhookAsStaff: { ...changes, ...ofEndpoint },
  getWebhookBodyAsStaff: { role: "developer", ...ofEvent, another: 404 },
  redeliverWebhookAsStaff: { ...changes, ...ofEvent },
  redeliverFailedWebhooksAsStaff: {
    ...changes,
    body: { since: "2026-01-01T00:00:00Z" },
    another: "nothing of theirs",
  },
  addCredentialAsStaff: { ...changes, body: {}, another: "nothing of theirs" },
  revokeCredentialAsStaff: { ...changes, of: { apiKey: "apiKey" } },
  createPaymentLinkAsStaff: {
    role: "owner",
    body: { orderId: "l-1", description: "A lesson", amount: 1, currency: "TRY" },
    another: "nothing of theirs",
  },
  disablePaymentLinkAsStaff: { role: "owner", ...ofLink, another: 404 },
};

const ROLES = STAFF_ROLES.map((role) => ({ role }));
const EACH = STAFF_ENDPOINTS.map((endpoint) => ({ operation: endpoint.operationId, endpoint }));

let system: StaffSystem;
beforeAll(async () => void (system = await startStaffSystem()));
afterAll(() => system.close());

test("every endpoint of the listener has a line here", () => {
  expect(Object.keys(LINES).toSorted()).toEqual(EACH.map(({ operation }) => operation).toSorted());
});

function call({ operationId, method, path }: Endpoint, things: OwnedThings) {
  const { of = {}, body } = LINES[operationId]!;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => things[of[name]!]);
  const query: Record<string, string> = {
    searchAsStaff: `?q=${things.payment}`,
    listStatementsAsStaff: "?from=2026-03-01&to=2026-03-02",
    listWebhookDeliveriesAsStaff: `?paymentId=${things.payment}`,
  };
  return { method, path: filled + (query[operationId] ?? ""), ...(body && { body }) };
}

describe("with ids of another merchant", () => {
  test.each(EACH)("$operation shows nothing and changes nothing", async ({ operation, endpoint }) => {
    const [own, another] = [system.shops.mine, system.shops.theirs];
    const before = await system.stateOf(another);
    const answer = await system.ask(own, call(endpoint, another.things));
    if (LINES[operation]!.another === 404) expect(answer.status, answer.text).toBe(404);
    else expect(answer.status, answer.text).toBeLessThan(300);
    for (const id of [another.merchantId, ...Object.values(another.things)])
      // A query may name the requested id again, an answer never.
      expect(answer.text).not.toContain(id);
    expect(await system.stateOf(another)).toEqual(before);
  });

  test("a search for another merchant's own id, a filter by it and its endpoint's deliveries find nothing", async () => {
    const { mine, theirs } = system.shops;
    const found = await system.ask(mine, { method: "GET", path: `/staff/search?q=${theirs.merchantId}` });
    expect(JSON.parse(found.text)).toEqual({ items: [], more: false });
    const filtered = await system.ask(mine, {
      method: "GET",
      path: `/staff/payments?merchantId=${theirs.merchantId}`,
    });
    expect(filtered.text).toContain("unknown_parameter");
    for (const endpointId of [theirs.things.endpoint, theirs.merchantId]) {
      const path = `/staff/webhook-deliveries?endpointId=${endpointId}`;
      const { status, text } = await system.ask(mine, { method: "GET", path });
      expect({ status, ...(JSON.parse(text) as object) }).toEqual({ status: 200, items: [] });
    }
  });

  test("the same lists have what is one's own, and the disputes no one else's", async () => {
    const { mine, theirs } = system.shops;
    const path = `/operator/payments/${theirs.things.payment}/chargebacks`;
    const opened = await system.operate({ method: "POST", path, body: { amount: 4, currency: "TRY" } });
    const { chargebackId: chargeback } = JSON.parse(opened.text) as { chargebackId: string };
    const others = await system.ask(mine, { method: "GET", path: "/staff/chargebacks" });
    expect([others.status, others.text.includes(chargeback)]).toEqual([200, false]);
    for (const [path, id] of [
      ["payments", theirs.things.payment],
      ["refunds", theirs.things.refund],
      ["chargebacks", chargeback],
      ["checkouts", theirs.things.checkout],
      ["payment-links", theirs.things.link],
      ["webhooks", theirs.things.endpoint],
      ["webhook-deliveries", theirs.things.event],
      [`search?q=${theirs.things.payment}`, theirs.things.payment],
      [`payments/${theirs.things.payment}`, theirs.things.payment],
      [`refunds/${theirs.things.refund}`, theirs.things.refund],
      [`webhook-deliveries/${theirs.things.event}`, theirs.things.event],
    ] as const) {
      const answer = await system.ask(theirs, { method: "GET", path: `/staff/${path}` });
      expect({ path, status: answer.status, has: answer.text.includes(id) }).toEqual({
        path,
        status: 200,
        has: true,
      });
    }
  });
});

describe.each(ROLES)("with the role $role alone", ({ role }) => {
  test.each(EACH)("$operation is allowed or 403", async ({ operation, endpoint }) => {
    const nobodys: OwnedThings = {
      payment: randomUUID(),
      refund: randomUUID(),
      checkout: randomUUID(),
      link: randomUUID(),
      endpoint: randomUUID(),
      event: randomUUID(),
      apiKey: "hk_nobodys",
    };
    const isAllowed = role === "owner" || [role, "support"].includes(LINES[operation]!.role);
    // The body is left out, because the right is checked before the body is read.
    const { body: _body, ...request } = call(endpoint, nobodys);
    const answer = await system.ask(system.shops.mine, request, { roles: [role] });
    expect(answer.status === 403, `${answer.status}: ${answer.text}`).toBe(!isAllowed);
  });
});
