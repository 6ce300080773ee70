import type { Problem } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { DatabaseUnavailableError } from "@holdfast/postgres";
import { type Logger } from "@holdfast/service-runtime";
import type { ErrorRequestHandler, Request, Response } from "express";
import { OperatorApiProblemError, OperatorApiUnavailableError } from "../api/operator-api.ts";
import type { Reader } from "../ui/page-context.ts";
import { problemText, problemTitle } from "../ui/problem-text.ts";
import { clearCookie, SESSION_COOKIE } from "../session/cookies.ts";
import { IdentityProviderUnavailableError } from "../session/identity-provider.ts";
import { hasJustBegun, type Session } from "../session/session.ts";
import { currentSession, type SessionStore } from "./current-session.ts";
import type { KeepingDeps } from "./keep-sent-form.ts";
import { frameOf, redirectToLogin } from "./page-handler.ts";
import { readerOf } from "./reader-of.ts";
import { sendPage } from "./send-page.ts";

type Fault = { status: number; title: string; text: string };

/** Shows each failure as a page with the present state and the next step. */
export function answerError(deps: KeepingDeps, log: Logger): ErrorRequestHandler {
  const { store } = deps;
  return async (error, request, response, _next) => {
    if (response.headersSent) return void response.destroy();
    const reader = readerOf(request, response);
    if (error instanceof OperatorApiProblemError && error.problem.code === "unauthorized") {
      response.append("Set-Cookie", clearCookie(SESSION_COOKIE));
      const refused = await sessionFor(store, request);
      // The person's token has expired, or the provider's keys have changed: the provider authenticates the
      // person again.
      if (!refused || !hasJustBegun(refused, new Date()))
        return await redirectToLogin(deps, request, response);
      log.warn({ operation: "sign in", error }, "the gateway does not take the provider's tokens");
      return showFault(request, response, {
        reader,
        session: undefined,
        fault: { status: 502, title: reader.texts.tokenTitle, text: reader.texts.tokenText },
      });
    }
    const fault = faultOf(error, request, reader);
    if (fault.status >= 500)
      log.warn({ operation: request.path, method: request.method, error }, "request failed");
    // The session had no database connection, and a request does not wait for one a second time.
    const isKnown = !(error instanceof DatabaseUnavailableError);
    const session = isKnown ? await sessionFor(store, request) : undefined;
    showFault(request, response, { reader, session, fault });
  };
}

export function showNotFound(deps: KeepingDeps) {
  return async (request: Request, response: Response): Promise<void> => {
    const session = await sessionFor(deps.store, request);
    if (!session) return await redirectToLogin(deps, request, response);
    const reader = readerOf(request, response);
    const { notFoundTitle: title, notFoundText: text } = reader.texts;
    showFault(request, response, { reader, session, fault: { status: 404, title, text } });
  };
}

function showFault(
  request: Request,
  response: Response,
  { reader, session, fault }: { reader: Reader; session: Session | undefined; fault: Fault },
): void {
  const { status, title, text } = fault;
  const frame = frameOf(request, reader, session);
  const { tryAgain, signIn } = reader.texts;
  // A page is opened again with its filters, or with the form that it gives back; a form leads to its page.
  const query = request.method === "GET" ? frame.query.toString() : "";
  const again = query === "" ? frame.path : `${frame.path}?${query}`;
  // A failure that may soon be over can be tried again; a page for an unknown person leads to the sign-in.
  const way = status >= 500 ? tryAgain : session ? undefined : signIn;
  sendPage(response, frame, {
    status,
    title,
    content: html`${way !== undefined && html`<p><a class="button" href="${again}">${way}</a></p>`}`,
    notice: { role: "alert", title, text },
  });
}

function faultOf(error: unknown, request: Request, reader: Reader): Fault {
  const { texts } = reader;
  if (error instanceof OperatorApiProblemError) return faultOfProblem(error.problem, reader);
  if (error instanceof OperatorApiUnavailableError) {
    return request.method === "POST"
      ? { status: 504, title: texts.unknownTitle, text: texts.unknownText }
      : { status: 503, title: texts.unavailableTitle, text: texts.unavailableText };
  }
  if (error instanceof DatabaseUnavailableError)
    return { status: 503, title: texts.noSessionTitle, text: texts.noSessionText };
  if (error instanceof IdentityProviderUnavailableError)
    return { status: 503, title: texts.providerTitle, text: texts.providerText };
  const status: unknown = error instanceof Error && "status" in error ? error.status : undefined;
  // Requests that the parser of bodies or of paths has refused.
  if (typeof status === "number" && status >= 400 && status < 500)
    return { status, title: texts.formTitle, text: texts.formText };
  return { status: 500, title: texts.faultTitle, text: texts.faultText };
}

function faultOfProblem(problem: Problem, reader: Reader): Fault {
  return {
    status: problem.status,
    title: problemTitle(reader, problem),
    text: problemText(reader, problem),
  };
}

/** A page about a failure needs no database: without it the page has no person's name. */
async function sessionFor(store: SessionStore, request: Request): Promise<Session | undefined> {
  const found = await currentSession(store, request).catch(() => undefined);
  return found?.state === "active" ? found.session : undefined;
}
