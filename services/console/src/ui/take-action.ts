import { staffEndpointOf, type Endpoint } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import type { BodyOf } from "../api/operator-api.ts";
import { needsOf } from "./field-faults.ts";
import type { FieldFault, Notice, PageAnswer, PageContext } from "./page-context.ts";
import { faultsNotice, refusalNotice } from "./problem-text.ts";
import { forgetVersions } from "./seen-version.ts";
import type { Deed } from "./texts.ts";

export type ActionRequest<E extends Endpoint = Endpoint> = {
  action: Deed;
  endpoint: E;
  path: Record<string, string>;
  query?: Record<string, string | undefined>;
  /** The body for the endpoint; ignored if `needs` has a fault. */
  body: unknown;
  /** Faults of the input that keep the form from being sent on. */
  needs?: readonly FieldFault[];
  /** The page that shows the result, with its query. */
  page: string;
};

/** The result as the person sees it: another sentence than the action's, or a page of its own. */
type Outcome = Deed | PageAnswer;

export type RenderAgain = (context: PageContext, notice: Notice, status: number) => Promise<PageAnswer>;

/**
 * Carries out a form's action, and leads to the page that shows it. A refusal is shown on the form's page, with
 * everything that was entered.
 */
export async function takeAction<E extends Endpoint>(
  context: PageContext,
  { action, endpoint, path, query, body, needs = [], page }: ActionRequest<E>,
  renderAgain: RenderAgain,
  outcomeOf: (body: BodyOf<E>) => Outcome | Promise<Outcome> = () => action,
): Promise<PageAnswer> {
  if (takesRecentSignIn(context, endpoint) && !context.mayDecide)
    return await renderAgain(context, await signInNotice(context, "1"), 403);
  if (needs.length > 0) return await renderAgain(context, faultsNotice(context, needs), 400);
  const key = context.form.get("key") ?? "";
  const changed = await context.api.change(endpoint, { path, ...(query && { query }), body, key });
  if (changed.done) {
    const outcome = await outcomeOf(changed.body);
    return typeof outcome === "string" ? { kind: "redirect", to: withDone(page, outcome) } : outcome;
  }
  const { problem } = changed;
  // The form's key was used for this refusal: the next form is another request.
  context.form.delete("key");
  // The gateway asks for a more recent sign-in than the console does: a new one satisfies it.
  if (problem.code === "insufficient_user_authentication")
    return await renderAgain(context, await signInNotice(context, "now"), 403);
  // A fault of a field says nothing about the version. After any other refusal the page shows the present
  // version.
  if (problem.status !== 400) forgetVersions(context.form);
  return await renderAgain(context, refusalNotice(context, problem), problem.status);
}

type FileRequest<E extends Endpoint> = Pick<ActionRequest<E>, "action" | "query" | "needs"> & {
  endpoint: E & { file: { part: string } };
  path?: Record<string, string>;
  /** Says that the form brings no file. */
  needFile: string;
  /** The page that shows the result. */
  pageOf: (body: BodyOf<E>) => string;
};

/** Passes a form's file on as it arrives, and leads to the page that shows it. A refusal is shown on the form's page. */
export async function takeFile<E extends Endpoint>(
  context: PageContext,
  { action, endpoint, needFile, needs = [], pageOf, ...call }: FileRequest<E>,
  renderAgain: RenderAgain,
): Promise<PageAnswer> {
  const { api, file } = context;
  const faults = [...needs, ...needsOf({ [endpoint.file.part]: !file?.name && needFile })];
  if (!file?.name || faults.length > 0) return await renderAgain(context, faultsNotice(context, faults), 400);
  const sent = await api.upload<E>(endpoint, { ...call, part: endpoint.file.part, file });
  if (!sent.done)
    return await renderAgain(context, refusalNotice(context, sent.problem), sent.problem.status);
  return { kind: "redirect", to: withDone(pageOf(sent.body), action) };
}

/** True if the called endpoint requires a recent sign-in. Staff call another endpoint than operators. */
function takesRecentSignIn({ session }: PageContext, endpoint: Endpoint): boolean {
  const called = session.staff ? staffEndpointOf(endpoint) : endpoint;
  return called?.recentSignIn === true;
}

/**
 * The way to the sign-in and back to the form, with what was entered.
 *
 * @param again how recent the sign-in has to be: as the console requires, or new.
 */
export async function signInNotice(context: PageContext, again: "1" | "now"): Promise<Notice> {
  const { texts } = context.reader;
  const href = `/login?again=${again}&return=${encodeURIComponent(await context.keepForm())}`;
  return {
    role: "alert",
    title: texts.notDone,
    text: texts.signInAgainWhy,
    link: html`<a href="${href}">${texts.signInAgain}</a>`,
  };
}

function withDone(page: string, deed: Deed): string {
  const [path, query] = page.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.set("done", deed);
  return `${path}?${parameters.toString()}`;
}

/** The notice that the previous page has led here with. */
export function doneNotice({ query, reader }: PageContext): Notice | undefined {
  const done = query.get("done");
  const { done: texts, refund } = reader.texts;
  if (done === null || !Object.hasOwn(texts, done)) return undefined;
  const [count = ""] = /^\d{1,3}$/.exec(query.get("count") ?? "") ?? [];
  const title = texts[done as keyof typeof texts].replace("{count}", count);
  const [about] = /^[\da-f-]{36}$/.exec(query.get("about") ?? "") ?? [];
  return { role: "status", title, ...(about && { link: html`<a href="/refunds/${about}">${refund}</a>` }) };
}
