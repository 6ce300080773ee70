import { afterAll, beforeAll, describe } from "vitest";

import type { Acquirer, AcquirerCard } from "./acquirer.ts";
import { CallBuilder } from "./conformance/call-builder.ts";
import { describeApprovals } from "./conformance/describe-approvals.ts";
import { describeBounds } from "./conformance/describe-bounds.ts";
import { describeCancels } from "./conformance/describe-cancels.ts";
import { describeFollowUps } from "./conformance/describe-follow-ups.ts";
import { describeIdempotency } from "./conformance/describe-idempotency.ts";
import { describeReversals } from "./conformance/describe-reversals.ts";
import { describeThreeDs } from "./conformance/describe-three-ds.ts";
import { describeUnknowns } from "./conformance/describe-unknowns.ts";

/** An adapter, and the test environment of the bank behind it. */
export type ConformanceSetup = {
  acquirer: Acquirer;
  /** A second acquirer of the same adapter, for the suite to close, which it does not do to the first. */
  openAnother(): Acquirer;
  /** An acquirer of the same adapter whose bank refuses connections. */
  openUnreachable(): Acquirer;
  cards: {
    approved: AcquirerCard;
    declined: AcquirerCard;
    approvedAndSilent: AcquirerCard;
    ignoredAndSilent: AcquirerCard;
    approvedAndReset: AcquirerCard;
    approvedWithGarbage: AcquirerCard;
    approvedWithOtherAmount: AcquirerCard;
    /** Under 3-D Secure: with a challenge, without one, and not authenticated. */
    challenged: AcquirerCard;
    frictionless: AcquirerCard;
    unauthenticated: AcquirerCard;
  };
  /** Plays the cardholder at the issuer's challenge. */
  answerChallenge(
    challenge: { url: string; fields: Record<string, string> },
    answer: "pass" | "fail" | "cancel",
  ): Promise<void>;
  /** Lets go of everything but the acquirers that the suite opened and closed itself. */
  close(): Promise<void>;
};

/** What each test of the suite works with, once it runs. */
export type Bench = { setup: ConformanceSetup; acquirer: Acquirer; calls: CallBuilder };

/**
 * What every adapter promises of the port in `acquirer.ts`, against the bank's test environment. Called at the top of
 * an adapter's test file; `setUp` runs once.
 */
export function describeAcquirerConformance(name: string, setUp: () => Promise<ConformanceSetup>): void {
  describe.concurrent(`${name} conforms to the acquirer port`, () => {
    let bench: Bench;
    beforeAll(async () => {
      const setup = await setUp();
      bench = { setup, acquirer: setup.acquirer, calls: new CallBuilder(setup.cards.approved) };
    });
    afterAll(() => bench.setup.close());

    describeApprovals(() => bench);
    describeIdempotency(() => bench);
    describeUnknowns(() => bench);
    describeReversals(() => bench);
    describeFollowUps(() => bench);
    describeCancels(() => bench);
    describeBounds(() => bench);
    describeThreeDs(() => bench);
  });
}
