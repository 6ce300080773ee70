import { randomUUID } from "node:crypto";
import { operations, type Command, type CommandContext } from "@holdfast/contracts";
import { FAILPOINTS, type Failpoint } from "@holdfast/service-runtime";
import type { LoggedChild } from "@holdfast/sandbox/infrastructure";
import { eventually } from "../support/index.ts";
import type { z } from "zod";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

/**
 * Real processes that die by SIGKILL at each step of a refund, and another that takes over. Afterwards the promises
 * hold, asked of the bank's ledger and the rows of both schemas.
 */
let refunds: RefundsHarness;

beforeAll(async () => {
  refunds = await startRefundsHarness({
    env: {
      ...FAST,
      ACQUIRER_TIMEOUT: "250ms",
      LEASE_DURATION: "750ms",
      DRAIN_TIMEOUT: "100ms",
    },
    refunds: { PAYMENTS_TIMEOUT: "1500ms" },
    running: [],
  });
});
afterAll(() => refunds.close());

/** The service as a process of its own that dies at `point`. */
async function startDoomed(service: "refunds" | "payments", point: Failpoint): Promise<LoggedChild> {
  const doomed = await refunds.spawn(service, { FAILPOINTS: `${point}:kill@1` });
  // A process that outlives its test would die of another test's request.
  onTestFinished(() => doomed.kill("SIGKILL"));
  return doomed;
}

/** Sends the request at which it dies, until it is dead; the caller gets no answer in time. */
async function killBy<Context extends CommandContext, Request extends z.ZodType>(
  doomed: LoggedChild,
  command: Command<Request, z.ZodType, Context>,
  context: Context,
  payload: z.input<Request>,
): Promise<void> {
  refunds.request(command, context, payload).catch(() => {});
  expect(await doomed.exited).toMatchObject({ signal: "SIGKILL" });
}

/** A request that is late is refused before it reaches the point at which its process dies. */
const merchant = () => refunds.context({ deadlineAt: Date.now() + 4_000 });
/** The approval of a person who has agreed at payments, which lives. */
async function killByApproval(doomed: LoggedChild, refundId: string): Promise<void> {
  const agreed = await refunds.agree(refundId);
  await killBy(doomed, operations.approveRefund.command, await operator(), { refundId, ...agreed });
}

const operator = async () => ({ ...(await refunds.operatorContext()), deadlineAt: Date.now() + 5_000 });

async function expectAllSound(): Promise<void> {
  await eventually(async () => expect(await refunds.broken()).toEqual([]), { everyMs: 50 });
}

const REQUEST_POINTS = ["before_claim", "after_claim", "after_reservation", "after_request"] as const;
const END_POINTS = [
  "after_decision",
  "after_acquirer",
  "after_outcome",
  "after_payments_told",
  "after_end",
] as const;
const RESERVATION_POINTS = ["before_reservation", "after_reservation"] as const;
const BANK_POINTS = [
  "after_call_begin",
  "before_refund_call",
  "after_call",
  "after_call_note",
  "after_refund_call",
] as const;
/** Points behind which the bank has paid. */
const PAID: ReadonlySet<string> = new Set(["after_call", "after_call_note", "after_refund_call"]);
const RESERVATION_END_POINTS = ["before_reservation_end", "after_reservation_end"] as const;

describe("kill -9 of refunds", () => {
  let payments: { stop(): Promise<void> };
  beforeAll(async () => {
    payments = await refunds.startPayments();
  });
  afterAll(() => payments.stop());

  test.each(REQUEST_POINTS)("while a refund is asked for, %s", async (point) => {
    const paymentId = await refunds.pay();
    const doomed = await startDoomed("refunds", `refunds.${point}`);
    const refundId = randomUUID();
    const context = merchant();
    await killBy(doomed, operations.requestRefund.command, context, {
      refundId,
      paymentId,
      amountMinor: "6000",
      currency: "TRY",
    });
    const healthy = await refunds.startRefunds();
    const accepted = point === "after_request";
    expect(await refunds.settled(refundId)).toBe(accepted ? "PENDING_APPROVAL" : undefined);
    expect(await refunds.amounts(paymentId)).toMatchObject({ reserved: accepted ? 6000 : 0 });
    expect(await refunds.ask(paymentId, "6000")).toMatchObject({ outcome: accepted ? "problem" : "done" });
    await expectAllSound();
    await healthy.stop();
  });

  test.each(END_POINTS)("while an approved one is carried out, %s", async (point) => {
    const before = await refunds.startRefunds();
    const paymentId = await refunds.pay();
    const refundId = await refunds.queue(paymentId, "6000");
    await before.stop();
    const doomed = await startDoomed("refunds", `refunds.${point}`);
    await killByApproval(doomed, refundId);
    const healthy = await refunds.startRefunds();
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await refunds.ledger(refundId)).toEqual(["refund approved 6000"]);
    expect(await refunds.events(refundId)).toEqual(["SUCCESS"]);
    await expectAllSound();
    await healthy.stop();
  });

  test("while one is rejected, before payments is told", async () => {
    const before = await refunds.startRefunds();
    const paymentId = await refunds.pay();
    const refundId = await refunds.queue(paymentId, "6000");
    await before.stop();
    const doomed = await startDoomed("refunds", "refunds.after_decision");
    await killBy(doomed, operations.rejectRefund.command, await operator(), { refundId, reason: "no" });
    const healthy = await refunds.startRefunds();
    expect(await refunds.settled(refundId)).toBe("REJECTED");
    expect(await refunds.amounts(paymentId)).toMatchObject({ reserved: 0 });
    await expectAllSound();
    await healthy.stop();
  });

  test.each(["after_inquiry", "after_undo_told"] as const)("in recovery itself, %s", async (point) => {
    const before = await refunds.startRefunds();
    const paymentId = await refunds.pay();
    const refundId = await refunds.queue(paymentId, "6000");
    await before.stop();
    const first = await startDoomed(
      "refunds",
      point === "after_inquiry" ? "refunds.after_acquirer" : "refunds.after_reservation",
    );
    const asked = randomUUID();
    const payload = { refundId: asked, paymentId, amountMinor: "1000", currency: "TRY" };
    if (point === "after_inquiry") await killByApproval(first, refundId);
    else await killBy(first, operations.requestRefund.command, merchant(), payload);
    const second = await startDoomed("refunds", `refunds.${point}`);
    expect(await second.exited).toMatchObject({ signal: "SIGKILL" });
    const healthy = await refunds.startRefunds();
    expect(await refunds.settled(refundId)).toBe(point === "after_inquiry" ? "SUCCESS" : "PENDING_APPROVAL");
    expect(await refunds.settled(asked)).toBeUndefined();
    await expectAllSound();
    await healthy.stop();
  });
});

describe("kill -9 of payments", () => {
  let surviving: { stop(): Promise<void> };
  beforeAll(async () => {
    surviving = await refunds.startRefunds();
  });
  afterAll(() => surviving.stop());

  test.each(RESERVATION_POINTS)("%s", async (point) => {
    const before = await refunds.startPayments();
    const paymentId = await refunds.pay();
    await before.stop();
    const doomed = await startDoomed("payments", `payments.${point}`);
    const refundId = randomUUID();
    const context = merchant();
    await killBy(doomed, operations.requestRefund.command, context, {
      refundId,
      paymentId,
      amountMinor: "6000",
      currency: "TRY",
    });
    const healthy = await refunds.startPayments();
    expect(await refunds.settled(refundId)).toBeUndefined();
    expect(await refunds.amounts(paymentId)).toMatchObject({ reserved: 0 });
    expect(await refunds.ask(paymentId, "10000")).toMatchObject({ outcome: "done" });
    await expectAllSound();
    await healthy.stop();
  });

  test.each(BANK_POINTS)("%s", async (point) => {
    const before = await refunds.startPayments();
    const paymentId = await refunds.pay();
    const refundId = await refunds.queue(paymentId, "6000");
    await before.stop();
    const doomed = await startDoomed("payments", `payments.${point}`);
    await killByApproval(doomed, refundId);
    const paid = PAID.has(point) ? ["refund approved 6000"] : [];
    // A call that our time-out has ended may still be on its way into the bank's book.
    await eventually(async () => expect(await refunds.ledger(refundId)).toEqual(paid), { everyMs: 50 });
    const healthy = await refunds.startPayments();
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await refunds.ledger(refundId)).toEqual(["refund approved 6000"]);
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 6000, released: 0 });
    expect(await refunds.events(refundId)).toEqual(["SUCCESS"]);
    await expectAllSound();
    await healthy.stop();
  });

  test("in recovery itself, after the inquiry, and once the reference of the next call is committed", async () => {
    const before = await refunds.startPayments();
    const refundId = await refunds.queue(await refunds.pay(), "6000");
    await before.stop();
    const first = await startDoomed("payments", "payments.after_call");
    await refunds.acquirerWill("refund", "expire");
    await killByApproval(first, refundId);
    for (const point of ["payments.after_refund_inquiry", "payments.after_call_begin"] as const) {
      const next = await startDoomed("payments", point);
      expect(await next.exited).toMatchObject({ signal: "SIGKILL" });
    }
    const healthy = await refunds.startPayments();
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    const references = (await refunds.wholeLedger())
      .filter(({ reference }) => reference.startsWith(refundId))
      .map(({ reference, outcome }) => `${reference} ${outcome}`);
    expect(references).toEqual([`${refundId}:refund declined`, `${refundId}:refund:2 approved`]);
    await expectAllSound();
    await healthy.stop();
  });

  test.each(RESERVATION_END_POINTS)("%s", async (point) => {
    const before = await refunds.startPayments();
    const paymentId = await refunds.pay();
    const [paid, rejected] = [await refunds.queue(paymentId, "6000"), await refunds.queue(paymentId, "4000")];
    await before.stop();
    const doomed = await startDoomed("payments", `payments.${point}`);
    await killByApproval(doomed, paid);
    await refunds.reject(rejected);
    const healthy = await refunds.startPayments();
    expect(await refunds.settled(paid)).toBe("SUCCESS");
    expect(await refunds.settled(rejected)).toBe("REJECTED");
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 6000, released: 0 });
    await expectAllSound();
    await healthy.stop();
  });
});

test("every point of the service is one of those at which it was killed", () => {
  const killed = [...REQUEST_POINTS, ...END_POINTS, "after_inquiry", "after_undo_told"];
  const points = FAILPOINTS.filter((name) => name.startsWith("refunds."));
  expect(points.toSorted()).toEqual(killed.map((point) => `refunds.${point}`).toSorted());
});

test("every point of payments that is about refunds is one of those at which it was killed", () => {
  const killed = [...RESERVATION_POINTS, ...BANK_POINTS, "after_refund_inquiry", ...RESERVATION_END_POINTS];
  const points = FAILPOINTS.filter((name) =>
    /^payments\..*(reservation|refund_call|refund_inquiry|after_call)/.test(name),
  );
  expect(points.toSorted()).toEqual(killed.map((point) => `payments.${point}`).toSorted());
});
