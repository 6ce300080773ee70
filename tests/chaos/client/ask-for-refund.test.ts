import { expect, test } from "vitest";
import type { HistoryEntry } from "../../checker/index.ts";
import { askForRefund } from "./ask-for-refund.ts";

const refund = { paymentId: "019f0000-0000-7000-8000-000000000001", amount: "1.00", currency: "TRY" };

type Answer = { status?: number; bytesSent?: boolean; code?: string };

/** Plays the gateways: one answer after another, to any request. */
async function askAgainst(answers: Answer[], key?: string): Promise<{ asked: string[]; accepted?: string }> {
  const asked: string[] = [];
  const answer = (what: string): Promise<HistoryEntry> => {
    asked.push(what);
    const { status, bytesSent = true, code } = answers.shift() ?? {};
    const accepted = { paymentId: "r", orderId: "o", amount: 1, currency: "TRY", status: "PENDING_APPROVAL" };
    const type = `urn:holdfast:problem:${code}`;
    const problem = { type, title: code, status, code, ...(status === 504 && { paymentId: "r" }) };
    const sent = { sequence: 1, merchantId: "m", gateway: "g", method: "POST", path: "", sentAt: 0 } as const;
    const body = JSON.stringify((status ?? 0) < 300 ? accepted : problem);
    return Promise.resolve({
      ...sent,
      bytesSent,
      replayed: false,
      ...(code !== "refund_amount_exceeds_remaining" && { retryAfter: "0" }),
      ...(status !== undefined && { status, body }),
    });
  };
  const client = {
    refund: (_refund: object, via: { gateway?: number; key?: string } = {}) =>
      answer(["POST", via.gateway, via.key].filter((part) => part !== undefined).join(" ")),
    get: (refundId: string) => answer(`GET ${refundId}`),
  };
  const accepted = await askForRefund(client, refund, { pauseMs: 0, ...(key !== undefined && { key }) });
  expect(answers).toEqual([]);
  return { asked, ...(accepted !== undefined && { accepted }) };
}

test("a 202 is the end, and so is a refusal", async () => {
  expect(await askAgainst([{ status: 202 }])).toEqual({ asked: ["POST 0"], accepted: "r" });
  expect(await askAgainst([{ status: 202 }], "k")).toEqual({ asked: ["POST 0 k"], accepted: "r" });
  const tooMuch = { status: 422, code: "refund_amount_exceeds_remaining" };
  expect(await askAgainst([tooMuch], "k")).toEqual({ asked: ["POST 0 k"] });
});

test("a 503, a request that never left, and a conflict that passes are repeated, at another gateway", async () => {
  const conflict = { status: 409, code: "operation_in_progress" };
  const { asked } = await askAgainst([{ status: 503 }, { bytesSent: false }, conflict, { status: 202 }]);
  expect(asked).toEqual(["POST 0", "POST 1", "POST 2", "POST 3"]);
});

test("a request without an answer is repeated with its key, and left as it is without one", async () => {
  expect((await askAgainst([{}, { status: 202 }], "k")).asked).toEqual(["POST 0 k", "POST 1 k"]);
  expect((await askAgainst([{}])).asked).toEqual(["POST 0"]);
});

test("without a key a 504 is looked up, and asked for again only after a 404", async () => {
  const unknown = { status: 504 };
  expect(await askAgainst([unknown, { status: 503 }, { status: 200 }])).toEqual({
    asked: ["POST 0", "GET r", "GET r"],
    accepted: "r",
  });
  const again = await askAgainst([unknown, { status: 404 }, { status: 202 }]);
  expect(again).toEqual({ asked: ["POST 0", "GET r", "POST 1"], accepted: "r" });
});

test("with a key a 504 is repeated until the key's answer comes", async () => {
  const unknown = { status: 504, code: "outcome_unknown" };
  expect((await askAgainst([unknown, { status: 202 }], "k")).asked).toEqual(["POST 0 k", "POST 1 k"]);
});
