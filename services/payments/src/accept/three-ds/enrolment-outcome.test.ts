import type { CompletionOutcome, EnrolmentOutcome } from "@holdfast/acquirer";
import { describe, expect, test } from "vitest";
import { decideCompletion, decideEnrolment } from "./enrolment-outcome.ts";

const declined = { kind: "declined", resultCode: "authentication_failed", resultMessage: "no" } as const;
const FORM = { type: "post", url: "https://acs.example", fields: { a: "b" } } as const;
const CARD = { pan: "4539578763621486", cvv: "739" };
const PAGE = { type: "html", html: "<form>…</form>" } as const;
const REASONS = ["timeout", "connection_lost", "invalid_answer", "mismatch"] as const;

describe("an enrolment", () => {
  test.each<[string, EnrolmentOutcome, object]>([
    [
      "with a challenge waits for its cardholder",
      { kind: "challenge", session: "s", challenge: FORM },
      { to: "ENROLLED", session: "s", challenge: FORM },
    ],
    [
      "that is a page of the bank's own waits, too",
      { kind: "challenge", session: "s", challenge: PAGE },
      { to: "ENROLLED", session: "s", challenge: PAGE },
    ],
    [
      "whose challenge has the card in it is undone",
      { kind: "challenge", session: "s", challenge: { ...FORM, fields: { pan: CARD.pan } } },
      { to: "REVERSING", cause: "challenge_carries_card" },
    ],
    [
      "whose session has it is undone, too",
      { kind: "challenge", session: `s:${CARD.pan}`, challenge: PAGE },
      { to: "REVERSING", cause: "challenge_carries_card" },
    ],
    [
      "without one goes on",
      { kind: "authenticated", session: "s", authentication: { transStatus: "A" } },
      { to: "AUTHORIZING", session: "s", authentication: { transStatus: "A" } },
    ],
    [
      "that is declined ends",
      { ...declined, authentication: { transStatus: "N" } },
      { to: "FAILED", cause: "declined", result: { resultCode: "authentication_failed" } },
    ],
    [
      "that was not sent ends, and there is nothing to undo",
      { kind: "not_sent" },
      { to: "FAILED", cause: "acquirer_unavailable" },
    ],
  ])("%s", (_case, outcome, decision) => {
    expect(decideEnrolment(outcome, CARD)).toMatchObject(decision);
  });

  test.each(REASONS)("whose outcome is unknown (%s) is undone", (reason) => {
    expect(decideEnrolment({ kind: "unknown", reason }, CARD)).toEqual({ to: "REVERSING", cause: reason });
  });
});

describe("a completion", () => {
  test.each<[string, CompletionOutcome, object]>([
    ["that is declined ends", declined, { to: "FAILED", cause: "declined" }],
    [
      "that was not sent is not known: the enrolment was, under the same reference",
      { kind: "not_sent" },
      { to: "UNKNOWN", cause: "acquirer_unavailable" },
    ],
    ["without an answer is not known", { kind: "unknown", reason: "timeout" }, { to: "UNKNOWN" }],
    ["of another amount is undone", { kind: "unknown", reason: "mismatch" }, { to: "REVERSING" }],
  ])("%s", (_case, outcome, decision) => {
    expect(decideCompletion(outcome)).toMatchObject(decision);
  });
});
