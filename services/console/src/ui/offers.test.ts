import type { OperatorRefund, OperatorRole } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { offersOfPayment, offersOfRefund, type Action } from "./offers.ts";
import { ENGLISH } from "./texts.ts";

const refund = (change: Partial<OperatorRefund> = {}) =>
  ({ state: "PENDING_APPROVAL", approvedBy: [], ...change }) as unknown as OperatorRefund;
const person = (...roles: OperatorRole[]) => ({ subject: "alice", roles: new Set(roles) });
const why = (offers: { action: Action; why?: string | undefined }[], action: Action) =>
  offers.find((offer) => offer.action === action)?.why;

test("an approver decides about a refund that waits", () => {
  const offers = offersOfRefund(refund(), person("approver"), ENGLISH);
  expect(why(offers, "approve")).toBeUndefined();
  expect(why(offers, "reject")).toBeUndefined();
  expect(why(offers, "inquire")).toBe("it needs the role operations");
});

test.each([
  [{ requestedBy: "alice" }, ENGLISH.whyRequested, undefined],
  [{ credentialIssuedBy: "alice" }, ENGLISH.whyCredential, ENGLISH.whyCredential],
  [{ approvedBy: [{ operator: "alice", at: "2026-11-23T12:00:00Z" }] }, ENGLISH.whyApproved, undefined],
  [{ state: "EXECUTING" }, ENGLISH.whyDecided, ENGLISH.whyDecided],
])("with %j a different person approves", (change, approve, reject) => {
  const offers = offersOfRefund(refund(change), person("approver"), ENGLISH);
  expect([why(offers, "approve"), why(offers, "reject")]).toEqual([approve, reject]);
});

test("who has approved a refund does so again where payments does not know of it", () => {
  const again = {
    state: "EXECUTING",
    lastInquiry: "refund_not_agreed",
    approvedBy: [{ operator: "alice", at: "2026-11-23T12:00:00Z" }],
  } as const;
  const offers = offersOfRefund(
    refund({ ...again, approvedBy: [...again.approvedBy] }),
    person("approver"),
    ENGLISH,
  );
  expect([why(offers, "approve"), why(offers, "reject")]).toEqual([undefined, ENGLISH.whyDecided]);
});

test("a person of staff of the same name is another person", () => {
  const asked = { requestedBy: "alice", requestedByStaff: true, credentialIssuedBy: "alice" } as const;
  const offers = offersOfRefund(
    refund({ ...asked, credentialIssuedByStaff: true }),
    person("approver"),
    ENGLISH,
  );
  expect([why(offers, "approve"), why(offers, "reject")]).toEqual([undefined, undefined]);
});

test("an admin settles what is unknown and decides about no refund", () => {
  const offers = offersOfRefund(refund({ state: "EXECUTING" }), person("admin"), ENGLISH);
  expect(why(offers, "inquire")).toBeUndefined();
  expect(why(offers, "resolve")).toBeUndefined();
  expect(why(offers, "approve")).toBe("it needs the role approver");
});

test("of a payment the unresolved one is inquired about, and the captured one refunded", () => {
  const payment = { status: "SUCCESS", capturedAmount: 12.5, refundableAmount: 0 };
  const life = (change: object) => ({ unresolved: false, payment: { ...payment, ...change } }) as never;
  const offersOf = (change: object) => offersOfPayment(life(change), person("operations"), ENGLISH);
  expect(why(offersOf({}), "refund")).toBe(ENGLISH.whyNotRefundable);
  expect(why(offersOf({ refundableAmount: 1 }), "refund")).toBeUndefined();
  const sale = {
    capturedAmount: undefined,
    refundableAmount: undefined,
    amount: 5,
    transactionType: "PAYMENT",
  };
  expect(why(offersOf(sale), "refund")).toBeUndefined();
  const reserved = { ...sale, transactionType: "PRE_AUTHORIZATION" };
  expect(why(offersOf(reserved), "refund")).toBe(ENGLISH.whyNotRefundable);
  expect(why(offersOf({}), "inquire")).toBe(ENGLISH.whyKnown);
  const unresolved = { unresolved: true, payment: { status: "ENROLLED" } } as never;
  expect(why(offersOfPayment(unresolved, person("operations"), ENGLISH), "reverse")).toBeUndefined();
});
