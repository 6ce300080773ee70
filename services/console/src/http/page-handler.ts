import { randomUUID } from "node:crypto";
import { holdsCardNumber } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import type { Request, RequestHandler, Response } from "express";
import type { ArrivingFile } from "../api/form-with-file.ts";
import type { OperatorApi } from "../api/operator-api.ts";
import { isTestMode, withoutNotice, type Page, type PageContext, type Reader } from "../ui/page-context.ts";
import { QUESTION, questionPage } from "../ui/question-page.ts";
import { formTokenOf, isFormToken, pageIn, pageTokenOf, personOf } from "../session/form-token.ts";
import { mayDecide, type Session } from "../session/session.ts";
import { giveTimeForFile } from "./body-time.ts";
import { currentSession, type SessionStore } from "./current-session.ts";
import {
  ADDRESS_MAX,
  addressWithForm,
  addressWithoutFile,
  keepSentForm,
  pageOf,
  takeBack,
  type KeepingDeps,
  type GivenBack,
} from "./keep-sent-form.ts";
import { readerOf } from "./reader-of.ts";
import { receiveUpload } from "./receive-upload.ts";
import { isLiveMode, keepMode, queryInMode } from "./mode-of.ts";
import { queryOf } from "./query-of.ts";
import { isSameOrigin } from "./same-origin.ts";
import { sendFile, sendPage } from "./send-page.ts";
import type { SharedAnswers } from "./shared-answers.ts";

export type PageDeps = {
  store: SessionStore;
  createApi: (session: Session) => OperatorApi;
  origin: string;
  decisionLoginAgeMs: number;
  sharedAnswers: SharedAnswers;
};

/**
 * Serves a page to a person who is signed in. Anybody else is redirected to the sign-in and back. A form that
 * is posted without a session, by another site's page or without the session's token does nothing. A form of
 * one of our own pages is kept for its person, who gets it back after the sign-in.
 */
export function pageHandler(deps: PageDeps, page: Page): RequestHandler {
  return async (request, response, next) => {
    const found = await currentSession(deps.store, request);
    if (found?.state !== "active") return await redirectToLogin(deps, request, response);
    const { session } = found;
    const reader = readerOf(request, response);
    keepMode(request, response);
    if (page.takesFile) giveTimeForFile(request);
    const { form, file } = page.takesFile
      ? await receiveUpload(request)
      : { form: formOf(request), file: undefined };
    // The rest of an unread file is not needed, but the browser sends it before it takes the answer.
    response.once("finish", () => file?.discard());
    if (page.method === "POST" && !isOwnForm(request, form, session, deps.origin))
      return await returnForm(deps, request, response, { form, reader, session });
    // A page for another audience is neither seen nor carried out.
    if (!isFor(page, session)) {
      if (page.method === "GET") return next();
      return refuseAct(request, response, { reader, session });
    }
    const given = await takeBack(deps.store, request, { reader, session });
    const shown = given ?? { form, isWhole: true };
    const context = contextOf(deps, { request, session, reader, shown, file });
    // The sign-in may again be too old for a decision: the way to a newer one leads back to the form, too.
    if (given && context.form.size > 0 && !context.mayDecide) await context.keepForm();
    const isAsked = page.method === "POST" && form.has(QUESTION);
    const answer = isAsked ? questionPage(context, waysOf(request)) : await answerOnce(deps, page, context);
    switch (answer.kind) {
      case "redirect":
        return response.redirect(303, answer.to);
      case "file":
        return await sendFile(response, answer);
      case "page":
        // A page that could not be made has not shown the form: opened again, it does.
        if ((answer.status ?? 200) < 500) await given?.forget();
        return sendPage(response, frameOf(request, reader, session), {
          ...answer,
          notice: answer.notice ?? given?.notice,
        });
      default:
        return answer satisfies never;
    }
  };
}

/** The addresses of a form and of the page that it is on, each with the query that the form has. */
function waysOf(request: Request): { action: string; back: string } {
  const query = withoutNotice(queryOf(request)).toString();
  const withQuery = (path: string) => (query === "" ? path : `${path}?${query}`);
  return { action: withQuery(request.path), back: withQuery(pageOf(request)) };
}

async function answerOnce({ sharedAnswers }: PageDeps, page: Page, context: PageContext) {
  if (page.showsSecret !== true) return await page.answer(context);
  const key = context.form.get("key");
  const shared = key ? `${context.session.id} ${page.path} ${key}` : undefined;
  return await sharedAnswers.answer(shared, () => page.answer(context));
}

function isFor({ audience = "operators" }: Page, { staff }: Session): boolean {
  return audience === "everybody" || audience === (staff ? "staff" : "operators");
}

function refuseAct(request: Request, response: Response, who: Refused): void {
  const { notDone, notYours } = who.reader.texts;
  refuse(request, response, who, { title: notDone, text: notYours, back: "/" });
}

export function refuseForm(request: Request, response: Response, who: Refused): void {
  const { formTitle, formText } = who.reader.texts;
  refuse(request, response, who, { title: formTitle, text: formText, back: pageOf(request) });
}

/** Leads back to the form's page with what was entered, or refuses a form that none of our pages has sent. */
async function returnForm(
  deps: PageDeps,
  request: Request,
  response: Response,
  { form, ...who }: Refused & { form: URLSearchParams },
): Promise<void> {
  const back = await keepSentForm(deps, request, { form, by: who.session });
  if (back === undefined) return refuseForm(request, response, who);
  response.redirect(303, back);
}

type Refused = { reader: Reader; session: Session };

/** A page that says why nothing was done, with a way back. */
function refuse(
  request: Request,
  response: Response,
  { reader, session }: Refused,
  { title, text, back }: { title: string; text: string; back: string },
): void {
  sendPage(response, frameOf(request, reader, session), {
    status: 403,
    title,
    content: html`<p><a href="${back}">${reader.texts.overview}</a></p>`,
    notice: { role: "alert", title, text },
  });
}

/** The frame that every page of a person has around its content. */
export function frameOf(request: Request, reader: Reader, session: Session | undefined) {
  const asked = queryOf(request);
  // A card number in an address is repeated on no page.
  const query = new URLSearchParams([...asked].filter(([, value]) => !holdsCardNumber(value)));
  return {
    reader,
    path: pageOf(request),
    query,
    isLive: isLiveMode(request),
    person: session && {
      subject: session.subject,
      merchantId: session.staff?.merchantId,
      formToken: formTokenOf(session.id),
    },
    searchText: request.path === "/search" ? (query.get("q") ?? undefined) : undefined,
  };
}

/** The token alone decides where a browser does not name the sender; where it does, both have to be right. */
export function isOwnForm(
  request: Request,
  form: URLSearchParams,
  session: Session,
  origin: string,
): boolean {
  return isSameOrigin(request.headers, origin) && isFormToken(session.id, form.get("formToken") ?? "");
}

/** The form in a body that `express.text` has read. */
export function formOf(request: Request): URLSearchParams {
  return new URLSearchParams(typeof request.body === "string" ? request.body : "");
}

/** Redirects to the sign-in, and from there to the requested page, or to the page of the sent form. */
export async function redirectToLogin(
  deps: KeepingDeps,
  request: Request,
  response: Response,
): Promise<void> {
  const page = request.method === "GET" ? request.originalUrl : await pageWithForm(deps, request);
  const back = page === "/" ? "" : `?return=${encodeURIComponent(page.slice(0, ADDRESS_MAX))}`;
  response.redirect(303, `/login${back}`);
}

async function pageWithForm(deps: KeepingDeps, request: Request): Promise<string> {
  const kept = await keepSentForm(deps, request, { form: formOf(request) });
  return kept ?? addressWithoutFile(deps, request) ?? pageOf(request);
}

function contextOf(
  deps: PageDeps,
  {
    request,
    session,
    reader,
    shown,
    file,
  }: {
    request: Request;
    session: Session;
    reader: Reader;
    shown: Pick<GivenBack, "form" | "isWhole">;
    file: ArrivingFile | undefined;
  },
): PageContext {
  const now = new Date();
  const { keys } = deps.store;
  const query = queryInMode(request);
  query.delete("kept");
  const context: PageContext = {
    session,
    reader,
    form: shown.form,
    file,
    api: deps.createApi(session),
    parameters: request.params as Record<string, string>,
    query,
    formToken: pageTokenOf(keys, session, isTestMode(query)),
    mayDecide: mayDecide(session, now, deps.decisionLoginAgeMs),
    now,
    generateKey: randomUUID,
    async keepForm() {
      const { form } = context;
      // The form's own page says the mode, if the target's address does not.
      const { isTest } = pageIn(keys, form.get("formToken") ?? "") ?? { isTest: isTestMode(query) };
      const sent = { form, person: personOf(session), isTest, wasWhole: shown.isWhole };
      context.keptAt ??= await addressWithForm(deps.store, request, sent);
      return context.keptAt;
    },
  };
  return context;
}
