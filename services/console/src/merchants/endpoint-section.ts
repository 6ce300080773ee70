import {
  operations,
  type Merchant,
  type WebhookEndpoint,
  type WebhookEndpointList,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { endpointTable } from "../deliveries/endpoint-table.ts";
import { DELIVERY_TEXTS } from "../deliveries/delivery-texts.ts";
import { faultAt } from "../ui/field-faults.ts";
import { actionForm, textField } from "../ui/form-fields.ts";
import { modeText } from "../ui/format.ts";
import type { Notice, PageAnswer, PageContext } from "../ui/page-context.ts";
import { takeAction } from "../ui/take-action.ts";
import { awayNote } from "../ui/unless-away.ts";
import { endpointChangeForm, isSentFor } from "./endpoint-change-form.ts";
import { managementForm, mayChangeEndpoints } from "./management-form.ts";
import { modeOf, ofEndpoint, ofMerchant, type RenderAgain } from "./merchant-forms.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";
import { secretPage } from "./secret-page.ts";

type Endpoints = {
  merchant: Merchant;
  webhooks: WebhookEndpointList | undefined;
  isLive: boolean;
};

/** The endpoints of one mode with their health, and the actions on each. */
export function webhookSection(context: PageContext, { merchant, webhooks, isLive }: Endpoints): Html {
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const heading = texts.webhooksOf(modeText(reader, isLive));
  if (!webhooks)
    return html`<h2 id="webhooks">${heading}</h2>
      ${awayNote(reader, texts.webhooks, webhooks)}`;
  const deliveries = (endpointId: string) =>
    `/deliveries?${new URLSearchParams({
      merchantId: merchant.merchantId,
      endpointId,
      ...(!isLive && { livemode: "false" }),
    }).toString()}`;
  const action = (verb: string) =>
    `/merchants/${merchant.merchantId}/${verb}${isLive ? "" : "?livemode=false"}`;
  const isChange = form.has("endpointUrl");
  const mayChange = mayChangeEndpoints(context, webhooks.managedBy);
  return html`<div id="webhooks">
    ${endpointTable(reader, webhooks.items, {
      caption: heading,
      href: ({ endpointId }) => deliveries(endpointId),
      ...(mayChange && {
        actions: (endpoint: WebhookEndpoint) => actionsOn(context, endpoint, action),
      }),
    })}
    ${
      mayChange &&
      actionForm(context, {
        action: action("add-webhook"),
        button: texts.addWebhook,
        fields: textField({
          name: "url",
          label: texts.url,
          hint: texts.urlHint,
          value: form.get("url") ?? "",
          max: 2_048,
          fault: isChange ? undefined : faultAt(context, "url"),
        }),
      })
    }
    ${managementForm(context, webhooks.managedBy, action("webhook-management"))}
  </div>`;
}

function actionsOn(context: PageContext, endpoint: WebhookEndpoint, action: (verb: string) => string): Html {
  const { endpointId, nextSecretVersion, url } = endpoint;
  const texts = MERCHANT_TEXTS[context.reader.language];
  const button = (verb: string, text: string, question?: string) =>
    actionForm(context, { action: action(verb), button: text, values: { endpointId }, question });
  return html`<div class="buttons">
      ${button("rotate-secret", texts.rotateSecret, texts.confirmRotate(url))}
      ${
        nextSecretVersion !== undefined &&
        button("activate-secret", texts.activateSecret, texts.confirmActivate(url))
      }
      ${button("test-webhook", texts.testWebhook)}
    </div>
    ${switchForms(context, endpoint, action("switch-webhook"))}
    <details ${isSentFor(context, endpointId) && html`open`}>
      <summary>${texts.changeWebhook}</summary>
      ${endpointChangeForm(context, endpoint, action("change-webhook"))}
      ${button("remove-webhook", texts.removeWebhook, texts.confirmRemove(url))}
    </details>`;
}

/** Each way of switching is a button of its own: none is chosen by oversight. */
function switchForms(
  context: PageContext,
  { endpointId, url, enabled, waitingCount = 0 }: WebhookEndpoint,
  action: string,
): Html {
  const texts = MERCHANT_TEXTS[context.reader.language];
  const button = (text: string, choice: Record<string, string>, question?: string) =>
    actionForm(context, { action, button: text, values: { endpointId, ...choice }, question });
  if (enabled)
    return html`<details>
      <summary>${texts.switchOff}</summary>
      <p class="quiet">${texts.switchOffHint}</p>
      <div class="buttons">
        ${button(texts.offAndWait, { whileOff: "wait" })}
        ${button(texts.offAndSkip, { whileOff: "skip" }, texts.confirmSkip(url))}
      </div>
    </details>`;
  if (waitingCount === 0) return button(texts.switchOn, { waiting: "deliver" });
  return html`<div class="buttons">
    ${button(texts.onAndDeliver, { waiting: "deliver" })}
    ${button(texts.onAndDiscard, { waiting: "discard" }, texts.confirmDiscard(url, waitingCount))}
  </div>`;
}

export async function switchWebhook(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const [whileOff, waiting] = [context.form.get("whileOff"), context.form.get("waiting")];
  const action = whileOff !== null ? "switchOff" : waiting === "discard" ? "switchOnDiscard" : "switchOn";
  return await takeAction(
    context,
    {
      action,
      endpoint: operations.changeMerchantWebhook,
      ...ofEndpoint(context),
      body: whileOff === null ? { enabled: true, waiting } : { enabled: false, whileOff },
    },
    again,
  );
}

/** Adds an endpoint. The first one in a mode is its default endpoint, whose deliveries every log shows. */
export async function addWebhook(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { path, page } = ofMerchant(context);
  const texts = MERCHANT_TEXTS[context.reader.language];
  const query = modeOf(context);
  const { items } = await context.api.read(operations.listMerchantWebhooks, { path, query });
  const request = {
    action: "changeMerchant",
    path,
    query,
    body: { url: context.form.get("url")?.trim() ?? "" },
    page,
  } as const;
  const show = ({ secret }: { secret?: string | undefined }) =>
    secretPage(context, texts.addWebhook, { merchantId: path.merchantId, secret });
  return items.some((endpoint) => endpoint.default)
    ? await takeAction(context, { ...request, endpoint: operations.createMerchantWebhook }, again, show)
    : await takeAction(context, { ...request, endpoint: operations.putMerchantWebhook }, again, (body) =>
        show({ secret: "secret" in body ? (body.secret as string | undefined) : undefined }),
      );
}

export async function removeWebhook(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  return await takeAction(
    context,
    { action: "removeWebhook", endpoint: operations.removeMerchantWebhook, ...ofEndpoint(context) },
    again,
  );
}

export async function rotateSecret(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { merchantId } = ofMerchant(context).path;
  const texts = MERCHANT_TEXTS[context.reader.language];
  return await takeAction(
    context,
    { action: "changeMerchant", endpoint: operations.rotateWebhookEndpointSecret, ...ofEndpoint(context) },
    again,
    ({ secret, activatesAt }) => secretPage(context, texts.rotateSecret, { merchantId, secret, activatesAt }),
  );
}

export async function activateSecret(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  return await takeAction(
    context,
    { action: "activateSecret", endpoint: operations.activateWebhookEndpointSecret, ...ofEndpoint(context) },
    again,
  );
}

export async function sendTest(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { language } = context.reader;
  return await takeAction(
    context,
    { action: "testWebhook", endpoint: operations.testWebhookEndpoint, ...ofEndpoint(context) },
    again,
    ({ delivered, error, statusCode }) => {
      if (delivered) return "testWebhook";
      const texts = MERCHANT_TEXTS[language];
      const said = DELIVERY_TEXTS[language].errors[error ?? "status"] ?? "";
      const notice: Notice = {
        role: "alert",
        title: texts.testFailed,
        text: texts.testFailedText(said, statusCode),
      };
      // The key was used for this test, so the next test gets another.
      context.form.delete("key");
      return again(context, notice, 200);
    },
  );
}
