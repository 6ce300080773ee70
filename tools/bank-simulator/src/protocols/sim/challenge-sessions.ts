import { randomUUID } from "node:crypto";

import {
  decimalAmount,
  eciOf,
  Sessions,
  testCard,
  type AcsSession,
  type CardholderAnswer,
} from "../../core/index.ts";
import type { Modes } from "./modes.ts";
import type { ResultCode } from "./result-codes.ts";
import type { EnrolmentRequest } from "./three-ds-request.ts";

/** The result of an authentication, in the terms of EMV 3-D Secure. */
export type Authentication = { transStatus: "Y" | "A" | "N"; eci: string; dsTransId: string };

/** The end of an authentication, by the enrolment or the cardholder. `open`: the challenge waits to be answered. */
export type Verdict = "open" | "authenticated" | "attempted" | "failed" | "cancelled";

export type ChallengeSession = EnrolmentRequest & {
  id: string;
  /** A value that only the return of an answered challenge has. */
  proof: string;
  verdict: Verdict;
  dsTransId: string;
  /** True if the enrolment was answered with a challenge. Its repeats get the same answer. */
  isChallenged: boolean;
};

/**
 * The authentications of this process and their cards, which are in memory only and end with the process. A completion
 * of an unknown session is declined.
 */
export class ChallengeSessions {
  readonly #sessions = new Sessions<ChallengeSession>();

  /** The session of a reference, opened at its first enrolment. */
  open(request: EnrolmentRequest): ChallengeSession {
    const known = this.ofReference(request.reference);
    if (known) return known;
    const verdict = verdictOfCard(request.pan);
    const ids = { id: randomUUID(), proof: randomUUID(), dsTransId: randomUUID() };
    const session = { ...request, ...ids, verdict, isChallenged: verdict === "open" };
    return this.#sessions.add(session, [session.id, keyOf(session.reference)]);
  }

  ofReference(reference: string): ChallengeSession | undefined {
    return this.#sessions.find(keyOf(reference));
  }

  find(id: string): ChallengeSession | undefined {
    return this.#sessions.find(id);
  }
}

/** A reference may have the form of a session's id. */
function keyOf(reference: string): string {
  return `reference ${reference}`;
}

/** Ends the authentication as failed at the enrolment, before any challenge. */
export function refuse(session: ChallengeSession): void {
  session.verdict = "failed";
  session.isChallenged = false;
}

/** A card that is not in the table does not take part in 3-D Secure: its result is an attempt, without a challenge. */
function verdictOfCard(pan: string): Verdict {
  const { authentication } = testCard(pan);
  return authentication === undefined ? "attempted" : verdictsByPlan[authentication];
}

const verdictsByPlan = { challenge: "open", frictionless: "authenticated", fails: "failed" } as const;

/** A session as the issuer's pages see it. The browser goes back by POST, and by GET after a cancellation. */
export function acsSessionOf(session: ChallengeSession, modes: Readonly<Modes>): AcsSession {
  const { id, amountMinor, currency, returnUrl, sessionExpiresAtMs } = session;
  return {
    id,
    paying: inMajorUnits(amountMinor, currency),
    isOpen: session.verdict === "open",
    isTooLate: (nowMs) => nowMs >= sessionExpiresAtMs,
    answer: (answer) => {
      session.verdict = verdictsByAnswer[answer];
    },
    back: (isCancelled) => ({
      method: isCancelled ? "get" : "post",
      url: returnUrl,
      fields: returnFields(session, modes.returns),
    }),
  };
}

const verdictsByAnswer: Record<CardholderAnswer, Verdict> = {
  right_code: "authenticated",
  wrong_code: "failed",
  cancelled: "cancelled",
};

/** `TRY 1,249.90` */
export function inMajorUnits(amountMinor: bigint, currency: string): string {
  const [whole, decimals] = decimalAmount(amountMinor, currency).split(".");
  const grouped = new Intl.NumberFormat("en").format(BigInt(whole!));
  return `${currency} ${grouped}${decimals === undefined ? "" : `.${decimals}`}`;
}

/** Undefined while the challenge is open. */
export function authenticationOf({ verdict, pan, dsTransId }: ChallengeSession): Authentication | undefined {
  if (verdict === "open") return undefined;
  const end = verdict === "cancelled" ? "failed" : verdict;
  return { transStatus: transStatuses[end], eci: eciOf(pan, end), dsTransId };
}

const transStatuses = { authenticated: "Y", attempted: "A", failed: "N" } as const;

type Fields = readonly (readonly [string, string])[];

/** The fields that the browser brings back once the challenge is answered. */
function returnFields({ id, proof }: ChallengeSession, returns: Modes["returns"]): Fields {
  const session = ["session", id] as const;
  return returns === "proven" ? [session, ["proof", proof]] : [session];
}

/** True if the return that a completion reports has the fields with which the browser was sent back. */
export function isProven(session: ChallengeSession, returned: Fields, returns: Modes["returns"]): boolean {
  if (returns === "bare" || !session.isChallenged) return true;
  return returnFields(session, returns).every(([name, value]) => {
    const values = returned.filter((field) => field[0] === name).map((field) => field[1]);
    return values.length === 1 && values[0] === value;
  });
}

/** Adds the authentication's result, if there is one, to an answer about an operation. */
export function withAuthentication<Answer extends object>(
  answer: Answer,
  session: ChallengeSession | undefined,
): Answer & { authentication?: Authentication } {
  const authentication = session && authenticationOf(session);
  return authentication ? { ...answer, authentication } : answer;
}

/** The code of the decline of a completion; undefined if it may continue. */
export function refusalOf(session: ChallengeSession | undefined): ResultCode | undefined {
  return session ? refusals[session.verdict] : "25";
}

const refusals: Partial<Record<Verdict, ResultCode>> = {
  open: "authentication_incomplete",
  failed: "authentication_failed",
  cancelled: "authentication_cancelled",
};
