import { randomUUID } from "node:crypto";
import {
  carryOutRefundAtBank,
  inquireRefundAtBank,
  type CommandReply,
  type RefundAnswer,
  type RefundAtBank,
} from "@holdfast/contracts";
import { connectBus, handler, type Bus } from "@holdfast/messaging";
import { eventually, serveCommands, startTestNats, type TestNats } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createRefundBank, type RefundBank, type RefundToSend } from "./refund-bank.ts";

let nats: TestNats;
let bus: Bus;
let bank: RefundBank;
let waitUntil: Date;

beforeAll(async () => {
  nats = await startTestNats();
  bus = await connectBus({ url: nats.url, name: "refunds" });
  bank = createRefundBank(bus);
});
beforeEach(() => {
  waitUntil = new Date(Date.now() + 100_000);
});
afterAll(async () => {
  await bus.close(1_000);
  await nats.stop();
});

const REFUND: RefundToSend = {
  refund_id: randomUUID(),
  account_id: null,
  payment_id: randomUUID(),
  merchant_id: randomUUID(),
  kind: "release",
  amount_minor: 99_999_999_999_999n,
  currency: "TRY",
  traceparent: null,
};

type Reply = CommandReply<{ answer: RefundAnswer; reference: string }>;

/** Has `payments` give both commands this answer until the test ends. @returns the received requests. */
async function paymentsAnswer(reply: () => Reply, when = async (_deadlineAt: number): Promise<void> => {}) {
  const seen: { payload: RefundAtBank; deadlineAt: number }[] = [];
  const take = async ({ deadlineAt }: { deadlineAt: number }, payload: RefundAtBank) => {
    seen.push({ payload, deadlineAt });
    await when(deadlineAt);
    return reply();
  };
  const payments = await serveCommands(nats.url, "payments", [
    handler(carryOutRefundAtBank, async ({ context, payload }) => take(context, payload)),
    handler(inquireRefundAtBank, async ({ context, payload }) => take(context, payload)),
  ]);
  onTestFinished(() => payments.stop());
  return seen;
}

const REFERENCE = `${REFUND.refund_id}:refund:2`;
const answered = (answer: RefundAnswer) => (): Reply => ({
  outcome: "done",
  result: { answer, reference: REFERENCE },
});
const NOT_SENT = { kind: "not_sent", cause: "acquirer_unavailable" } as const;
const LOST = { kind: "unknown", cause: "timeout" };

const APPROVED = {
  kind: "approved",
  currency: "TRY",
  externalTransactionId: "ext-1",
  authCode: "a-1",
  resultCode: "00",
  resultMessage: "Approved",
} as const;
const DECLINED = { kind: "declined", resultCode: "57", resultMessage: "Not permitted" } as const;

test("payments is told the refund, exactly, and when nobody waits any more", async () => {
  const seen = await paymentsAnswer(answered(NOT_SENT));
  await bank.carryOut(REFUND, true, waitUntil);
  await bank.inquire(REFUND, waitUntil, 3);
  const payload = {
    refundId: REFUND.refund_id,
    paymentId: REFUND.payment_id,
    kind: "release",
    amountMinor: "99999999999999",
    currency: "TRY",
  };
  const deadlineAt = waitUntil.getTime();
  expect(seen).toEqual([
    { payload: { ...payload, resumed: true }, deadlineAt },
    { payload: { ...payload, subReference: 3 }, deadlineAt },
  ]);
});

describe("without an answer of the bank", () => {
  test.each<[string, () => Reply, object]>([
    ["payments had no place for it: nothing was sent", () => ({ outcome: "not_started" }), NOT_SENT],
    [
      "payments has not reserved it: nothing was sent",
      () => ({ outcome: "problem", code: "refund_not_found" }),
      NOT_SENT,
    ],
    [
      "another refund of the payment is under way: nothing was sent",
      () => ({ outcome: "problem", code: "refund_pending" }),
      { kind: "not_sent", cause: "refund_pending" },
    ],
    [
      "payments failed: the call may have been made",
      () => {
        throw new Error("bug");
      },
      LOST,
    ],
    ["payments does not know: the call may have been made", () => ({ outcome: "in_doubt" }), LOST],
    [
      "payments is at it still: the call may have been made",
      () => ({ outcome: "pending", result: { answer: NOT_SENT, reference: REFERENCE } }),
      LOST,
    ],
    [
      "payments answers what cannot be read: the call may have been made",
      answered({ kind: "paid" } as never),
      LOST,
    ],
  ])("%s", async (_, reply, verdict) => {
    await paymentsAnswer(reply);
    expect(await bank.carryOut(REFUND, false, waitUntil)).toEqual({ answer: verdict });
    expect(await bank.inquire(REFUND, waitUntil)).toEqual(verdict);
  });

  test("nobody serves the commands: nothing was sent", async () => {
    expect(await bank.carryOut(REFUND, false, waitUntil)).toEqual({ answer: NOT_SENT });
    expect(await bank.inquire(REFUND, waitUntil)).toEqual(NOT_SENT);
  });

  test("payments could not read the message: nothing was sent", async () => {
    const seen = await paymentsAnswer(answered(NOT_SENT));
    const unreadable = { ...REFUND, refund_id: "none" };
    expect(await bank.carryOut(unreadable, false, waitUntil)).toEqual({ answer: NOT_SENT });
    expect(await bank.inquire(unreadable, waitUntil)).toEqual(NOT_SENT);
    expect(seen).toEqual([]);
  });
});

describe("an answer of the bank", () => {
  test.each<RefundAnswer>([
    { ...APPROVED, amountMinor: "99999999999999" },
    DECLINED,
    { ...DECLINED, externalTransactionId: "ext-1" },
    { kind: "expired", cause: "expired" },
    { kind: "not_found", cause: "not_found" },
    { kind: "unknown", cause: "pending" },
    { kind: "not_sent", cause: "limit", notBefore: "2026-03-01T12:00:00.000Z" },
  ])("is that of a call and of an inquiry: %o", async (answer) => {
    await paymentsAnswer(answered(answer));
    expect(await bank.carryOut(REFUND, false, waitUntil)).toEqual({ answer, reference: REFERENCE });
    expect(await bank.inquire(REFUND, waitUntil)).toEqual(answer);
  });

  test("is heard although it comes in the last moment", async () => {
    await paymentsAnswer(answered(DECLINED), async (deadlineAt) => {
      await eventually(() => Date.now() > deadlineAt);
    });
    expect(await bank.carryOut(REFUND, false, new Date(Date.now() + 2_000))).toMatchObject({
      answer: DECLINED,
    });
  });

  test("says that the next step need not wait", async () => {
    const expired = {
      answer: { kind: "expired", cause: "expired" },
      reference: REFERENCE,
      again: "now",
    } as const;
    await paymentsAnswer(() => ({ outcome: "done", result: expired }));
    const step = await bank.carryOut(REFUND, false, waitUntil);
    expect(step).toEqual(expired);
  });
});
