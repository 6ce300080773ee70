import type { StoredReservation } from "@holdfast/contracts";
import { describe, expect, test } from "vitest";
import { REFUND_STATES, type RefundState } from "../refund/refund.ts";
import { judgeReservation, type ComparedRefund } from "./judge-reservation.ts";

const HELD = ["ACTIVE", "SETTLED", "RELEASED", "REFUSED", undefined] as const;

const refundIn = (state: RefundState): ComparedRefund => ({
  refund_id: "r",
  payment_id: "p",
  merchant_id: "m",
  state,
  amount_minor: 100n,
  currency: "TRY",
  kind: "refund",
  traceparent: null,
});
const reserved = (state: (typeof HELD)[number]): StoredReservation | undefined =>
  state && { refundId: "r", paymentId: "p", amountMinor: "100", kind: "refund", state, ageSeconds: 1 };

test("each pair of states is either right or a difference of a kind of its own", () => {
  const judged = (state: RefundState | undefined) =>
    HELD.map((held) => judgeReservation(state && refundIn(state), reserved(held)) ?? "-");
  expect(
    Object.fromEntries([undefined, ...REFUND_STATES].map((state) => [state ?? "none", judged(state)])),
  ).toEqual({
    //                 ACTIVE                        SETTLED                     RELEASED, REFUSED, none
    none: ["reservation_without_refund", "settled_without_refund", "-", "-", "-"],
    RESERVING: ["-", "settled_before_decision", "-", "-", "-"],
    PENDING_APPROVAL: ["-", "settled_before_decision", ...GONE],
    EXECUTING: ["-", "settled_before_decision", ...GONE],
    SETTLING: ["-", "-", ...GONE],
    FAILING: ["-", "settled_though_not_paid", "-", "-", "-"],
    REJECTING: ["-", "settled_though_not_paid", "-", "-", "-"],
    SUCCESS: ["success_not_settled", "-", ...GONE],
    FAILED: ["end_not_released", "settled_though_not_paid", "-", "-", "-"],
    REJECTED: ["end_not_released", "settled_though_not_paid", "-", "-", "-"],
  });
});

const GONE = ["reservation_released", "reservation_released", "refund_without_reservation"];

describe("a reservation of another", () => {
  test.each([
    ["payment", { paymentId: "q" }],
    ["amount", { amountMinor: "101" }],
    ["kind", { kind: "release" as const }],
  ])("%s differs; a tombstone has none", (_, change) => {
    const other = (state: "ACTIVE" | "RELEASED") => ({ ...reserved(state)!, ...change });
    expect(judgeReservation(refundIn("PENDING_APPROVAL"), other("ACTIVE"))).toBe("amount_differs");
    expect(judgeReservation(refundIn("FAILED"), other("RELEASED"))).toBeUndefined();
  });
});
