import { operations, WEBHOOK_MANAGERS, type WebhookManagers } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { faultAt } from "../ui/field-faults.ts";
import { actionForm, selectField } from "../ui/form-fields.ts";
import type { PageAnswer, PageContext } from "../ui/page-context.ts";
import { takeAction } from "../ui/take-action.ts";
import { mayChangeKeys, mayChangeMerchant, modeOf, ofMerchant, type RenderAgain } from "./merchant-forms.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";

/** The setting that says who may change a merchant's webhook endpoints, and for operators its form. */
export function managementForm(context: PageContext, managedBy: WebhookManagers, action: string): Html {
  const texts = MERCHANT_TEXTS[context.reader.language];
  return html`<p class="quiet">${texts.managedBy}: ${texts.managers[managedBy]}</p>
    ${
      mayChangeMerchant(context) &&
      html`<details ${context.form.has("managedBy") && html`open`}>
        <summary>${texts.changeManagedBy}</summary>
        <p class="quiet">${texts.managedByHint}</p>
        ${actionForm(context, {
          action,
          button: texts.saveManagedBy,
          fields: selectField({
            name: "managedBy",
            label: texts.managedBy,
            choices: WEBHOOK_MANAGERS.map((value) => ({ value, text: texts.managers[value] })),
            chosen: context.form.get("managedBy") ?? managedBy,
            fault: faultAt(context, "managedBy"),
          }),
        })}
      </details>`
    }`;
}

/** Covers the merchant's setting, too, which bounds its staff. */
export function mayChangeEndpoints(context: PageContext, managedBy: WebhookManagers): boolean {
  return mayChangeKeys(context) && (context.session.staff === undefined || managedBy !== "operators");
}

export async function setManagement(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  return await takeAction(
    context,
    {
      action: "changeMerchant",
      endpoint: operations.setWebhookManagement,
      ...ofMerchant(context),
      query: modeOf(context),
      body: { managedBy: context.form.get("managedBy") },
    },
    again,
  );
}
