import { randomBytes } from "node:crypto";
import { OPERATOR_ROLES, STAFF_ROLES } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { openAtRest, sealAtRest, SecretUnreadableError } from "@holdfast/sealing";
import type { Logger } from "@holdfast/service-runtime";
import { Router, type Request, type RequestHandler, type Response } from "express";
import { z } from "zod";
import { clearCookie, LOGIN_COOKIE, readCookie, SESSION_COOKIE, setCookie } from "../session/cookies.ts";
import type { Identity, IdentityProvider, LoginAttempt } from "../session/identity-provider.ts";
import { returnPath } from "../session/return-path.ts";
import { deleteSession, insertSession, type SignedIn } from "../session/session-queries.ts";
import { currentSession, type SessionStore } from "./current-session.ts";
import { formOf, isOwnForm, redirectToLogin, refuseForm } from "./page-handler.ts";
import { readerOf } from "./reader-of.ts";
import { sendPage } from "./send-page.ts";

export type LoginDeps = {
  store: SessionStore;
  provider: IdentityProvider;
  origin: string;
  sessionMaxMs: number;
  decisionLoginAgeMs: number;
  log: Logger;
};

/**
 * Signing in and out. A sign-in under way is in a sealed cookie, so that beginning many of them costs the database
 * nothing.
 */
export function loginRoutes(deps: LoginDeps): Router {
  return Router()
    .get("/login", beginLogin(deps))
    .get("/login/return", completeLogin(deps))
    .post("/logout", logOut(deps))
    .get("/logged-out", showLoggedOut);
}

const attemptSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  maxAge: z.int(),
  returnTo: z.string(),
  begunAt: z.int(),
});
type StoredAttempt = z.infer<typeof attemptSchema>;

/** Browsers delete the cookie then; one that is sent later is refused. */
const ATTEMPT_MS = 600_000;
const ATTEMPT_OWNER = "console login";

/**
 * Asks the provider for a proof of identity that is as young as it has to be: a new one where the last session was left
 * idle or the gateway asked for one, one of the last minutes for a decision about money, otherwise one of this day's
 * work.
 */
function beginLogin({ store, provider, sessionMaxMs, decisionLoginAgeMs }: LoginDeps): RequestHandler {
  return async (request, response) => {
    const found = await currentSession(store, request);
    const { again } = request.query;
    const ageMs =
      found?.state === "idle" || again === "now" ? 0 : again === "1" ? decisionLoginAgeMs / 2 : sessionMaxMs;
    const { url, attempt } = await provider.begin(Math.floor(ageMs / 1_000));
    const stored: StoredAttempt = {
      ...attempt,
      returnTo: returnPath(request.query["return"]),
      begunAt: Date.now(),
    };
    const sealed = sealAtRest(store.keys, ATTEMPT_OWNER, JSON.stringify(stored)).toString("base64url");
    response.append("Set-Cookie", setCookie(LOGIN_COOKIE, sealed, ATTEMPT_MS / 1_000));
    response.redirect(303, url.href);
  };
}

function completeLogin(deps: LoginDeps): RequestHandler {
  const { store, provider, origin, log } = deps;
  return async (request, response) => {
    const attempt = openAttempt(store, readCookie(request.headers.cookie, LOGIN_COOKIE));
    response.append("Set-Cookie", clearCookie(LOGIN_COOKIE));
    if (!attempt) return showInterrupted(request, response);
    const { returnTo, begunAt: _begunAt, ...sent } = attempt;
    const identity = await provider.complete(
      new URL(request.originalUrl, origin),
      sent satisfies LoginAttempt,
    );
    if (!identity) return showInterrupted(request, response);
    const session = sessionOf(identity, deps);
    const former = await currentSession(store, request);
    if (former) await deleteSession(store.db, former.session.id);
    await insertSession(store.db, store.keys, session);
    log.info({ operation: "sign in", actor: session.subject }, "signed in");
    response.append("Set-Cookie", setCookie(SESSION_COOKIE, session.id));
    response.redirect(303, returnTo);
  };
}

/** A new id for each sign-in: one that an attacker has planted before is worth nothing. */
function sessionOf(identity: Identity, { sessionMaxMs }: LoginDeps): SignedIn {
  const { roles, merchantId, authenticatedAt, ...rest } = identity;
  const isOperator = merchantId === undefined;
  return {
    ...rest,
    id: randomBytes(32).toString("base64url"),
    roles: new Set(OPERATOR_ROLES.filter((role) => isOperator && roles.includes(role))),
    ...(!isOperator && {
      staff: { merchantId, roles: new Set(STAFF_ROLES.filter((role) => roles.includes(role))) },
    }),
    authenticatedAt,
    endsAt: new Date(authenticatedAt.getTime() + sessionMaxMs),
  };
}

/** @returns undefined for a cookie that we did not set, or too long ago. */
function openAttempt({ keys }: SessionStore, cookie: string | undefined): StoredAttempt | undefined {
  if (cookie === undefined) return undefined;
  try {
    const text = openAtRest(keys, ATTEMPT_OWNER, Buffer.from(cookie, "base64url"));
    const attempt = attemptSchema.parse(JSON.parse(text));
    return Date.now() - attempt.begunAt < ATTEMPT_MS ? attempt : undefined;
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined;
    throw error;
  }
}

/** Ends the session here, and then leads to where it ends at the provider. */
function logOut({ store, provider, origin, log }: LoginDeps): RequestHandler {
  return async (request, response) => {
    const found = await currentSession(store, request);
    if (!found) return redirectToLogin(request, response);
    const { session } = found;
    if (!isOwnForm(request, formOf(request), session, origin))
      return refuseForm(request, response, { reader: readerOf(request, response), session });
    await deleteSession(store.db, session.id);
    log.info({ operation: "sign out", actor: session.subject }, "signed out");
    response.append("Set-Cookie", clearCookie(SESSION_COOKIE));
    response.setHeader("Clear-Site-Data", '"cache"');
    const back = `${origin}/logged-out`;
    // The session has ended here, even if the provider does not answer.
    const elsewhere = await provider.endSessionUrl(session.idToken, back).catch((error: unknown) => {
      log.warn({ operation: "sign out", error }, "the session at the identity provider may go on");
      return undefined;
    });
    response.redirect(303, elsewhere?.href ?? back);
  };
}

function showLoggedOut(request: Request, response: Response): void {
  const reader = readerOf(request, response);
  const { texts } = reader;
  sendPage(
    response,
    { reader, path: request.path, person: undefined },
    {
      title: texts.loggedOutTitle,
      content: html`<p>${texts.loggedOutText}</p>
        <p><a class="button" href="/login">${texts.signIn}</a></p>`,
    },
  );
}

function showInterrupted(request: Request, response: Response): void {
  const reader = readerOf(request, response);
  const { texts } = reader;
  sendPage(
    response,
    { reader, path: "/", person: undefined },
    {
      status: 400,
      title: texts.interruptedTitle,
      content: html`<p><a class="button" href="/login">${texts.signIn}</a></p>`,
      notice: { role: "alert", title: texts.interruptedTitle, text: texts.interruptedText },
    },
  );
}
