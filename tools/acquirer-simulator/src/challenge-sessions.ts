import { randomUUID } from "node:crypto";

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
  /** True if the enrolment was answered with a challenge; then its repeats are, too. */
  isChallenged: boolean;
};

/**
 * The authentications of this process and their cards, which are in memory only and end with the process. A completion
 * of an unknown session is declined.
 */
export class ChallengeSessions {
  readonly #byId = new Map<string, ChallengeSession>();
  readonly #byReference = new Map<string, ChallengeSession>();

  /** The session of a reference, opened at its first enrolment. */
  open(request: EnrolmentRequest): ChallengeSession {
    const known = this.#byReference.get(request.reference);
    if (known) return known;
    if (this.#byId.size >= SESSIONS_MAX) this.#forgetOldest();
    const verdict = verdictOfCard(request.pan);
    const ids = { id: randomUUID(), proof: randomUUID(), dsTransId: randomUUID() };
    const session = { ...request, ...ids, verdict, isChallenged: verdict === "open" };
    this.#byId.set(session.id, session);
    this.#byReference.set(session.reference, session);
    return session;
  }

  ofReference(reference: string): ChallengeSession | undefined {
    return this.#byReference.get(reference);
  }

  find(id: string): ChallengeSession | undefined {
    return this.#byId.get(id);
  }

  /** Ends the authentication as failed at the enrolment, before any challenge. */
  refuse(session: ChallengeSession): void {
    session.verdict = "failed";
    session.isChallenged = false;
  }

  /** Records the cardholder's answer, once: a second one changes nothing. */
  answer(session: ChallengeSession, verdict: "authenticated" | "failed" | "cancelled"): void {
    if (session.verdict === "open") session.verdict = verdict;
  }

  #forgetOldest(): void {
    const [oldest] = this.#byId.values();
    if (!oldest) return;
    this.#byId.delete(oldest.id);
    this.#byReference.delete(oldest.reference);
  }
}

/** Far more than any test or demonstration has under way. */
const SESSIONS_MAX = 100_000;

/** A card that is not in the table does not take part in 3-D Secure: its result is an attempt, without a challenge. */
function verdictOfCard(pan: string): Verdict {
  return verdicts.get(pan) ?? "attempted";
}

const verdicts = new Map<string, Verdict>([
  ["4000000000003220", "open"],
  ["4000000000003055", "authenticated"],
  ["4000000000003097", "failed"],
]);

/** Undefined while the challenge is open. */
export function authenticationOf({ verdict, pan, dsTransId }: ChallengeSession): Authentication | undefined {
  // Mastercard's values run in the opposite direction to all others.
  const isMastercard = /^(5[1-5]|2[2-7])/.test(pan);
  switch (verdict) {
    case "open":
      return undefined;
    case "authenticated":
      return { transStatus: "Y", eci: isMastercard ? "02" : "05", dsTransId };
    case "attempted":
      return { transStatus: "A", eci: isMastercard ? "01" : "06", dsTransId };
    case "failed":
    case "cancelled":
      return { transStatus: "N", eci: isMastercard ? "00" : "07", dsTransId };
    default:
      return verdict satisfies never;
  }
}

type Fields = readonly (readonly [string, string])[];

/** The fields that the browser brings back once the challenge is answered. */
export function returnFields({ id, proof }: ChallengeSession, returns: Modes["returns"]): Fields {
  return [["session", id], ...(returns === "proven" ? ([["proof", proof]] as const) : [])];
}

/** True if the return that a completion reports has the fields with which the browser was sent back. */
export function isProven(session: ChallengeSession, returned: Fields, returns: Modes["returns"]): boolean {
  if (returns === "bare" || !session.isChallenged) return true;
  const isThere = (name: string, value: string) =>
    returned.filter((field) => field[0] === name).length === 1 &&
    returned.some((field) => field[0] === name && field[1] === value);
  return isThere("session", session.id) && isThere("proof", session.proof);
}

/** Adds the authentication's result, if there is one, to an answer about an operation. */
export function withAuthentication<Answer extends object>(
  answer: Answer,
  session: ChallengeSession | undefined,
): Answer & { authentication?: Authentication } {
  const authentication = session && authenticationOf(session);
  return authentication ? { ...answer, authentication } : answer;
}

/** The code of the decline of a completion; undefined where it may continue. */
export function refusalOf(session: ChallengeSession | undefined): ResultCode | undefined {
  if (!session) return "25";
  switch (session.verdict) {
    case "open":
      return "authentication_incomplete";
    case "failed":
      return "authentication_failed";
    case "cancelled":
      return "authentication_cancelled";
    case "authenticated":
    case "attempted":
      return undefined;
    default:
      return session.verdict satisfies never;
  }
}
