import type { IncomingMessage, ServerResponse } from "node:http";

import {
  holdUnanswered,
  readBody,
  replyText,
  replyTooLarge,
  messagePage,
  RIGHT_CODE,
  replyPage,
} from "@holdfast/bank-simulator/core";

import { acceptsMdStatus } from "../bank/decide-second-step.ts";
import { afterLateness } from "../faults/after-lateness.ts";
import type { BehaviourName } from "../faults/behaviours.ts";
import { paddedText } from "../faults/strange-characters.ts";
import { challengePage, returnPage } from "../three-ds/acs-page.ts";
import { parseGateForm, type RefusedForm } from "../three-ds/gate-form.ts";
import { authenticate, isTooLate, type GateSession, type Return } from "../three-ds/gate-sessions.ts";
import { postCallback } from "../three-ds/post-callback.ts";
import { refusedFields, returnFields } from "../three-ds/return-fields.ts";
import { ver3Hash, type Parameter } from "../three-ds/ver3-hash.ts";
import { outcomeResponse, refusedResponse, type Cc5Response } from "../wire/cc5-response.ts";
import type { BankApi } from "./bank-api.ts";
import { carryOut, type CarriedOut } from "./carry-out.ts";
import { addressOf } from "./fim-api.ts";

/** Answers `POST /fim/est3Dgate` with the issuer's page, or with the return where there is nothing to ask. */
export async function handleGate(
  api: BankApi,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  const nowMs = api.clock.now();
  const parsed = parseGateForm(body.text, { merchantOf: api.merchantOf, rulesFor: api.rulesFor, nowMs });
  if (parsed.kind === "refused") return replyRefusal(api, parsed.refusal, response);
  const behaviour = api.faults.take("enrol") ?? "plain";
  if (behaviour === "hang_before") return holdUnanswered(response, api.hangMs);
  const session = api.sessions.open(parsed.form, behaviour, nowMs);
  if (behaviour === "late" || behaviour === "late_effect") await afterLateness(api);
  if (session.authentication) return replyReturn(api, session, request, response, behaviour);
  return deliverPage(api, response, challengePage(session, publicUrlOf(api, request)), behaviour);
}

/** Answers `GET` and `POST /acs/{session}`: the page, or the cardholder's answer to it. */
export async function handleAcs(
  api: BankApi,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const session = api.sessions.find(id);
  if (!session) return replyPage(response, 404, messagePage("Your bank does not know this payment."));
  if (isTooLate(session, api.clock.now())) {
    return replyPage(response, 410, messagePage("The time for this payment has run out."));
  }
  if (request.method === "POST") {
    const body = await readBody(request);
    if (body.kind === "too_large") return replyTooLarge(response);
    const answer = new URLSearchParams(body.text);
    const isRight = answer.get("answer") !== "cancel" && answer.get("code") === RIGHT_CODE;
    authenticate(session, isRight ? "1" : "0");
  }
  if (session.authentication) return replyReturn(api, session, request, response, "plain");
  return replyPage(response, 200, challengePage(session, publicUrlOf(api, request)));
}

/** A return is made once, for all requests for it. */
async function replyReturn(
  api: BankApi,
  session: GateSession,
  request: IncomingMessage,
  response: ServerResponse,
  behaviour: BehaviourName,
): Promise<void> {
  session.returned ??= makeReturn(api, session, addressOf(request));
  return deliverPage(api, response, returnPage(await session.returned), behaviour);
}

async function makeReturn(api: BankApi, session: GateSession, clientIp: string): Promise<Return> {
  const { form, authentication, behaviour } = session;
  const mdStatus = authentication?.mdStatus ?? "7";
  const isAccepted = acceptsMdStatus(mdStatus, api.rulesFor(form.merchant));
  const payment = form.storeType === "3d_pay" ? await payAtBank(api, session, isAccepted) : undefined;
  const isGood = payment ? payment.Response === "Approved" : ["1", "2", "3", "4"].includes(mdStatus);
  const plain = returnFields(session, clientIp, payment);
  const fields = signed(api, behaviour === "control_characters" ? padded(plain) : plain, session);
  if (api.modes.callback && form.callbackUrl) await postCallback(form.callbackUrl, fields, api.stopping);
  return { url: isGood ? form.okUrl : form.failUrl, fields };
}

/** `3d_pay`: the bank pays with the authentication. Texts of a return are ASCII, as its encoding is not agreed on. */
async function payAtBank(api: BankApi, session: GateSession, isAccepted: boolean): Promise<Cc5Response> {
  const { form, md, xid, authentication } = session;
  const { merchant, operation, orderId, amountMinor, currency, installments } = form;
  const modes = { ...api.modes, language: "en" as const };
  const names = { orderId, groupId: orderId };
  if (!isAccepted || !authentication) {
    return { ...refusedResponse(2206, names, "", modes), Response: "Declined" };
  }
  const { eci, cavv } = authentication;
  const card = { kind: "md" as const, md, xid, eci, cavv };
  const terms = {
    operation,
    orderId,
    groupId: orderId,
    amountMinor,
    currency,
    installments,
    namesOne: false,
  };
  const done = await carryOut(api, merchant, { ...terms, card }, session);
  return done.kind === "outcome"
    ? outcomeResponse(done.outcome, merchant, modes)
    : refusedResponse(troubleCode(done), names, "", modes);
}

/** A browser cannot be left without an answer: then it brings back the bank's own trouble. */
function troubleCode({ kind }: Exclude<CarriedOut, { kind: "outcome" }>): 2304 | 2100 {
  return kind === "busy" ? 2304 : 2100;
}

function replyRefusal(api: BankApi, refusal: RefusedForm, response: ServerResponse): void {
  const { failUrl, merchant } = refusal;
  if (!failUrl) return replyPage(response, 400, messagePage(`The form is not valid: ${refusal.message}.`));
  const plain = refusedFields(refusal);
  // The bank signs for merchants that it knows; an unknown sender gets no hash.
  const fields = merchant ? withHash(plain, ver3Hash(plain, merchant.storeKey)) : plain;
  replyPage(response, 200, returnPage({ url: failUrl, fields }));
}

function signed({ modes }: BankApi, fields: Parameter[], { form, behaviour }: GateSession): Parameter[] {
  const hash = behaviour === "wrong_hash" ? "wrong" : modes.returnHash;
  switch (hash) {
    case "right":
      return withHash(fields, ver3Hash(fields, form.merchant.storeKey));
    case "wrong":
      return withHash(fields, ver3Hash(fields, `${form.merchant.storeKey}!`));
    case "missing":
      return fields;
    default:
      return hash satisfies never;
  }
}

function withHash(fields: Parameter[], hash: string): Parameter[] {
  return [...fields, ["HASH", hash]];
}

function padded(fields: Parameter[]): Parameter[] {
  return fields.map(([name, value]) => [name, name === "mdErrorMsg" ? paddedText(value) : value]);
}

function deliverPage(
  { hangMs }: BankApi,
  response: ServerResponse,
  html: string,
  behaviour: BehaviourName,
): void {
  switch (behaviour) {
    case "hang":
      return holdUnanswered(response, hangMs);
    case "http_500":
      return replyPage(response, 500, messagePage("Internal error"));
    case "garbage":
    case "illegal_characters":
      return replyText(response, 200, "application/octet-stream", "\u0000\u001B<html");
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    default:
      return replyPage(response, 200, html);
  }
}

/** The address at which a browser reaches this process: the caller's, unless another one is configured. */
function publicUrlOf({ publicUrl }: BankApi, { headers }: IncomingMessage): string {
  return publicUrl ?? `http://${headers.host ?? "127.0.0.1"}`;
}
