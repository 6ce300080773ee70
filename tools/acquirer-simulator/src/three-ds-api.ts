import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import {
  holdUnanswered,
  readBody,
  replyJson,
  replyPage,
  replyTooLarge,
  messagePage,
  RIGHT_CODE,
} from "@holdfast/simulator-kit";

import { replyTaken } from "./reply-taken.ts";
import { chooseBehaviour, circumstancesOf } from "./behaviour.ts";
import {
  authenticationOf,
  isProven,
  refusalOf,
  returnFields,
  type ChallengeSession,
  withAuthentication,
} from "./challenge-sessions.ts";
import { challengePage, pageToChallenge, returnPage } from "./challenge-page.ts";
import { deliver } from "./deliver.ts";
import { operateOrAccept } from "./operate-or-accept.ts";
import { readRequest } from "./read-request.ts";
import { resultMessages, type ResultCode } from "./result-codes.ts";
import type { Api } from "./simulator-api.ts";
import { parseCompletionRequest, parseEnrolmentRequest, type EnrolmentRequest } from "./three-ds-request.ts";
import { untilLate } from "./until-late.ts";

/** Serves the acquirer's and the issuer's side of 3-D Secure. @returns whether the target is one of theirs. */
export async function routeThreeDs(
  api: Api,
  target: string,
  query: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  switch (target) {
    case "POST /v1/3ds/enrol":
      await enrol(api, request, response);
      return true;
    case "POST /v1/3ds/complete":
      await complete(api, request, response);
      return true;
    case "GET /acs/challenge":
      showChallenge(api, new URLSearchParams(query), response);
      return true;
    case "POST /acs/challenge":
      await withForm(request, response, (form) => showChallenge(api, form, response));
      return true;
    case "POST /acs/answer":
      await withForm(request, response, (form) => takeAnswer(api, form, response));
      return true;
    default:
      return false;
  }
}

/**
 * Enrols a card. It moves no money; only where the cardholder cannot be authenticated it writes the decline. A repeat
 * is answered with the first session.
 */
async function enrol(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const read = await readRequest(request, response, parseEnrolmentRequest);
  if (!read) return;
  const { asked: enrolment, arrivedAtMs } = read;
  const behaviour = api.faults.take("enrol") ?? "plain";
  if (behaviour === "hang_before") return holdUnanswered(response, api.hangMs);
  if (behaviour === "late_effect") await untilLate(api, enrolment.expiresAtMs, arrivedAtMs);
  const refusal = await refusalOfEnrolment(api, enrolment, arrivedAtMs);
  const session = refusal ? undefined : api.sessions.open(enrolment);
  if (session && !isSameEnrolment(session, enrolment)) {
    return replyJson(response, 409, { error: "reference_conflict", reference: enrolment.reference });
  }
  if (session && behaviour === "decline") api.sessions.refuse(session);
  const answer = session
    ? await enrolmentAnswer(api, session, challengeUrl(api, request))
    : declinedEnrolment(refusal ?? "12");
  if (behaviour === "late") await untilLate(api, enrolment.expiresAtMs, arrivedAtMs);
  return deliver(api, behaviour, response, { ...aboutOf(enrolment), ...answer });
}

async function refusalOfEnrolment(
  { teller, sessions }: Api,
  { reference, expiresAtMs }: EnrolmentRequest,
  arrivedAtMs: number,
): Promise<ResultCode | undefined> {
  if (arrivedAtMs >= expiresAtMs) return "expired_request";
  const { outcome } = await teller.inquire(reference);
  if (outcome === "reversed") return "reversed";
  return outcome === "not_found" || sessions.ofReference(reference) ? undefined : "12";
}

function isSameEnrolment(session: ChallengeSession, request: EnrolmentRequest): boolean {
  return (
    session.operation === request.operation &&
    session.amountMinor === request.amountMinor &&
    session.currency === request.currency
  );
}

async function enrolmentAnswer(
  { teller, modes }: Api,
  session: ChallengeSession,
  url: string,
): Promise<object> {
  const { id, pan, verdict, isChallenged } = session;
  if (isChallenged) {
    return modes.challenge === "page"
      ? { outcome: "challenge_page", session: id, html: pageToChallenge(url, id) }
      : { outcome: "challenge", session: id, url, fields: { session: id } };
  }
  const authentication = authenticationOf(session);
  if (verdict !== "failed") return { outcome: "authenticated", session: id, authentication };
  const operation = { ...session, pan, parentReference: null };
  const circumstances = {
    isExpired: false,
    forcedCode: "authentication_failed",
    isPartial: false,
  } as const;
  const answer = await teller.operate(operation, circumstances);
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
 * The URL at which a browser reaches this process: the address that the caller used, unless another one is configured.
 */
function challengeUrl({ publicUrl }: Api, { headers }: IncomingMessage): string {
  return `${publicUrl ?? `http://${headers.host ?? "127.0.0.1"}`}/acs/challenge`;
}

/**
 * Carries out an authorization or a sale like any other, except that the card is the session's and the cardholder may
 * have failed.
 */
async function complete(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const read = await readRequest(request, response, parseCompletionRequest);
  if (!read) return;
  const { arrivedAtMs } = read;
  const { session: id, returned, ...asked } = read.asked;
  const session = api.sessions.find(id);
  if (session && session.reference !== asked.reference) {
    return replyJson(response, 409, { error: "reference_conflict", reference: asked.reference });
  }
  if (session && !isProven(session, returned, api.modes.returns)) {
    return replyJson(response, 200, { ...aboutOf(asked), outcome: "not_genuine" });
  }
  const operation = {
    ...asked,
    parentReference: null,
    pan: session?.pan ?? null,
    loyaltyCode: session?.loyaltyCode,
  };
  const sources = {
    queue: api.faults,
    spent: api.spent,
    hasSeen: (seen: string) => api.teller.hasSeen(seen),
  };
  const behaviour = chooseBehaviour(sources, operation, "complete");
  if (behaviour.name === "hang_before") return holdUnanswered(response, api.hangMs);
  if (behaviour.name === "late_effect") await untilLate(api, asked.expiresAtMs, arrivedAtMs);
  const refusal = session && !isSameAmount(session, asked) ? "13" : refusalOf(session);
  const circumstances = circumstancesOf(behaviour, asked, arrivedAtMs);
  const answer = await operateOrAccept(api, operation, {
    ...circumstances,
    forcedCode: refusal ?? circumstances.forcedCode,
    isPending: behaviour.name === "pending" && refusal === undefined,
  });
  if (answer.kind !== "answer") return replyTaken(response, answer.kind, asked.reference);
  if (behaviour.name === "late") await untilLate(api, asked.expiresAtMs, arrivedAtMs);
  return deliver(api, behaviour.name, response, withAuthentication(answer.body, session));
}

function isSameAmount(session: ChallengeSession, asked: Pick<EnrolmentRequest, "amountMinor" | "currency">) {
  return session.amountMinor === asked.amountMinor && session.currency === asked.currency;
}

async function withForm(
  request: IncomingMessage,
  response: ServerResponse,
  use: (form: URLSearchParams) => void,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === "too_large") replyTooLarge(response);
  else use(new URLSearchParams(body.text));
}

function showChallenge({ sessions, modes }: Api, form: URLSearchParams, response: ServerResponse): void {
  const session = sessions.find(form.get("session") ?? "");
  if (!session) return replyPage(response, 404, messagePage("Your bank does not know this payment."));
  if (session.verdict !== "open") return replyPage(response, 200, returnPage(session, modes.returns));
  if (Date.now() >= session.sessionExpiresAtMs) {
    return replyPage(response, 410, messagePage("The time for this payment has run out."));
  }
  replyPage(response, 200, challengePage(session));
}

/**
 * Records the answer and sends the browser back: by POST after a right or a wrong code, by GET after a cancellation,
 * since acquirers use both.
 */
function takeAnswer({ sessions, modes }: Api, form: URLSearchParams, response: ServerResponse): void {
  const session = sessions.find(form.get("session") ?? "");
  if (!session) return replyPage(response, 404, messagePage("Your bank does not know this payment."));
  if (Date.now() >= session.sessionExpiresAtMs && session.verdict === "open") {
    return replyPage(response, 410, messagePage("The time for this payment has run out."));
  }
  if (form.get("answer") === "cancel") {
    sessions.answer(session, "cancelled");
    const back = new URL(session.returnUrl);
    for (const [name, value] of returnFields(session, modes.returns)) back.searchParams.set(name, value);
    response.writeHead(303, { location: back.href, "content-length": 0 });
    response.end();
    return;
  }
  sessions.answer(session, form.get("code") === RIGHT_CODE ? "authenticated" : "failed");
  replyPage(response, 200, returnPage(session, modes.returns));
}
