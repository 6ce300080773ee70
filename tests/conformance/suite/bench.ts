import type { Acquirer, AcquirerCard, Challenge } from "@holdfast/acquirer";
import type { CallBuilder } from "./call-builder.ts";

/** An adapter, and the test environment of the bank behind it. */
export type ConformanceSetup = {
  acquirer: Acquirer;
  /** A second acquirer of the same adapter, which the suite closes; it does not close the first. */
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
    /** Cards for 3-D Secure: with a challenge, without one, and not authenticated. */
    challenged: AcquirerCard;
    frictionless: AcquirerCard;
    unauthenticated: AcquirerCard;
  };
  /** Plays the cardholder at the issuer's challenge. */
  answerChallenge(challenge: Challenge, answer: "pass" | "fail" | "cancel"): Promise<void>;
  /** Closes everything but the acquirers that the suite opened and closed itself. */
  close(): Promise<void>;
};

/** The parts that each test of the suite uses, once it runs. */
export type Bench = { setup: ConformanceSetup; acquirer: Acquirer; calls: CallBuilder };
