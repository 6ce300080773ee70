import { html, type Html } from "@holdfast/html";
import { faultAt, faultOfSent } from "./field-faults.ts";
import { actionForm, areaField, numberField, selectField, textField } from "./form-fields.ts";
import type { Action, Offer } from "./offers.ts";
import type { PageContext } from "./page-context.ts";
import { readAmount } from "./read-number.ts";
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

/** The thing that actions are about. */
export type Subject = {
  path: string;
  /** The card, the order and the merchant, for the question before money moves. */
  about: string;
  amount: string;
  /** Distinguishes the buttons of several records on one page, for readers who do not see the rows. */
  name?: string;
  /** The amount that a refund's form shows, and that the person so approves. */
  seen?: { amount: number; currency: string };
  /** The amounts that a refund and a capture may still have, in decimal notation, and their currency. */
  refundable?: { amount: string; currency: string };
  capturable?: { amount: string; currency: string };
};

/** The forms of the actions on a record, and the reasons why other actions are not offered. */
export function renderActions(context: PageContext, offers: readonly Offer[], subject: Subject): Html {
  const { texts } = context.reader;
  const possible = offers.filter(({ why }) => why === undefined).map(({ action }) => action);
  const barred = offers.filter(({ why }) => why !== undefined);
  const needsSignIn = !context.mayDecide && possible.some((action) => DECISIONS.has(action));
  const shown = needsSignIn ? possible.filter((action) => !DECISIONS.has(action)) : possible;
  return html`${
    possible.length > 0 &&
    html`<h2>${texts.now}</h2>
      ${needsSignIn && signInAgain(context, subject.path)} ${actionForms(context, shown, subject)}`
  }
  ${
    barred.length > 0 &&
    html`<h2>${texts.notNow}</h2>
      <ul class="reasons">
        ${barred.map(({ action, why }) => html`<li>${actionName(texts, action)}: ${why}</li>`)}
      </ul>`
  }`;
}

/**
 * Approve and reject, as in each row of the queue. No field belongs to the button that pays: Enter in the
 * reason rejects.
 */
export function decisionForms(context: PageContext, actions: readonly Action[], subject: Subject): Html {
  const { texts } = context.reader;
  const { path, seen, name } = subject;
  const reason = sent(context, "reason");
  const named = (button: string) =>
    name === undefined ? button : html`${button} <span class="visually-hidden">${name}</span>`;
  const id = `reason-${path.split("/").at(-1)}`;
  // On the queue page the reason is for several refunds and has a field of its own.
  const isHere = actions.includes("reject") && context.parameters["refundId"] !== undefined;
  const fault = isHere ? faultAt(context, "reason") : undefined;
  return html`${
    actions.includes("approve") &&
    actionForm(context, {
      action: `${path}/approve`,
      button: named(texts.approve),
      question: questionOf(context, "approve", subject),
      look: "primary",
      ...(seen && { values: { amount: `${seen.amount}`, currency: seen.currency } }),
    })
  }
  ${
    actions.includes("reject") &&
    html`<details ${reason !== undefined && html`open`}>
      <summary>${named(texts.reject)}</summary>
      ${actionForm(context, {
        action: `${path}/reject`,
        button: named(texts.reject),
        fields: textField({ id, name: "reason", label: texts.reason, max: 200, value: reason, fault }),
        look: "danger",
      })}
    </details>`
  }`;
}

/** The question before an action that cannot be taken back. */
function questionOf(context: PageContext, action: Action, { amount, about }: Subject): string {
  const { texts } = context.reader;
  return texts.confirmAct(actionName(texts, action), `${amount}, ${about}`);
}

/**
 * The link to the sign-in and back, when the last sign-in is too old. It leads back to what was entered, if a
 * form was sent.
 */
export function signInAgain({ keptAt, reader: { texts } }: PageContext, path: string): Html {
  const back = encodeURIComponent(keptAt ?? path);
  return html`<p>
    <a class="button" href="/login?again=1&amp;return=${back}">${texts.signInAgain}</a>
    <span class="quiet">${texts.signInAgainWhy}</span>
  </p>`;
}

function actionName(texts: Texts, action: Action): string {
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

function actionForms(context: PageContext, actions: readonly Action[], subject: Subject): Html {
  const { path } = subject;
  const has = (action: Action) => actions.includes(action);
  const form = (action: Action, question?: string) =>
    has(action) &&
    actionForm(context, {
      action: `${path}/${action}`,
      button: actionName(context.reader.texts, action),
      question,
    });
  const asked = (action: Action) => form(action, questionOf(context, action, subject));
  const forms: readonly (readonly [Action, Html | false])[] = [
    ["capture", has("capture") && captureForm(context, subject)],
    ["inquire", form("inquire")],
    ["refund", has("refund") && refundForm(context, subject)],
    ["cancel", asked("cancel")],
    ["reverse", asked("reverse")],
    ["resolve", has("resolve") && resolveForm(context, subject)],
  ];
  const [first, ...others] = forms.filter(([, shown]) => shown !== false);
  const { texts } = context.reader;
  const explained = ([action, shown]: (typeof forms)[number]) =>
    html`<p class="quiet">${texts.does[action]}</p>
      ${shown}`;
  // A refused form, and the text in it, stay in sight.
  const isSent = context.form.size > 0;
  return html`${decisionForms(context, actions, subject)} ${first && explained(first)}
  ${
    others.length > 0 &&
    html`<details ${isSent && html`open`}>
      <summary>
        ${texts.otherActions}: ${others.map(([action]) => actionName(texts, action)).join(", ")}
      </summary>
      ${others.map(explained)}
    </details>`
  }`;
}

function resolveForm(context: PageContext, { path, about, amount }: Subject): Html {
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
    fault: faultOfSent(context, "outcome"),
  })}
  ${areaField({
    name: "evidence",
    label: texts.evidence,
    hint: texts.evidenceHint,
    value: sent(context, "evidence") ?? "",
    rows: 3,
    max: 1_000,
    fault: faultOfSent(context, "evidence"),
  })}`;
  return actionForm(context, {
    action: `${path}/resolve`,
    button: texts.resolve,
    question: texts.confirmAct(texts.resolve, `{outcome}, ${amount}, ${about}`),
    fields,
  });
}

/** Leads to a page that asks: beside an amount no button charges the card. */
function captureForm(context: PageContext, { path, capturable }: Subject): Html {
  const { texts } = context.reader;
  return actionForm(context, {
    action: `${path}/review-capture`,
    button: texts.reviewCapture,
    look: "primary",
    fields: numberField(context, {
      name: "captureAmount",
      label: texts.amount,
      ...(capturable && { decimal: capturable.amount }),
      read: (text) => readAmount(context.reader, text, capturable?.currency ?? ""),
      fault: faultOfSent(context, "captureAmount", "amount"),
    }),
  });
}

function refundForm(context: PageContext, { path, about, refundable }: Subject): Html {
  const { texts } = context.reader;
  const fields = html`${numberField(context, {
    name: "amount",
    label: texts.amount,
    ...(refundable && { decimal: refundable.amount }),
    read: (text) => readAmount(context.reader, text, refundable?.currency ?? ""),
    fault: faultOfSent(context, "amount"),
  })}
  ${textField({
    id: "refund-reason",
    name: "reason",
    label: texts.reason,
    max: 1_000,
    value: sent(context, "reason"),
    fault: faultOfSent(context, "reason"),
  })}`;
  return actionForm(context, {
    action: `${path}/refund`,
    button: texts.refundButton,
    question: texts.confirmAct(texts.refundButton, `{amount} ${refundable?.currency ?? ""}, ${about}`),
    look: "primary",
    fields,
  });
}

/** The value in the refused form, to be shown again. */
function sent(context: PageContext, field: string): string | undefined {
  return context.form.get(field) ?? undefined;
}
