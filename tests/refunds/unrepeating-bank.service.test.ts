import { evenSchedule, eventually } from "../support/index.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startBankFront } from "./bank-front.ts";
import { FAST, startBehindFront, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

/** A bank that pays a refund as often as it gets it: a lost call may be on its way, and must not be overtaken. */
let refunds: RefundsHarness;
/** The service for tests that end while the first request may arrive, however slow the machine is. */
let patient: RefundsHarness;

const CALL = 1_000;
const LATE = 3_000;

const start = (lateMs: number) =>
  startRefundsHarness({
    bank: { repetition: "none" },
    env: { ACQUIRER_LATE_ARRIVAL: `${lateMs}ms` },
    payments: { ACQUIRER_TIMEOUT: `${CALL}ms` },
    refunds: {
      RECOVERY_SCHEDULE: evenSchedule(200, 60),
      RECOVERY_INTERVAL: "30ms",
    },
  });
beforeAll(async () => {
  refunds = await start(LATE);
  patient = await start(600_000);
});
afterEach(async () => {
  for (const harness of [refunds, patient]) await harness.acquirerWillBehave();
});
afterAll(async () => {
  for (const harness of [refunds, patient]) {
    expect(await harness.broken()).toEqual([]);
    await harness.close();
  }
});

/** An approved refund of 10.00 whose request is still somewhere between us and the bank. */
async function lostRefund(operation: "refund" | "release" = "refund", harness = refunds) {
  const paymentId = await harness.pay("10000", operation === "refund" ? "sale" : "authorization");
  const refundId = await harness.queue(paymentId, "1000");
  await harness.acquirerWill(operation, "hang_before");
  await harness.approve(refundId);
  return { paymentId, refundId };
}

const row = async (refundId: string, harness = refunds) => {
  const [found] = await harness.query<{ recovery_attempts: number; last_inquiry: string; seconds: number }>(
    `select recovery_attempts, last_inquiry, extract(epoch from (
       select max(sent_at) from payments.bank_call where movement_id = refund_id) - approved.at)::float8 as seconds
     from refunds.refund join refunds.refund_history as approved using (refund_id)
     where refund_id = $1 and to_state = 'EXECUTING'`,
    [refundId],
  );
  return found!;
};

async function arrive(
  operation: string,
  reference: string,
  parentReference: string,
  harness = refunds,
): Promise<void> {
  const body = { reference, parentReference, amountMinor: 1_000 };
  expect(await harness.acquirerGets(operation, body)).toMatchObject({ outcome: "approved" });
}

test.each(["refund", "release"] as const)(
  "a %s that the bank has not seen is not sent again while the first request may arrive",
  async (operation) => {
    const { paymentId, refundId } = await lostRefund(operation, patient);
    await eventually(async () => {
      const { recovery_attempts, last_inquiry } = await row(refundId, patient);
      return recovery_attempts >= 4 && last_inquiry === "not_found";
    });
    expect(await patient.ledger(refundId)).toEqual([]);
    await arrive(operation, `${refundId}:refund`, paymentId, patient);
    expect(await patient.settled(refundId)).toBe("SUCCESS");
    expect(await patient.ledger(refundId)).toEqual([`${operation} approved 1000`]);
  },
);

test("one that can no longer arrive is sent again, and paid once", async () => {
  const { refundId } = await lostRefund();
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
  expect((await row(refundId)).seconds).toBeGreaterThanOrEqual((CALL + LATE) / 1_000);
  expect(await refunds.ledger(refundId)).toEqual(["refund approved 1000"]);
});

test("that the bank could not be asked does not mean that nothing was sent", async () => {
  const {
    refunds: alone,
    front,
    close,
  } = await startBehindFront(
    {
      payments: { ACQUIRER_LATE_ARRIVAL: "1h" },
      refunds: { ...FAST, ACQUIRER_TIMEOUT: "5s", LEASE_DURATION: "15s" },
    },
    { bank: { repetition: "none" } },
  );
  const paymentId = await alone.pay();
  const refundId = await alone.queue(paymentId, "1000");
  await alone.acquirerWill("refund", "hang_before");
  await alone.approve(refundId);
  const lastInquiry = async () => {
    const reply = await alone.describe(refundId);
    return "result" in reply ? reply.result.lastInquiry : undefined;
  };
  const url = new URL(front.url);
  await front.close();
  await eventually(async () => (await lastInquiry()) === "acquirer_unavailable");
  const again = await startBankFront(alone.acquirer.url, Number(url.port));
  await eventually(async () => (await lastInquiry()) === "not_found");
  const attempts = async () => {
    const reply = await alone.describe(refundId);
    return "result" in reply ? reply.result.attempts : 0;
  };
  const before = await attempts();
  await eventually(async () => (await attempts()) > before);
  expect(await alone.ledger(refundId)).toEqual([]);
  await again.close();
  await close();
});

test("one of which nothing was sent waits for nothing", async () => {
  const {
    refunds: alone,
    front,
    close,
  } = await startBehindFront(
    { payments: { ACQUIRER_LATE_ARRIVAL: "1h" }, refunds: FAST },
    { bank: { repetition: "none" } },
  );
  const refundId = await alone.queue(await alone.pay(), "1000");
  const url = new URL(front.url);
  await front.close();
  await alone.approve(refundId);
  await eventually(async () => {
    const reply = await alone.describe(refundId);
    return "result" in reply && reply.result.lastInquiry === "acquirer_unavailable";
  });
  const again = await startBankFront(alone.acquirer.url, Number(url.port));
  expect(await alone.settled(refundId)).toBe("SUCCESS");
  expect(await alone.ledger(refundId)).toEqual(["refund approved 1000"]);
  await again.close();
  await close();
});
