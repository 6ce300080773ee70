import { html, type Html } from "@holdfast/html";
import { faultAt } from "./field-faults.ts";
import { isTestMode, type PageContext } from "./page-context.ts";
import { QUESTION } from "./question-page.ts";
import { decimalField, type ReadNumber } from "./read-number.ts";
import { isVersionField } from "./seen-version.ts";

/**
 * The fields of every form. They show that the form is ours, and carry the key by which it is carried out once
 * however often it is sent.
 */
export function hidden(context: PageContext, values: Record<string, string> = {}): Html {
  return html`<input type="hidden" name="formToken" value="${context.formToken}" /><input
      type="hidden"
      name="key"
      value="${context.form.get("key") ?? context.generateKey()}"
    />${Object.entries(values).map(
      ([name, value]) =>
        html`<input type="hidden" name="${name}" value="${versionSeen(context, name) ?? value}" />`,
    )}`;
}

/** A form that is shown again is about the version that its person has seen, until the gateway has refused it. */
function versionSeen({ form }: PageContext, name: string): string | undefined {
  return isVersionField(name) ? (form.get(name) ?? undefined) : undefined;
}

export type TextField = {
  name: string;
  label: string | Html;
  /** Set where another field of the page has the same name. */
  id?: string;
  value?: string | undefined;
  type?: "text" | "url" | "datetime-local" | "date" | "password";
  /** The moment that a date and time field has, for the script. */
  instant?: string;
  /** The keyboard that a telephone shows. */
  inputMode?: "decimal";
  max?: number;
  /** Stands between the label and the field, and is read out with it. */
  hint?: string | Html | undefined;
  /** True if the field is required, which its label says, too. */
  isRequired?: boolean;
  /** Says what is wrong with the value. */
  fault?: string | undefined;
};

/** One line of text under its label. A password field's value is never shown again. */
export function textField({
  name,
  label,
  id = name,
  value = "",
  type = "text",
  instant,
  inputMode,
  max,
  hint,
  isRequired,
  fault,
}: TextField): Html {
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${aboutField(id, hint, fault)}
    <input
      type="${type}"
      id="${id}"
      name="${name}"
      value="${type === "password" ? "" : value}"
      ${type === "password" && html`autocomplete="new-password"`}
      ${inputMode !== undefined && html`inputmode="${inputMode}"`}
      ${max !== undefined && html`maxlength="${max}"`}
      ${isRequired === true && html`aria-required="true"`}
      ${describedBy(id, hint, fault)}
      ${type === "datetime-local" && html`step="1"`}
      ${instant !== undefined && html`data-instant="${instant}"`}
    />
  </div>`;
}

/** A field for several lines of text, under its label. */
export function areaField({
  name,
  label,
  id = name,
  hint,
  value,
  rows,
  max,
  isVerbatim = false,
  fault,
}: Pick<TextField, "name" | "label" | "id" | "max" | "fault"> & {
  hint: string;
  value: string;
  rows: number;
  /** True if the browser neither completes nor corrects the text. */
  isVerbatim?: boolean;
}): Html {
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${aboutField(id, hint, fault)}
    <textarea
      id="${id}"
      name="${name}"
      rows="${rows}"
      ${max !== undefined && html`maxlength="${max}"`}
      ${isVerbatim && html`autocomplete="off" spellcheck="false"`}
      ${describedBy(id, hint, fault)}
    >
${value}</textarea>
  </div>`;
}

type About = Html | string | undefined;

/** The hint and the fault of a field, above it. */
function aboutField(id: string, hint: About, fault: About): Html {
  return html`${hint !== undefined && html`<p class="quiet" id="${id}-hint">${hint}</p>`}
  ${fault !== undefined && html`<p class="fault" id="${id}-fault">${fault}</p>`}`;
}

function describedBy(id: string, hint: About, fault: About): Html {
  const about = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean);
  return html`${about.length > 0 && html`aria-describedby="${about.join(" ")}"`}
  ${fault !== undefined && html`aria-invalid="true"`}`;
}

/** A checkbox with its label. */
export function checkField({
  name,
  label,
  isChecked,
  id = name,
  hint,
  fault,
}: Pick<TextField, "name" | "label" | "id" | "hint" | "fault"> & { isChecked: boolean }): Html {
  return html`<div class="field">
    <label class="pick" for="${id}"
      ><input
        type="checkbox"
        id="${id}"
        name="${name}"
        value="true"
        ${isChecked && html`checked`}
        ${describedBy(id, hint, fault)}
      />
      ${label}</label
    >
    ${aboutField(id, hint, fault)}
  </div>`;
}

/**
 * A field for a number in the reader's notation, with the fault of the sent value. @param decimal its value
 * before anything is sent.
 */
export function numberField(
  { form, reader }: PageContext,
  {
    decimal,
    read,
    ...field
  }: Omit<TextField, "value"> & { decimal?: string; read: (text: string) => ReadNumber },
): Html {
  const sent = form.get(field.name);
  return textField({
    ...field,
    inputMode: "decimal",
    value: sent ?? (decimal === undefined ? "" : decimalField(reader, decimal)),
    fault: (sent === null ? undefined : read(sent).fault) ?? field.fault,
  });
}

export type Choice = { value: string; text: string };

/** A field for choosing one option, whose first option may mean all. */
export function selectField({
  name,
  label,
  choices,
  chosen,
  id = name,
  hint,
  fault,
}: {
  name: string;
  label: string;
  choices: readonly Choice[];
  chosen: string | null | undefined;
  id?: string;
  hint?: TextField["hint"];
  fault?: string | undefined;
}): Html {
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${aboutField(id, hint, fault)}
    <select id="${id}" name="${name}" ${describedBy(id, hint, fault)}>
      ${choices.map(
        ({ value, text }) =>
          html`<option value="${value}" ${value === (chosen ?? "") && html`selected`}>${text}</option>`,
      )}
    </select>
  </div>`;
}

/** Keeps the mode of a list in the address of what its filters find. */
export function modeInput(query: URLSearchParams): Html {
  return html`<input type="hidden" name="livemode" value="${isTestMode(query) ? "false" : "true"}" />`;
}

/** A form of one button, with its fields next to it. */
export function actionForm(
  context: PageContext,
  {
    action,
    button,
    fields,
    values,
    question,
    look = question === undefined ? undefined : "danger",
  }: {
    action: string;
    button: Html | string;
    fields?: Html | undefined;
    values?: Record<string, string>;
    /**
     * The question before an irreversible form is carried out (see `QUESTION`). `{amount}` in it is what that field has.
     */
    question?: string | undefined;
    look?: "primary" | "danger" | undefined;
  },
): Html {
  const all = question === undefined ? values : { ...values, [QUESTION]: question };
  return html`<form class="act" method="post" action="${action}">
    ${hidden(context, all)}${fields}<button ${look !== undefined && html`class="${look}"`}>${button}</button>
  </form>`;
}

/** A form that brings a file, without a script. Its fields stand before the file, which is read as it arrives. */
export function fileForm(
  context: PageContext,
  {
    action,
    fields,
    label,
    hint,
    button,
  }: Record<"action" | "label" | "hint" | "button", string> & { fields?: Html },
): Html {
  const fault = faultAt(context, "file");
  return html`<form class="act" method="post" enctype="multipart/form-data" action="${action}">
    ${hidden(context)} ${fields}
    <div class="field">
      <label for="file">${label}</label>
      ${aboutField("file", hint, fault)}
      <input type="file" id="file" name="file" ${describedBy("file", hint, fault)} />
    </div>
    <button>${button}</button>
  </form>`;
}
