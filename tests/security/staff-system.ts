import { randomUUID } from "node:crypto";
import { operations, type StaffRole } from "@holdfast/contracts";
import { eventually, startTestSystem, STAFF_AUDIENCE, type TestSystem } from "../support/index.ts";

/** A merchant's things, by the ids with which a person of another one must reach nothing. */
export type OwnedThings = Record<
  "payment" | "refund" | "checkout" | "link" | "endpoint" | "event" | "apiKey",
  string
>;
export type Shop = { merchantId: string; things: OwnedThings };
type Request = { method: string; path: string; body?: object; headers?: Record<string, string> };
export type Person = { name?: string; roles?: readonly StaffRole[]; claims?: Record<string, unknown> };

export type StaffSystem = Awaited<ReturnType<typeof startStaffSystem>>;

/** All services with the listeners for operators and for merchants' staff, and two merchants with one of everything. */
export async function startStaffSystem() {
  const system = await startTestSystem({
    services: [
      "payments",
      "refunds",
      "webhook-dispatcher",
      "settlement",
      "gateway-operator",
      "gateway-staff",
    ],
    running: ["payments", "refunds", "webhook-dispatcher", "settlement"],
    withBusUsers: true,
  });
  const operators = await system.start("gateway-operator");
  const staff = await system.start("gateway-staff");
  const operate = async (request: Request, claims: Record<string, unknown> = {}) =>
    await send(operators.port, request, await system.identity.token({ claims }));
  /** Asks as a person of the merchant's staff, with the role `owner` by default. */
  const ask = async ({ merchantId }: Pick<Shop, "merchantId">, request: Request, person: Person = {}) => {
    const { name = "mina", roles = ["owner"], claims } = person;
    const token = await system.identity.token({
      claims: { aud: STAFF_AUDIENCE, sub: name, merchant_id: merchantId, roles, ...claims },
    });
    return await send(staff.port, request, token);
  };

  const openShop = (name: string) => openShopIn(system, operate, name);
  return {
    ...system,
    operators,
    staff,
    operate,
    ask,
    shops: { mine: await openShop("Mina's"), theirs: await openShop("Theirs") },
    /** An authorization of the merchant's, which can be captured or cancelled. */
    async authorize({ merchantId }: Pick<Shop, "merchantId">): Promise<string> {
      const command = system.command({ ofMerchant: merchantId, amountMinor: "5000" });
      await system.call(operations.preAuthorize.command, command, { merchant: { merchantId } });
      return command.paymentId;
    },
    stateOf: (shop: Shop) => stateOf(system, shop),
  };
}

/** A merchant with one of everything. */
async function openShopIn(system: TestSystem, operate: Ask, name: string): Promise<Shop> {
  const created = await operate({ method: "POST", path: "/operator/merchants", body: { name } });
  const { merchantId, apiKey } = JSON.parse(created.text) as { merchantId: string; apiKey: string };
  const merchant = { merchant: { merchantId } };
  const hooks = `/operator/merchants/${merchantId}/webhooks`;
  // No server listens there: a delivery that fails is a delivery.
  const body = { url: "https://127.0.0.1:9/hook" };
  await operate({ method: "PUT", path: `/operator/merchants/${merchantId}/webhook`, body });
  const further = { url: "https://127.0.0.1:9/further" };
  const added = JSON.parse((await operate({ method: "POST", path: hooks, body: further })).text) as {
    endpointId: string;
  };
  const sale = system.command({ ofMerchant: merchantId, amountMinor: "5000" });
  await system.call(operations.pay.command, sale, merchant);
  const refundId = randomUUID();
  const refund = { refundId, paymentId: sale.paymentId, amountMinor: "100", currency: sale.currency };
  await system.call(operations.requestRefund.command, refund, merchant);
  const checkoutId = randomUUID();
  const order = { orderId: "c-1", amountMinor: "700", currency: "TRY" };
  await system.call(operations.createCheckout.command, { ...CHECKOUT, ...order, checkoutId }, merchant);
  const paymentLinkId = randomUUID();
  await system.call(operations.createPaymentLink.command, { ...LINK, ...order, paymentLinkId }, merchant);
  const event = await eventually(async () => {
    const path = `/operator/webhook-deliveries?merchantId=${merchantId}&paymentId=${sale.paymentId}`;
    const { items } = JSON.parse((await operate({ method: "GET", path })).text) as {
      items: { eventId: string }[];
    };
    if (items.length === 0) throw new Error("the sale's webhook is not there yet");
    return items[0]!.eventId;
  });
  return {
    merchantId,
    things: {
      payment: sale.paymentId,
      refund: refundId,
      checkout: checkoutId,
      link: paymentLinkId,
      endpoint: added.endpointId,
      event,
      apiKey,
    },
  };
}

/** The state that nobody else may change. */
async function stateOf(system: TestSystem, { merchantId }: Shop) {
  return {
    payments: await system.query(
      "select payment_id, state, operation_id from payments.payment where merchant_id = $1 order by 1",
      [merchantId],
    ),
    refunds: await system.query(
      "select refund_id, state from refunds.refund where merchant_id = $1 order by 1",
      [merchantId],
    ),
    links: await system.query(
      "select payment_link_id, disabled_at from payments.payment_link where merchant_id = $1 order by 1",
      [merchantId],
    ),
    endpoints: await system.query(
      "select endpoint_id, url, state, secret_version, next_version from webhooks.endpoint where merchant_id = $1 order by 1",
      [merchantId],
    ),
    redelivered: await system.query(
      "select subject from webhooks.audit_entry where action like 'webhook.%redelivered' and detail like $1 order by 1",
      [`%${merchantId}%`],
    ),
    credentials: await system.query(
      "select api_key, revoked_at from gateway.credential where merchant_id = $1 order by 1",
      [merchantId],
    ),
  };
}

type Ask = (request: Request) => Promise<{ text: string }>;

const CHECKOUT = {
  successUrl: "https://shop.example/paid",
  failureUrl: "https://shop.example/failed",
  transactionType: "PAYMENT",
  threeDs: false,
} as const;
const LINK = { description: "A lesson", threeDs: false, use: "SINGLE", expiresInSeconds: 3_600 } as const;

async function send(port: number, { method, path, body, headers }: Request, token: string) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
