import { html, type Html } from "@holdfast/html";
import { faultAt, faultWithin } from "../ui/field-faults.ts";
import { checkField, selectField, textField } from "../ui/form-fields.ts";
import { breakable } from "../ui/format.ts";
import type { PageContext } from "../ui/page-context.ts";
import { ACCOUNT_TEXTS } from "./account-texts.ts";
import { memberOf, nameOf, textOf, type ProtocolField } from "./protocol-fields.ts";

/** The content of a field before anybody enters anything. */
type Given = {
  /** The stored value of the field, if there is one. */
  stored?: unknown;
  /** True for the form that was sent and refused: it has what was entered, and the faults. */
  isSent: boolean;
  /** Credentials are passwords, and are shown neither as stored nor as sent. */
  isSecret?: boolean;
  /** Stands before the ids of fields that another form of the page has, too. */
  idPrefix?: string;
};

/** A group of a protocol's fields with all that is in it. */
export function fieldGroup(context: PageContext, group: ProtocolField, given: Given): Html {
  const { path, hint, isRequired, fields } = group;
  const texts = ACCOUNT_TEXTS[context.reader.language];
  const fault = given.isSent ? faultAt(context, path) : undefined;
  const id = `${given.idPrefix ?? ""}${path}-fault`;
  return html`<fieldset ${fault !== undefined && html`aria-describedby="${id}"`}>
    <legend>${breakable(path)}${!isRequired && html` (${texts.optionalGroup})`}</legend>
    ${fault !== undefined && html`<div class="field"><p class="fault" id="${id}">${fault}</p></div>`}
    ${hint !== undefined && html`<div class="field"><p class="quiet">${hintText(hint)}</p></div>`}
    ${fields.map((field) =>
      oneField(context, field, { ...given, stored: memberOf(given.stored, nameOf(field)) }),
    )}
  </fieldset>`;
}

function oneField(context: PageContext, field: ProtocolField, given: Given): Html {
  const { form, reader } = context;
  const { path, hint, isRequired, choices, byDefault } = field;
  const { isSent, isSecret = false, idPrefix = "", stored = byDefault } = given;
  const texts = ACCOUNT_TEXTS[reader.language];
  const common = {
    name: path,
    id: `${idPrefix}${path}`,
    label: isRequired ? `${nameOf(field)} (${texts.required})` : nameOf(field),
    hint: hint === undefined ? undefined : hintText(hint),
    fault: isSent ? faultWithin(context, path) : undefined,
  };
  const value = isSecret ? "" : isSent ? (form.get(path) ?? "") : textOf(stored);
  switch (field.kind) {
    case "group":
      return fieldGroup(context, field, given);
    case "boolean":
      return checkField({ ...common, isChecked: isSent ? form.has(path) : stored === true });
    case "choice": {
      const offered = choices.map((choice) => ({ value: choice, text: choice }));
      const none = byDefault === undefined ? [{ value: "", text: "–" }] : [];
      return selectField({ ...common, choices: [...none, ...offered], chosen: value });
    }
    case "list":
    case "number":
    case "text":
      return textField({ ...common, isRequired, value, type: isSecret ? "password" : "text" });
    default:
      return field.kind satisfies never;
  }
}

/** The protocol's text, in English for every reader, with the parts to copy marked. */
export function hintText(hint: string): Html {
  const parts = hint.split("`");
  return html`<span lang="en"
    >${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}</span
  >`;
}
