import { expect, test } from "vitest";
import type { HistoryEntry } from "../../checker/index.ts";
import { pay } from "./pay.ts";

const order = { orderId: "order-1", amount: "12.50", currency: "TRY", card: "approve_visa" } as const;

const PAYMENT_ID = "019f0000-0000-7000-8000-000000000001";

type Answer = Partial<Pick<HistoryEntry, "status" | "bytesSent">> & { shows?: string; code?: string };

/** Plays the gateways: one answer after another, to any request. */
async function payAgainst(answers: Answer[], key?: string): Promise<string[]> {
  const asked: string[] = [];
  const answer = (what: string): Promise<HistoryEntry> => {
    asked.push(what);
    const { status, bytesSent = true, shows, code = "other" } = answers.shift() ?? {};
    // A refusal names no payment.
    const paymentId = status === 504 || (status ?? 0) < 300 ? PAYMENT_ID : undefined;
    const problem = { paymentId, code, type: `urn:holdfast:problem:${code}`, title: code, status };
    const record = { paymentId, orderId: "o", amount: 1, currency: "TRY", status: shows };
    const body = JSON.stringify((status ?? 0) < 300 ? record : problem);
    const sent = { sequence: 1, merchantId: "m", gateway: "g", method: "GET", path: "", sentAt: 0 } as const;
    return Promise.resolve({
      ...sent,
      bytesSent,
      replayed: false,
      retryAfter: "0",
      ...(status !== undefined && { status, body }),
    });
  };
  const client = {
    post: (_order: object, via: { gateway?: number; key?: string } = {}) =>
      answer(["POST", via.gateway, via.key].filter((part) => part !== undefined).join(" ")),
    get: (paymentId: string) => answer(`GET ${paymentId === PAYMENT_ID ? "p" : paymentId}`),
  };
  await pay(client, order, { pauseMs: 0, ...(key !== undefined && { key }) });
  expect(answers).toEqual([]);
  return asked;
}

test("an answered payment is read until it is settled", async () => {
  const enrolled = { status: 200, shows: "ENROLLED" };
  const asked = await payAgainst([
    { status: 202, shows: "ENROLLED" },
    enrolled,
    { status: 200, shows: "SUCCESS" },
  ]);
  expect(asked).toEqual(["POST 0", "GET p", "GET p"]);
});

const busy = { status: 503, code: "service_unavailable" };
const refused = { status: 422 };

test("a 503 and a request that never left are repeated, at another gateway", async () => {
  expect(await payAgainst([{ status: 503 }, { bytesSent: false }, refused])).toEqual([
    "POST 0",
    "POST 1",
    "POST 2",
  ]);
  const asked = await payAgainst([busy, { bytesSent: false }, { status: 201, shows: "SUCCESS" }], "k");
  expect(asked).toEqual(["POST 0 k", "POST 1 k", "POST 2 k"]);
});

test("a request without an answer is repeated with its key, and left as it is without one", async () => {
  expect(await payAgainst([{}, { status: 201, shows: "FAILED" }], "k")).toEqual(["POST 0 k", "POST 1 k"]);
  expect(await payAgainst([{}])).toEqual(["POST 0"]);
});

test("a 409 waits for the first request", async () => {
  const running = { status: 409, code: "idempotency_key_in_use" };
  const asked = await payAgainst([running, { status: 201, shows: "SUCCESS" }], "k");
  expect(asked).toEqual(["POST 0 k", "POST 1 k"]);
});

test("without a key a 504 is looked up, and paid again only after a 404", async () => {
  const unknown = { status: 504 };
  expect(await payAgainst([unknown, { status: 200, shows: "SUCCESS" }])).toEqual(["POST 0", "GET p"]);
  expect(await payAgainst([unknown, { status: 404 }, { status: 422 }])).toEqual([
    "POST 0",
    "GET p",
    "POST 1",
  ]);
  const unsettled = Array.from({ length: 5 }, () => ({ status: 200, shows: "ENROLLED" }));
  expect(await payAgainst([unknown, ...unsettled])).toHaveLength(6);
});

test("with a key a 504 is repeated under it, and what the bank has not answered is followed", async () => {
  const unknown = { status: 504, code: "outcome_unknown" };
  expect(await payAgainst([unknown, { status: 201, shows: "SUCCESS" }], "k")).toEqual([
    "POST 0 k",
    "POST 1 k",
  ]);
  const enrolled = { status: 202, shows: "ENROLLED" };
  const settled = { status: 200, shows: "SUCCESS" };
  expect(await payAgainst([unknown, enrolled, settled], "k")).toEqual(["POST 0 k", "POST 1 k", "GET p"]);
});
