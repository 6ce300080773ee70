import { describe, expect, test } from "vitest";
import type { ObservedRefund, ObservedRefunds } from "./observed-refunds.ts";
import { brokenRefundInvariants } from "./refund-invariants.ts";

const PAYMENT = "0199aaaa-0000-7000-8000-000000000001";
const [PAID, WAITING, REJECTED] = [2, 3, 4].map((n) => `0199aaaa-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
];

const refund = (refundId: string, state: string, amountMinor: bigint): ObservedRefund => ({
  refundId,
  paymentId: PAYMENT,
  merchantId: "m",
  state,
  kind: "refund",
  currency: "TRY",
  amountMinor,
  requestedBy: null,
  rejectedBy: state === "REJECTED" ? "bora" : null,
});
const line = (operation: string, reference: string, amountMinor: number) => ({
  at: "2026-11-20T12:00:02.000Z",
  operation,
  reference,
  parentReference: operation === "sale" ? null : PAYMENT,
  amountMinor,
  currency: "TRY",
  outcome: "approved",
});
const step = (refundId: string, version: number, from: string, to: string, xactId: number) => ({
  refundId,
  version,
  from,
  to,
  xactId: BigInt(xactId),
});

/** A sale of 100 with 30 paid back, 20 waiting, and 60 rejected before. */
function sound(): ObservedRefunds {
  return {
    ledger: [line("sale", PAYMENT, 100), line("refund", `${PAID}:refund`, 30)],
    payments: [
      {
        paymentId: PAYMENT,
        merchantId: "m",
        transactionType: "PAYMENT",
        state: "SUCCESS",
        currency: "TRY",
        amountMinor: 100n,
        capturedMinor: 0n,
        releasedMinor: 0n,
        reservedMinor: 20n,
        refundedMinor: 30n,
      },
    ],
    reservations: [
      { refundId: PAID, paymentId: PAYMENT, amountMinor: 30n, state: "SETTLED" },
      { refundId: WAITING, paymentId: PAYMENT, amountMinor: 20n, state: "ACTIVE" },
      { refundId: REJECTED, paymentId: PAYMENT, amountMinor: 60n, state: "RELEASED" },
    ],
    refunds: [
      refund(PAID, "SUCCESS", 30n),
      refund(WAITING, "PENDING_APPROVAL", 20n),
      refund(REJECTED, "REJECTED", 60n),
    ],
    history: [
      step(REJECTED, 1, "RESERVING", "PENDING_APPROVAL", 1),
      step(PAID, 1, "RESERVING", "PENDING_APPROVAL", 2),
      step(REJECTED, 2, "PENDING_APPROVAL", "REJECTING", 3),
      step(PAID, 2, "PENDING_APPROVAL", "EXECUTING", 4),
      step(WAITING, 1, "RESERVING", "PENDING_APPROVAL", 5),
    ],
    approvals: [{ refundId: PAID, approvedBy: "olga", at: new Date("2026-11-20T12:00:01Z") }],
    audit: [
      { actor: "olga", action: "refund.approved", subject: PAID },
      { actor: "bora", action: "refund.rejected", subject: REJECTED },
    ],
    twoApproversAbove: {},
  };
}

test("a sound run breaks nothing", () => {
  expect(brokenRefundInvariants(sound())).toEqual([]);
});

describe("each promise is seen broken", () => {
  test.each<[string, (observed: ObservedRefunds) => void]>([
    ["9", ({ history }) => (history[2]!.xactId = 9n)],
    ["10", ({ refunds }) => (refunds[1]!.merchantId = "another")],
    ["10", ({ payments }) => (payments[0]!.state = "FAILED")],
    ["11", ({ reservations }) => (reservations[1]!.state = "RELEASED")],
    ["11", ({ reservations }) => (reservations[0]!.amountMinor = 31n)],
    ["11", ({ refunds }) => refunds.splice(1, 1)],
    ["11", ({ payments }) => (payments[0]!.refundedMinor = 0n)],
    ["12", ({ ledger }) => ledger.push(line("refund", `${PAID}:again`, 30))],
    ["12", ({ ledger }) => ledger.push(line("refund", `${WAITING}:refund`, 20))],
    ["12", ({ ledger }) => ledger.pop()],
    ["12", ({ ledger }) => ledger.push(line("refund", "0199aaaa-0000-7000-8000-000000000009:refund", 1))],
    ["12", ({ approvals }) => (approvals[0]!.at = new Date("2026-11-20T12:00:03Z"))],
    ["13", ({ refunds }) => (refunds[0]!.requestedBy = "olga")],
    ["13", ({ audit }) => audit.pop()],
    ["13", (observed) => (observed.twoApproversAbove = { TRY: 29n })],
    ["29", ({ ledger }) => (ledger[0]!.amountMinor = 101)],
    ["29", ({ refunds }) => (refunds[0]!.state = "FAILED")],
    ["nothing", ({ refunds }) => (refunds[1]!.state = "EXECUTING")],
  ])("%s", (number, break_) => {
    const observed = sound();
    break_(observed);
    const broken = brokenRefundInvariants(observed);
    expect(broken.some((violation) => violation.startsWith(number))).toBe(true);
  });
});
