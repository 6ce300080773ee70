import { EVENT_TYPES, operations, type WebhookEndpoint } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { DELIVERY_TEXTS } from "../deliveries/delivery-texts.ts";
import { faultAt, faultWithin } from "../ui/field-faults.ts";
import { actionForm, areaField, textField } from "../ui/form-fields.ts";
import { breakable } from "../ui/format.ts";
import type { PageAnswer, PageContext } from "../ui/page-context.ts";
import { seenVersion, sentVersion } from "../ui/seen-version.ts";
import { takeAction } from "../ui/take-action.ts";
import { ofEndpoint, type RenderAgain } from "./merchant-forms.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";

/** The form that changes an endpoint's URL, headers and events. */
export function endpointChangeForm(context: PageContext, endpoint: WebhookEndpoint, action: string): Html {
  const { endpointId, url, version } = endpoint;
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const isSent = isSentFor(context, endpointId);
  const id = `endpointUrl-${endpointId}`;
  return actionForm(context, {
    action,
    button: texts.saveWebhook,
    values: { endpointId, ...seenVersion(version, endpointId) },
    fields: html`${textField({
      name: "endpointUrl",
      id,
      label: texts.url,
      value: isSent ? (form.get("endpointUrl") ?? "") : url,
      max: 2_048,
      fault: isSent ? faultAt(context, "url") : undefined,
    })}
    ${headersField(context, endpoint, isSent)} ${eventsField(context, endpoint, isSent)}`,
  });
}

/** True if this endpoint's form is shown again with what was sent. */
export function isSentFor({ form }: PageContext, endpointId: string): boolean {
  return form.has("endpointUrl") && form.get("endpointId") === endpointId;
}

/** A line for each header. Stored values are not shown, and a line without a value keeps it. */
function headersField(
  context: PageContext,
  { endpointId, headers = [] }: WebhookEndpoint,
  isSent: boolean,
): Html {
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const stored = headers.map(({ name }) => `${name}:`).join("\n");
  return areaField({
    name: "headers",
    id: `headers-${endpointId}`,
    label: texts.headers,
    hint: texts.headersHint,
    value: (isSent ? form.get("headers") : null) ?? stored,
    rows: 3,
    isVerbatim: true,
    fault: isSent ? faultWithin(context, "headers") : undefined,
  });
}

function eventsField(context: PageContext, { endpointId, events }: WebhookEndpoint, isSent: boolean): Html {
  const { form, reader } = context;
  const chosen: readonly string[] = isSent ? form.getAll("events") : events;
  const fault = isSent ? faultAt(context, "events") : undefined;
  const id = `events-${endpointId}`;
  return html`<fieldset ${fault !== undefined && html`aria-describedby="${id}"`}>
    <legend>${DELIVERY_TEXTS[reader.language].events}</legend>
    ${fault !== undefined && html`<p class="fault" id="${id}">${fault}</p>`}
    ${EVENT_TYPES.map(
      (type) =>
        html`<label class="pick"
          ><input type="checkbox" name="events" value="${type}" ${chosen.includes(type) && html`checked`} />
          ${breakable(type)}</label
        >`,
    )}
  </fieldset>`;
}

export async function changeWebhook(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { form } = context;
  const body = {
    ...sentVersion(form, form.get("endpointId") ?? ""),
    url: form.get("endpointUrl")?.trim() ?? "",
    events: form.getAll("events"),
    headers: headersOf(form.get("headers") ?? ""),
  };
  return await takeAction(
    context,
    {
      action: "changeMerchant",
      endpoint: operations.changeMerchantWebhook,
      ...ofEndpoint(context),
      body,
    },
    again,
  );
}

/** The headers of the lines of a form, such as `x-tenant: shop-7`. */
export function headersOf(text: string): { name: string; value?: string }[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [name = ""] = line.split(":", 1);
    const value = line.slice(name.length + 1).trim();
    return { name: name.trim(), ...(value !== "" && { value }) };
  });
}
