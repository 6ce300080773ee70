import { randomBytes } from "node:crypto";
import { OPERATOR_ROLES, STAFF_ROLES } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import type { Logger } from "@holdfast/service-runtime";
import { Router, type Request, type RequestHandler, type Response } from "express";
import { createCodeLimit } from "../session/code-limit.ts";
import { clearCookie, SESSION_COOKIE, setCookie } from "../session/cookies.ts";
import type { Identity, IdentityProvider } from "../session/identity-provider.ts";
import { keepAttempt, takeAttempt, type StoredAttempt } from "../session/login-attempts.ts";
import { returnPath } from "../session/return-path.ts";
import type { Session } from "../session/session.ts";
import { deleteSession, insertSession, type SignedIn } from "../session/session-queries.ts";
import { currentSession, type SessionStore } from "./current-session.ts";
import { formOf, isOwnForm, redirectToLogin, refuseForm } from "./page-handler.ts";
import { queryOf } from "./query-of.ts";
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

/** Signing in and out. */
export function loginRoutes(deps: LoginDeps): Router {
  return Router()
    .get("/login", beginLogin(deps))
    .get("/login/return", completeLogin(deps))
    .post("/logout", logOut(deps))
    .get("/logged-out", showLoggedOut);
}

/**
 * Asks the provider for a sufficiently recent proof of identity. A new one is required if the last session
 * was left idle or the gateway asked for it. A decision about money requires one of the last minutes. A
 * person who was active a moment ago needs one of this working day. Without a session it is unknown how long
 * the browser was left alone.
 */
function beginLogin({ store, provider, sessionMaxMs, decisionLoginAgeMs }: LoginDeps): RequestHandler {
  return async (request, response) => {
    const found = await currentSession(store, request);
    const { again } = request.query;
    const longestMs = found ? sessionMaxMs : Math.min(store.idleMs, sessionMaxMs);
    const ageMs =
      found?.state === "idle" || again === "now"
        ? 0
        : again === "1"
          ? Math.min(decisionLoginAgeMs / 2, longestMs)
          : longestMs;
    const { url, attempt } = await provider.begin(Math.floor(ageMs / 1_000));
    const returnTo = returnPath(request.query["return"]);
    const stored: StoredAttempt = { ...attempt, returnTo, begunAt: Date.now() };
    response.append("Set-Cookie", keepAttempt(store.keys, request.headers.cookie, stored));
    response.redirect(303, url.href);
  };
}

/**
 * Signs the person in by the provider's answer. An answer that signs nobody in ends only its own attempt. It
 * may belong to another tab, or be a repeated address: a person who is signed in by then is redirected. A
 * guessed code is different: after a few codes the provider is not asked again.
 */
function completeLogin(deps: LoginDeps): RequestHandler {
  const { store, provider, origin, log } = deps;
  const mayAsk = createCodeLimit();
  return async (request, response) => {
    const { state } = request.query;
    const found = takeAttempt(store.keys, request.headers.cookie, typeof state === "string" ? state : "");
    if (found) response.append("Set-Cookie", found.ended);
    const callback = new URL(`/login/return?${queryOf(request).toString()}`, origin);
    const identity =
      found && mayAsk(found.attempt.state) ? await provider.complete(callback, found.attempt) : undefined;
    const returnTo = found?.attempt.returnTo ?? "/";
    const former = await currentSession(store, request);
    if (!found || !identity)
      return former?.state === "active"
        ? response.redirect(303, returnTo)
        : showInterrupted(request, response);
    const session = sessionOf(identity, deps);
    // Forms of the tab that was quicker belong to its session.
    if (former?.state === "active" && isNewer(former.session, found.attempt, session))
      return response.redirect(303, returnTo);
    if (former) await deleteSession(store.db, former.session.id);
    await insertSession(store.db, store.keys, session);
    log.info({ operation: "sign in", actor: session.subject }, "signed in");
    response.append("Set-Cookie", setCookie(SESSION_COOKIE, session.id));
    response.redirect(303, returnTo);
  };
}

/** True for a session of the same person and proof that began after the sign-in did which has ended now. */
function isNewer(
  session: Session,
  { begunAt }: StoredAttempt,
  { subject, staff, authenticatedAt }: SignedIn,
): boolean {
  return (
    session.beganAt.getTime() > begunAt &&
    session.subject === subject &&
    session.staff?.merchantId === staff?.merchantId &&
    session.authenticatedAt >= authenticatedAt
  );
}

/** Each sign-in gets a new id, so an id that an attacker has planted before is useless. */
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

/** Ends the session here, and then leads to where it ends at the provider. */
function logOut({ store, provider, origin, log }: LoginDeps): RequestHandler {
  return async (request, response) => {
    const found = await currentSession(store, request);
    if (!found) return await redirectToLogin({ store, origin }, request, response);
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
