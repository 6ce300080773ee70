import type { Endpoint, Problem } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { DECISIONS } from "./action-forms.ts";
import type { Action } from "./offers.ts";
import type { Notice, PageAnswer, PageContext } from "./page-context.ts";

export type ActionRequest = {
  action: Action;
  endpoint: Endpoint;
  path: Record<string, string>;
  /** What the endpoint takes; undefined where the form lacks something, which `needs` then says. */
  body: unknown;
  needs?: string;
  /** Where the person looks at what was done. */
  page: string;
};

/**
 * Carries out what a form asks for, and leads to the page that shows it. What was not done is shown on the page that the
 * form was on, with everything that was entered.
 */
export async function takeAction(
  context: PageContext,
  { action, endpoint, path, body, needs, page }: ActionRequest,
  renderAgain: (context: PageContext, notice: Notice, status: number) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { texts } = context.reader;
  if (DECISIONS.has(action) && !context.mayDecide) {
    const link = html`<a href="/login?again=1&amp;return=${encodeURIComponent(page)}"
      >${texts.signInAgain}</a
    >`;
    return await renderAgain(
      context,
      { role: "alert", title: texts.notDone, text: texts.signInAgainWhy, link },
      403,
    );
  }
  if (needs !== undefined)
    return await renderAgain(context, { role: "alert", title: texts.notDone, text: needs }, 400);
  const key = context.form.get("key") ?? "";
  const changed = await context.api.change(endpoint, { path, body, key });
  if (changed.done) return { kind: "redirect", to: `${page}?done=${action}` };
  const { problem } = changed;
  // The form's key was used for this refusal: what is sent next is another request.
  context.form.delete("key");
  const notice = { role: "alert", title: texts.notDone, text: problemText(problem) } as const;
  return await renderAgain(context, notice, problem.status);
}

/** As the gateway says it, with what it says of each field. */
export function problemText({ title, detail, errors = [] }: Problem): string {
  const said = detail !== undefined && detail !== title ? [title, detail] : [title];
  return [...said, ...errors.map(({ field, message }) => `${field}: ${message}`)]
    .map((sentence) => sentence.replace(/\.?$/, "."))
    .join(" ");
}

/** What the page before has led here with. */
export function doneNotice({ query, reader }: PageContext): Notice | undefined {
  const done = query.get("done");
  const { done: texts } = reader.texts;
  return done !== null && Object.hasOwn(texts, done)
    ? { role: "status", title: texts[done as keyof typeof texts] }
    : undefined;
}
