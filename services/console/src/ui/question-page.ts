import { html } from "@holdfast/html";
import { statusWord } from "./format.ts";
import { isTestMode, type PageAnswer, type PageContext } from "./page-context.ts";

/**
 * The field with the question that a form asks. It is sent with the form until somebody has answered it. The
 * script's dialog removes it; without a script a page asks the question before anything is done.
 */
export const QUESTION = "question";

/**
 * The page that asks: its button sends the same form without its question, under the same key.
 *
 * @param to where the form leads. `back`: the page that it is on.
 */
export function questionPage(context: PageContext, to: { action: string; back: string }): PageAnswer {
  const { form, formToken, query, reader } = context;
  const fields = [...form].filter(([name]) => name !== QUESTION && name !== "formToken");
  const field = (name: string, value: string) =>
    html`<input type="hidden" name="${name}" value="${value}" />`;
  const content = html`<form class="act buttons" method="post" action="${to.action}">
    ${field("formToken", formToken)}${fields.map(([name, value]) => field(name, value))}
    <button class="danger">${reader.texts.answerYes}</button>
    <a class="button" href="${to.back}">${reader.texts.answerNo}</a>
  </form>`;
  return { kind: "page", title: questionIn(context), content, isTest: isTestMode(query) };
}

/** The question with what was entered, as the script asks it. */
function questionIn({ form, reader }: PageContext): string {
  const question = form.get(QUESTION) ?? "";
  // Replaces only the first placeholder, which is the form's own: the rest contains names that merchants
  // choose.
  return question.replace(/\{(amount|outcome|decision)\}/, (place, name: string) => {
    const entered = form.get(name);
    return entered === null ? place : statusWord(reader, entered);
  });
}
