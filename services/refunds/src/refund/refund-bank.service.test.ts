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
  sub_reference: 2,
  created_at: new Date("2026-03-01T12:00:00.123Z"),
  traceparent: null,
};

type Reply = CommandReply<{ answer: RefundAnswer }>;

/** Has `payments` answer both commands so, until the test ends. @returns what it gets. */
async function paymentsAnswer(reply: () => Reply, when = async (_deadlineAt: number): Promise<void> => {}) {
  const seen: { payload: RefundAtBank; deadlineAt: number }[] = [];
  const known = { repetition: "replay", lateArrivalMs: 5_000 } as const;
  const take = async ({ deadlineAt }: { deadlineAt: number }, payload: RefundAtBank) => {
    seen.push({ payload, deadlineAt });
    await when(deadlineAt);
    return reply();
  };
  const payments = await serveCommands(nats.url, "payments", [
    handler(carryOutRefundAtBank, async ({ context, payload }) => take(context, payload)),
    handler(inquireRefundAtBank, async ({ context, payload }) => {
      const taken = await take(context, payload);
      return "result" in taken ? { ...taken, result: { ...taken.result, ...known } } : taken;
    }),
  ]);
  onTestFinished(() => payments.stop());
  return seen;
}

const answered = (answer: RefundAnswer) => (): Reply => ({ outcome: "done", result: { answer } });

/** The terms of a bank that could not be asked: none that would allow a second call. */
const UNASKED = { repetition: "none", lateArrivalMs: Infinity };
const NOT_SENT = { kind: "not_sent" };
const LOST = { kind: "unknown", reason: "timeout" };

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
  const seen = await paymentsAnswer(answered({ kind: "not_sent" }));
  await bank.carryOut(REFUND, waitUntil);
  await bank.inquire(REFUND, waitUntil);
  const payload = {
    refundId: REFUND.refund_id,
    paymentId: REFUND.payment_id,
    kind: "release",
    amountMinor: "99999999999999",
    currency: "TRY",
    subReference: 2,
    decidedAt: "2026-03-01T12:00:00.123Z",
  };
  const expected = { payload, deadlineAt: waitUntil.getTime() };
  expect(seen).toEqual([expected, expected]);
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
      "payments failed: the call may have been made",
      () => {
        throw new Error("bug");
      },
      LOST,
    ],
    ["payments does not know: the call may have been made", () => ({ outcome: "in_doubt" }), LOST],
    [
      "payments is at it still: the call may have been made",
      () => ({ outcome: "pending", result: { answer: { kind: "not_sent" } } }),
      LOST,
    ],
    [
      "payments answers what cannot be read: the call may have been made",
      answered({ kind: "paid" } as never),
      LOST,
    ],
  ])("%s", async (_, reply, verdict) => {
    await paymentsAnswer(reply);
    expect(await bank.carryOut(REFUND, waitUntil)).toEqual(verdict);
    expect(await bank.inquire(REFUND, waitUntil)).toEqual({ verdict, ...UNASKED });
  });

  test("nobody serves the commands: nothing was sent", async () => {
    expect(await bank.carryOut(REFUND, waitUntil)).toEqual(NOT_SENT);
    expect(await bank.inquire(REFUND, waitUntil)).toEqual({ verdict: NOT_SENT, ...UNASKED });
  });

  test("payments could not read the message: nothing was sent", async () => {
    const seen = await paymentsAnswer(answered({ kind: "not_sent" }));
    const unreadable = { ...REFUND, sub_reference: 0 };
    expect(await bank.carryOut(unreadable, waitUntil)).toEqual(NOT_SENT);
    expect(await bank.inquire(unreadable, waitUntil)).toEqual({ verdict: NOT_SENT, ...UNASKED });
    expect(seen).toEqual([]);
  });
});

describe("an answer of the bank", () => {
  const known = { repetition: "replay", lateArrivalMs: 5_000 };

  test.each<[RefundAnswer, object]>([
    [
      { ...APPROVED, amountMinor: "99999999999999" },
      { ...APPROVED, amountMinor: 99_999_999_999_999n },
    ],
    [DECLINED, DECLINED],
    [
      { ...DECLINED, externalTransactionId: "ext-1" },
      { ...DECLINED, externalTransactionId: "ext-1" },
    ],
    [{ kind: "expired" }, { kind: "expired" }],
    [
      { kind: "unknown", reason: "pending" },
      { kind: "unknown", reason: "pending" },
    ],
    [{ kind: "not_sent" }, NOT_SENT],
  ])("is that of a call and of an inquiry: %o", async (answer, verdict) => {
    await paymentsAnswer(answered(answer));
    expect(await bank.carryOut(REFUND, waitUntil)).toEqual(verdict);
    expect(await bank.inquire(REFUND, waitUntil)).toEqual({ verdict, ...known });
  });

  test("is heard although it comes in the last moment", async () => {
    await paymentsAnswer(answered(DECLINED), async (deadlineAt) => {
      await eventually(() => Date.now() > deadlineAt);
    });
    expect(await bank.carryOut(REFUND, new Date(Date.now() + 2_000))).toEqual(DECLINED);
  });

  test.each<RefundAnswer>([{ kind: "not_found" }, { kind: "reversed" }])(
    "that an inquiry gives proves nothing of a call: $kind",
    async (answer) => {
      await paymentsAnswer(answered(answer));
      expect(await bank.inquire(REFUND, waitUntil)).toEqual({ verdict: answer, ...known });
      const lost = { kind: "unknown", reason: "invalid_answer" };
      expect(await bank.carryOut(REFUND, waitUntil)).toEqual(lost);
    },
  );
});
