import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { preAuthorization, type Answer, type Client, type RunningSandbox } from "../running-sandbox.ts";

type Shop = { client: Client; paymentId: string; saleId: string; refundId: string };

/** Every way to name a payment or a refund, with a body that is valid for it. */
const CALLS: [method: string, path: (id: string) => string, body?: unknown][] = [
  ["GET", (id) => `/api/payment/${id}`],
  ["GET", (id) => `/api/payment/${id.toUpperCase()}`],
  ["POST", (id) => `/api/payment/${id}/capture`, {}],
  ["POST", (id) => `/api/payment/${id}/cancel`, {}],
  ["POST", (id) => `/api/payment/${id}/refund`, { amount: 1, currency: "TRY" }],
];

export async function expectMerchantsApart(sandbox: RunningSandbox): Promise<void> {
  const openShop = async (name: string): Promise<Shop> => {
    const merchant = await sandbox.operator()("POST", "/operator/merchants", { name });
    const client = sandbox.merchant(merchant.body);
    const payment = await client("POST", "/api/pre-authorization", preAuthorization());
    const sale = await client("POST", "/api/payment", preAuthorization());
    const refund = await client("POST", `/api/payment/${sale.body.paymentId}/refund`, {
      amount: 1,
      currency: "TRY",
    });
    expect([payment.status, sale.status, refund.status]).toEqual([201, 201, 202]);
    return {
      client,
      paymentId: payment.body.paymentId,
      saleId: sale.body.paymentId,
      refundId: refund.body.paymentId,
    };
  };
  const shops = await Promise.all(["One", "Two", "Three"].map(openShop));

  for (const shop of shops) {
    for (const other of shops.filter((another) => another !== shop)) {
      for (const id of [other.paymentId, other.saleId, other.refundId]) {
        for (const [method, path, body] of CALLS) {
          const theirs = await shop.client(method, path(id), body);
          const nobodys = await shop.client(method, path(randomUUID()), body);
          expect(theirs.status).toBe(404);
          expect(withoutIds(theirs)).toEqual(withoutIds(nobodys));
        }
      }
    }
  }

  // The attempts have changed nothing; everything is its owner's still.
  for (const { client, paymentId, saleId, refundId } of shops) {
    expect((await client("GET", `/api/payment/${refundId}`)).body.status).toBe("PENDING_APPROVAL");
    expect((await client("GET", `/api/payment/${saleId}`)).body.status).toBe("SUCCESS");
    expect((await client("POST", `/api/payment/${paymentId}/capture`, {})).body.status).toBe("CAPTURED");
  }
}

function withoutIds({ status, body }: Answer) {
  const { requestId: _requestId, instance: _instance, ...rest } = body;
  return { status, body: rest };
}
