import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import { CHALLENGE_PATH, pageToChallenge, readRequest, replyJson, serveCall } from "../../core/index.ts";
import { chooseBehaviour, circumstancesOf } from "./behaviour.ts";
import type { Desk } from "./calls.ts";
import {
  authenticationOf,
  isProven,
  refusalOf,
  refuse,
  withAuthentication,
  type ChallengeSession,
} from "./challenge-sessions.ts";
import { resultMessages, type ResultCode } from "./result-codes.ts";
import { parseCompletionRequest, parseEnrolmentRequest, type EnrolmentRequest } from "./three-ds-request.ts";
import { takenReply, wire } from "./wire.ts";

/** Serves the acquirer's side of 3-D Secure. @returns true if the target is one of its calls. */
export async function routeThreeDs(
  desk: Desk,
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (target === "POST /v1/3ds/enrol") await enrol(desk, request, response);
  else if (target === "POST /v1/3ds/complete") await complete(desk, request, response);
  else return false;
  return true;
}

/**
 * Enrols a card. It moves no money; only where the cardholder cannot be authenticated it writes the decline. A repeat
 * is answered with the first session.
 */
async function enrol(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const read = await readRequest(request, response, parseEnrolmentRequest);
  if (!read) return;
  const { asked: enrolment, arrivedAtMs } = read;
  const behaviour = desk.faults.take("enrol") ?? "plain";
  await serveCall(response, wire, desk, {
    behaviour,
    dueAtMs: enrolment.expiresAtMs,
    carryOut: async () => {
      const refusal = await refusalOfEnrolment(desk, enrolment, arrivedAtMs);
      if (refusal) return { answer: { ...aboutOf(enrolment), ...declinedEnrolment(refusal) } };
      const session = desk.sessions.open(enrolment);
      if (!isSameEnrolment(session, enrolment)) return { reply: takenReply("conflict", enrolment.reference) };
      if (behaviour === "decline") refuse(session);
      const answer = await enrolmentAnswer(desk, session, desk.publicUrlOf(request));
      return { answer: { ...aboutOf(enrolment), ...answer } };
    },
  });
}

async function refusalOfEnrolment(
  { teller, sessions }: Desk,
  { reference, expiresAtMs }: EnrolmentRequest,
  arrivedAtMs: number,
): Promise<ResultCode | undefined> {
  if (arrivedAtMs >= expiresAtMs) return "expired_request";
  const { outcome } = await teller.inquire(reference);
  if (outcome === "reversed") return "reversed";
  const isOpen = outcome === "not_found" || outcome === "pending";
  return isOpen || sessions.ofReference(reference) ? undefined : "12";
}

function isSameEnrolment(session: ChallengeSession, request: EnrolmentRequest): boolean {
  return (
    session.operation === request.operation &&
    session.amountMinor === request.amountMinor &&
    session.currency === request.currency
  );
}

async function enrolmentAnswer(
  { teller, modes }: Desk,
  session: ChallengeSession,
  publicUrl: string,
): Promise<object> {
  const { id, pan, verdict, isChallenged } = session;
  if (isChallenged) {
    return modes.challenge === "page"
      ? { outcome: "challenge_page", session: id, html: pageToChallenge(publicUrl, id) }
      : { outcome: "challenge", session: id, url: `${publicUrl}${CHALLENGE_PATH}`, fields: { session: id } };
  }
  const authentication = authenticationOf(session);
  if (verdict !== "failed") return { outcome: "authenticated", session: id, authentication };
  const operation = { ...session, pan, parentReference: null };
  const forcedCode = "authentication_failed";
  const answer = await teller.operate(operation, { isExpired: false, forcedCode, isPartial: false });
  return { ...(answer.kind === "answer" ? answer.body : declinedEnrolment("12")), authentication };
}

function declinedEnrolment(resultCode: ResultCode): object {
  const resultMessage = resultMessages[resultCode];
  const outcome = resultCode === "expired_request" ? "expired" : "declined";
  return { outcome, externalTransactionId: randomUUID(), resultCode, resultMessage };
}

function aboutOf({
  reference,
  amountMinor,
  currency,
}: Pick<EnrolmentRequest, "reference" | "amountMinor" | "currency">) {
  return { reference, amountMinor: Number(amountMinor), currency };
}

/**
 * Carries out an authorization or a sale like any other, except that the card is the session's and the cardholder may
 * have failed.
 */
async function complete(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const read = await readRequest(request, response, parseCompletionRequest);
  if (!read) return;
  const { arrivedAtMs } = read;
  const { session: id, returned, ...asked } = read.asked;
  const session = desk.sessions.find(id);
  if (session && session.reference !== asked.reference) {
    return replyJson(response, 409, { error: "reference_conflict", reference: asked.reference });
  }
  if (session && !isProven(session, returned, desk.modes.returns)) {
    return replyJson(response, 200, { ...aboutOf(asked), outcome: "not_genuine" });
  }
  const operation = {
    ...asked,
    parentReference: null,
    pan: session?.pan ?? null,
    loyaltyCode: session?.loyaltyCode,
  };
  const behaviour = chooseBehaviour(desk, operation, "complete");
  await serveCall(response, wire, desk, {
    behaviour: behaviour.name,
    dueAtMs: asked.expiresAtMs,
    carryOut: async () => {
      const refusal = session && !isSameAmount(session, asked) ? "13" : refusalOf(session);
      const circumstances = circumstancesOf(behaviour, asked, arrivedAtMs);
      const refused = refusal && { forcedCode: refusal, isPending: false };
      const answer = await desk.teller.operate(operation, { ...circumstances, ...refused });
      return answer.kind === "answer"
        ? { answer: withAuthentication(answer.body, session) }
        : { reply: takenReply(answer.kind, asked.reference) };
    },
  });
}

function isSameAmount(session: ChallengeSession, asked: Pick<EnrolmentRequest, "amountMinor" | "currency">) {
  return session.amountMinor === asked.amountMinor && session.currency === asked.currency;
}
