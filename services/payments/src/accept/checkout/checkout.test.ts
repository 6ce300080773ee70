import { CHECKOUT_STATUSES } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { PAYMENT_STATES, type PaymentState } from "../../payment/payment.ts";
import { CHECKOUT_TRANSITIONS, decideCheckout, mayBePaid, transitionCheckout } from "./checkout.ts";

const open = { state: "OPEN", isExpired: false, attempts: 1 } as const;
const attempt = (state: PaymentState, hasSucceeded = false) => ({ state, hasSucceeded });
const ATTEMPTS_MAX = 3;

test("a closed checkout stays as it is, whatever its clock and its payment say", () => {
  for (const state of CHECKOUT_STATUSES.filter((status) => status !== "OPEN")) {
    const closed = { ...open, state, isExpired: true };
    expect(decideCheckout(closed, attempt("SUCCESS", true), ATTEMPTS_MAX)).toBe(state);
    expect(mayBePaid(closed, undefined, ATTEMPTS_MAX)).toBe(false);
    expect(CHECKOUT_TRANSITIONS[state]).toEqual([]);
    expect(() => transitionCheckout(state, "OPEN")).toThrow(`${state} does not lead to OPEN`);
  }
});

test.each(PAYMENT_STATES.filter((state) => !["FAILED", "REJECTED", "CANCELLED"].includes(state)))(
  "nothing closes a checkout over a payment that is %s, and nothing else is begun on it",
  (state) => {
    for (const isExpired of [false, true]) {
      for (const attempts of [1, ATTEMPTS_MAX]) {
        const standing = { ...open, isExpired, attempts };
        expect(decideCheckout(standing, attempt(state), ATTEMPTS_MAX)).toBe("OPEN");
        expect(mayBePaid(standing, attempt(state), ATTEMPTS_MAX)).toBe(false);
      }
    }
  },
);

test.each(PAYMENT_STATES)("a payment that has succeeded completes it, now being %s", (state) => {
  const standing = { ...open, isExpired: true, attempts: ATTEMPTS_MAX };
  expect(decideCheckout(standing, attempt(state, true), ATTEMPTS_MAX)).toBe("COMPLETED");
  expect(mayBePaid(standing, attempt(state, true), ATTEMPTS_MAX)).toBe(false);
});

test.each(["FAILED", "REJECTED", "CANCELLED"] as const)(
  "a payment that is %s leaves it to the next",
  (state) => {
    expect(decideCheckout(open, attempt(state), ATTEMPTS_MAX)).toBe("OPEN");
    expect(mayBePaid(open, attempt(state), ATTEMPTS_MAX)).toBe(true);
    expect(decideCheckout({ ...open, isExpired: true }, attempt(state), ATTEMPTS_MAX)).toBe("EXPIRED");
    expect(decideCheckout({ ...open, attempts: ATTEMPTS_MAX }, attempt(state), ATTEMPTS_MAX)).toBe(
      "CANCELLED",
    );
    expect(mayBePaid({ ...open, attempts: ATTEMPTS_MAX }, attempt(state), ATTEMPTS_MAX)).toBe(false);
  },
);

test("a checkout without a payment is open until its time", () => {
  const untouched = { ...open, attempts: 0 };
  expect(mayBePaid(untouched, undefined, ATTEMPTS_MAX)).toBe(true);
  expect(decideCheckout({ ...untouched, isExpired: true }, undefined, ATTEMPTS_MAX)).toBe("EXPIRED");
  expect(mayBePaid({ ...untouched, isExpired: true }, undefined, ATTEMPTS_MAX)).toBe(false);
});
