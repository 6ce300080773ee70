import { html, type Html } from "@holdfast/html";
import { actionForm, hidden, selectField, textField } from "./form-fields.ts";
import type { Action, Offer } from "./offers.ts";
import type { PageContext } from "./page-context.ts";
import type { Deed, Texts } from "./texts.ts";

/** The actions that need a recent sign-in, which is asked for in place of their forms. */
const DECISIONS: ReadonlySet<Deed> = new Set<Deed>([
  "approve",
  "reject",
  "reverse",
  "resolve",
  "refund",
  "closeDifference",
  "capture",
  "cancel",
]);

/** The amount that a refund's form shows, and that the person so approves. */
export type SeenAmount = { amount: number; currency: string };

/** The forms of the actions on the thing at `path`, and why the others are not offered. */
export function renderActions(
  context: PageContext,
  {
    path,
    offers,
    ...amounts
  }: { path: string; offers: readonly Offer[]; refundAmount?: string; seen?: SeenAmount },
): Html {
  const { texts } = context.reader;
  const possible = offers.filter(({ why }) => why === undefined).map(({ action }) => action);
  const barred = offers.filter(({ why }) => why !== undefined);
  const needsSignIn = !context.mayDecide && possible.some((action) => DECISIONS.has(action));
  const shown = needsSignIn ? possible.filter((action) => !DECISIONS.has(action)) : possible;
  return html`${
    possible.length > 0 &&
    html`<h2>${texts.now}</h2>
      ${needsSignIn && signInAgain(texts, path)} ${actionForms(context, path, shown, amounts)}`
  }
  ${
    barred.length > 0 &&
    html`<h2>${texts.notNow}</h2>
      <ul class="reasons">
        ${barred.map(({ action, why }) => html`<li>${actionName(texts, action)}: ${why}</li>`)}
      </ul>`
  }`;
}

/** Approve and reject with one reason, as in each row of the queue. */
export function decisionForm(
  context: PageContext,
  path: string,
  actions: readonly Action[],
  seen: SeenAmount | undefined,
): Html {
  const { texts } = context.reader;
  const id = `reason-${path.split("/").at(-1)}`;
  return html`<form class="act" method="post" action="${path}/${actions[0]}">
    ${hidden(context)}
    ${
      seen &&
      html`<input type="hidden" name="amount" value="${seen.amount}" />
        <input type="hidden" name="currency" value="${seen.currency}" />`
    }
    ${textField({ id, name: "reason", label: texts.reason, max: 200, value: sent(context, "reason") })}
    <div class="buttons">
      ${actions.includes("approve") && html`<button class="primary">${texts.approve}</button>`}
      ${
        actions.includes("reject") &&
        html`<button class="danger" formaction="${path}/reject">${texts.reject}</button>`
      }
    </div>
  </form>`;
}

/** The way to the sign-in and back, where the last one is too old. */
export function signInAgain(texts: Texts, path: string): Html {
  return html`<p>
    <a class="button" href="/login?again=1&amp;return=${encodeURIComponent(path)}">${texts.signInAgain}</a>
    <span class="quiet">${texts.signInAgainWhy}</span>
  </p>`;
}

export function actionName(texts: Texts, action: Action): string {
  switch (action) {
    case "refund":
      return texts.refundButton;
    case "capture":
      return texts.captureButton;
    case "cancel":
      return texts.cancelButton;
    default:
      return texts[action];
  }
}

function actionForms(
  context: PageContext,
  path: string,
  actions: readonly Action[],
  { refundAmount, seen }: { refundAmount?: string; seen?: SeenAmount },
): Html {
  const { texts } = context.reader;
  const has = (action: Action) => actions.includes(action);
  return html`${has("approve") || has("reject") ? decisionForm(context, path, actions.filter(isDecision), seen) : ""}
  ${has("capture") && actionForm(context, { action: `${path}/capture`, button: texts.captureButton })}
  ${has("cancel") && actionForm(context, { action: `${path}/cancel`, button: texts.cancelButton })}
  ${has("inquire") && actionForm(context, { action: `${path}/inquire`, button: texts.inquire })}
  ${has("reverse") && actionForm(context, { action: `${path}/reverse`, button: texts.reverse })}
  ${has("resolve") && resolveForm(context, path)} ${has("refund") && refundForm(context, path, refundAmount)}`;
}

function isDecision(action: Action): boolean {
  return action === "approve" || action === "reject";
}

function resolveForm(context: PageContext, path: string): Html {
  const { texts } = context.reader;
  const choices = [
    { value: "", text: "–" },
    { value: "SUCCESS", text: texts.outcomeSuccess },
    { value: "FAILED", text: texts.outcomeFailed },
  ];
  const fields = html`${selectField({
      name: "outcome",
      label: texts.outcome,
      choices,
      chosen: sent(context, "outcome"),
    })}
    <div class="field">
      <label for="evidence">${texts.evidence}</label>
      <p class="quiet" id="evidence-hint">${texts.evidenceHint}</p>
      <textarea id="evidence" name="evidence" rows="3" maxlength="1000" aria-describedby="evidence-hint">
${sent(context, "evidence") ?? ""}</textarea>
    </div>`;
  return actionForm(context, { action: `${path}/resolve`, button: texts.resolve, fields });
}

function refundForm(context: PageContext, path: string, amount: string | undefined): Html {
  const { texts } = context.reader;
  const fields = html`${textField({
    name: "amount",
    label: texts.amount,
    inputMode: "decimal",
    value: sent(context, "amount") ?? amount,
  })}
  ${textField({
    id: "refund-reason",
    name: "reason",
    label: texts.reason,
    max: 1_000,
    value: sent(context, "reason"),
  })}`;
  return actionForm(context, { action: `${path}/refund`, button: texts.refundButton, fields });
}

/** The value in the refused form, to be shown again. */
function sent(context: PageContext, field: string): string | undefined {
  return context.form.get(field) ?? undefined;
}
