import type { AcquirerAccount } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { faultWithin } from "../ui/field-faults.ts";
import { checkField, textField } from "../ui/form-fields.ts";
import type { PageContext } from "../ui/page-context.ts";
import { ACCOUNT_TEXTS } from "./account-texts.ts";
import { entriesOf, numberIn, textOf } from "./protocol-fields.ts";

/** The attributes of an account that do not depend on its protocol, but for its state. */
export type Attributes = Pick<
  AcquirerAccount,
  | "name"
  | "currencies"
  | "businessDay"
  | "lateArrivalSeconds"
  | "connectionsMax"
  | "callsPerMinute"
  | "default"
>;

/**
 * The fields of the attributes, under the names that the gateway's faults use. @param stored the values
 * before anybody enters anything.
 */
export function attributeFields(
  context: PageContext,
  { stored, isSent }: { stored?: Attributes | undefined; isSent: boolean },
): Html {
  const { form, reader } = context;
  const texts = ACCOUNT_TEXTS[reader.language];
  const faultOf = (name: string) => (isSent ? faultWithin(context, name) : undefined);
  const field = (name: string, label: string, value: unknown, more: object = {}) =>
    textField({
      name,
      label,
      value: isSent ? (form.get(name) ?? "") : textOf(value),
      fault: faultOf(name),
      ...more,
    });
  const required = (label: string) => `${label} (${texts.required})`;
  return html`<fieldset>
    <legend>${texts.account}</legend>
    ${field("name", required(texts.name), stored?.name, { isRequired: true, max: 100 })}
    ${field("currencies", required(texts.currencies), stored?.currencies, {
      isRequired: true,
      hint: texts.currenciesHint,
    })}
    ${field("businessDay.timeZone", texts.timeZone, stored?.businessDay.timeZone, {
      hint: texts.timeZoneHint,
    })}
    ${field("businessDay.cutOff", texts.cutOff, stored?.businessDay.cutOff, { hint: texts.cutOffHint })}
    ${field("lateArrivalSeconds", texts.lateArrival, stored?.lateArrivalSeconds, {
      hint: texts.lateArrivalHint,
    })}
    ${field("connectionsMax", texts.connections, stored?.connectionsMax)}
    ${field("callsPerMinute", texts.callsPerMinute, stored?.callsPerMinute, {
      hint: texts.callsPerMinuteHint,
    })}
    ${checkField({
      name: "default",
      label: texts.isDefault,
      isChecked: isSent ? form.has("default") : stored?.default === true,
      hint: texts.isDefaultHint,
      fault: faultOf("default"),
    })}
  </fieldset>`;
}

/** The attributes of a form for the gateway, without those that are empty. */
export function sentAttributes(form: URLSearchParams): object {
  const text = (name: string) => form.get(name)?.trim() ?? "";
  const number = (name: string) => (text(name) === "" ? undefined : numberIn(text(name)));
  const businessDay = { timeZone: text("businessDay.timeZone"), cutOff: text("businessDay.cutOff") };
  const hasDay = businessDay.timeZone !== "" || businessDay.cutOff !== "";
  return {
    name: text("name"),
    currencies: entriesOf(text("currencies").toUpperCase()),
    businessDay: hasDay ? businessDay : undefined,
    lateArrivalSeconds: number("lateArrivalSeconds"),
    connectionsMax: number("connectionsMax"),
    // An empty one takes a limit away that the account has.
    callsPerMinute: number("callsPerMinute") ?? null,
    default: form.has("default"),
  };
}
