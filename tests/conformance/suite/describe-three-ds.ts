import { expect, test } from "vitest";

import type { CompletionOutcome, CompletionRequest, EnrolmentRequest } from "@holdfast/acquirer";
import type { Bench } from "./bench.ts";
import { kindOf } from "./kind-of.ts";

/**
 * Tests that an enrolment moves no money and that its completion does, once, and only for an authenticated cardholder.
 */
export function describeThreeDs(bench: () => Bench): void {
  describeChallenges(bench);
  describeWithoutChallenge(bench);
  describeBounds(bench);
}

function describeChallenges(bench: () => Bench): void {
  test.for(["authorize", "sale"] as const)(
    "a challenge that is passed completes as %s, once",
    async (operation) => {
      const { acquirer, calls, setup } = bench();
      const { request, session, challenge, completion } = await challenged(bench(), operation);
      expect(session).toMatch(/./);
      expect(challenge).toEqual({
        type: "post",
        url: expect.stringMatching(/^https?:\/\//),
        fields: expect.any(Object),
      });
      expect(await calls.verdict(acquirer, request)).toEqual({ kind: "not_found" });
      await setup.answerChallenge(challenge, "pass");
      expect(await calls.verdict(acquirer, request)).toEqual({ kind: "not_found" });
      const outcome = await acquirer.complete(completion);
      expect(outcome).toMatchObject({
        kind: "approved",
        amountMinor: request.amountMinor,
        authentication: {
          transStatus: "Y",
          eci: expect.stringMatching(/^\d\d$/),
          dsTransId: expect.any(String),
        },
      });
      expect(await acquirer.complete(completion)).toEqual(outcome);
      const { authentication } = outcome as Extract<CompletionOutcome, { kind: "approved" }>;
      expect(await calls.verdict(acquirer, request)).toMatchObject({
        kind: "approved",
        authentication,
      });
      const followUp = calls.followUp(request);
      expect(
        await kindOf(operation === "sale" ? acquirer.refund(followUp) : acquirer.capture(followUp)),
      ).toBe("approved");
    },
  );

  test.for(["fail", "cancel", "ignore"] as const)(
    "a challenge with the answer %s declines the completion for good",
    async (answer) => {
      const { acquirer, calls, setup } = bench();
      const { request, challenge, completion } = await challenged(bench());
      if (answer !== "ignore") await setup.answerChallenge(challenge, answer);
      const outcome = await acquirer.complete(completion);
      expect(outcome).toMatchObject({ kind: "declined", resultCode: expect.stringMatching(/./) });
      expect(await calls.verdict(acquirer, request)).toMatchObject({ kind: "declined" });
      if (answer === "ignore") await setup.answerChallenge(challenge, "pass");
      expect(await acquirer.complete(completion)).toMatchObject({ kind: "declined" });
    },
  );
}

function describeWithoutChallenge(bench: () => Bench): void {
  test.for(["authorize", "sale"] as const)(
    "a card without a challenge completes as %s at once",
    async (operation) => {
      const { acquirer, calls, setup } = bench();
      for (const [card, transStatus] of [
        [setup.cards.frictionless, "Y"],
        [setup.cards.approved, "A"],
      ] as const) {
        const request = calls.enrolment({ card, operation });
        const enrolled = await acquirer.enrol(request);
        expect(enrolled).toMatchObject({ kind: "authenticated", authentication: { transStatus } });
        const session = "session" in enrolled ? enrolled.session : "";
        expect(await acquirer.complete(completionOf(request, session))).toMatchObject({ kind: "approved" });
      }
    },
  );

  test("a card whose authentication fails is declined, and nothing is held under the reference", async () => {
    const { acquirer, calls, setup } = bench();
    const request = calls.enrolment({ card: setup.cards.unauthenticated });
    expect(await acquirer.enrol(request)).toMatchObject({
      kind: "declined",
      resultCode: expect.stringMatching(/./),
      authentication: { transStatus: "N" },
    });
    expect(await kindOf(calls.verdict(acquirer, request))).toBeOneOf(["not_found", "declined"]);
  });
}

/** Tests that one reference has the one effect that was requested, and none after a reversal or an expiry. */
function describeBounds(bench: () => Bench): void {
  test("an enrolment that is repeated is answered with the same session", async () => {
    const { acquirer, setup } = bench();
    const { request, session, challenge } = await challenged(bench());
    expect(await acquirer.enrol(request)).toEqual({ kind: "challenge", session, challenge });
    await setup.answerChallenge(challenge, "fail");
    expect(await acquirer.enrol(request)).toEqual({ kind: "challenge", session, challenge });
    const other = await acquirer.enrol({ ...request, amountMinor: request.amountMinor + 1n });
    expect(other.kind).not.toBe("challenge");
  });

  test("a completion of another amount, reference or session has no effect", async () => {
    const { acquirer, calls, setup } = bench();
    const { request, challenge, completion } = await challenged(bench());
    const another = await challenged(bench());
    await setup.answerChallenge(challenge, "pass");
    await setup.answerChallenge(another.challenge, "pass");
    const crossed = { ...completion, session: another.session };
    expect(await kindOf(acquirer.complete(crossed))).not.toBe("approved");
    expect(await calls.verdict(acquirer, request)).toEqual({ kind: "not_found" });
    const dearer = { ...completion, amountMinor: completion.amountMinor + 1n };
    expect(await kindOf(acquirer.complete(dearer))).not.toBe("approved");
    expect(await kindOf(acquirer.complete(another.completion))).toBe("approved");
  });

  test("a reversal binds a session that was not completed", async () => {
    const { acquirer, calls, setup } = bench();
    const { request, challenge, completion } = await challenged(bench());
    await setup.answerChallenge(challenge, "pass");
    expect(await acquirer.reverse(calls.reversal(request))).toEqual({ kind: "reversed" });
    expect(await kindOf(acquirer.complete(completion))).toBe("declined");
    expect(await kindOf(acquirer.enrol(request))).toBe("declined");
    expect(await calls.verdict(acquirer, request)).toEqual({ kind: "reversed" });
  });

  test("a reversal undoes what was completed", async () => {
    const { acquirer, calls, setup } = bench();
    const { request, challenge, completion } = await challenged(bench());
    await setup.answerChallenge(challenge, "pass");
    expect(await kindOf(acquirer.complete(completion))).toBe("approved");
    expect(await acquirer.reverse(calls.reversal(request))).toEqual({ kind: "reversed" });
    expect(await calls.verdict(acquirer, request)).toEqual({ kind: "reversed" });
  });

  test("what is past its expiry is not begun", async () => {
    const { acquirer, calls, setup } = bench();
    const past = { expiresAt: new Date(Date.now() - 1) };
    const late = calls.enrolment({ card: setup.cards.challenged, ...past });
    expect(await kindOf(acquirer.enrol(late))).toBeOneOf(["not_sent", "declined"]);
    const { request, challenge, completion } = await challenged(bench());
    await setup.answerChallenge(challenge, "pass");
    expect(await kindOf(acquirer.complete({ ...completion, ...past }))).toBeOneOf(["not_sent", "declined"]);
    expect(await kindOf(calls.verdict(acquirer, request))).toBeOneOf(["not_found", "declined"]);
  });
}

/** An enrolment whose cardholder has a challenge to pass, and its completion. */
async function challenged({ acquirer, calls, setup }: Bench, operation: "authorize" | "sale" = "authorize") {
  const request = calls.enrolment({ card: setup.cards.challenged, operation });
  const enrolled = await acquirer.enrol(request);
  if (enrolled.kind !== "challenge") throw new Error(`the enrolment to begin with is ${enrolled.kind}`);
  const { session, challenge } = enrolled;
  return { request, session, challenge, completion: completionOf(request, session) };
}

function completionOf(
  { reference, orderId, operation, amountMinor, currency, installmentCount, expiresAt }: EnrolmentRequest,
  session: string,
): CompletionRequest {
  return { reference, orderId, operation, amountMinor, currency, installmentCount, expiresAt, session };
}
