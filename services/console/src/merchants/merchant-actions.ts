import { operations, type Merchant } from "@holdfast/contracts";
import { entriesOf } from "../accounts/protocol-fields.ts";
import { instantOf } from "../ui/instant-field.ts";
import type { PageAnswer, PageContext } from "../ui/page-context.ts";
import { takeAction } from "../ui/take-action.ts";
import { changeBranding, previewBranding } from "./branding-form.ts";
import { changeWebhook } from "./endpoint-change-form.ts";
import {
  activateSecret,
  addWebhook,
  removeWebhook,
  rotateSecret,
  sendTest,
  switchWebhook,
} from "./endpoint-section.ts";
import { setManagement } from "./management-form.ts";
import { ofMerchant, sentMerchant, type RenderAgain } from "./merchant-forms.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";
import { changePlan } from "./plan-form.ts";
import { changeRoutes, confirmRoutes } from "./routes-form.ts";
import { changeRules } from "./rules-form.ts";
import { secretPage } from "./secret-page.ts";

type MerchantAction = {
  /** The last part of the form's path. */
  verb: string;
  /** Operators alone by default. */
  audience?: "everybody";
  showsSecret?: boolean;
  act: (context: PageContext, renderAgain: RenderAgain) => Promise<PageAnswer>;
};

/** The effect of each form of a merchant's page. */
export const MERCHANT_ACTIONS: readonly MerchantAction[] = [
  { verb: "suspend", act: (context, again) => setStatus(context, again, "SUSPENDED") },
  { verb: "activate", act: (context, again) => setStatus(context, again, "ACTIVE") },
  { verb: "rename", act: rename },
  { verb: "plan", act: changePlan },
  { verb: "rules", act: changeRules },
  { verb: "routes", act: changeRoutes },
  { verb: "confirm-routes", act: confirmRoutes },
  { verb: "branding", act: changeBranding },
  { verb: "preview-branding", act: previewBranding },
  { verb: "webhook-management", act: setManagement },
  { verb: "add-key", audience: "everybody", showsSecret: true, act: addKey },
  { verb: "revoke-key", audience: "everybody", act: revokeKey },
  { verb: "add-webhook", audience: "everybody", showsSecret: true, act: addWebhook },
  { verb: "change-webhook", audience: "everybody", act: changeWebhook },
  { verb: "switch-webhook", audience: "everybody", act: switchWebhook },
  { verb: "remove-webhook", audience: "everybody", act: removeWebhook },
  { verb: "rotate-secret", audience: "everybody", showsSecret: true, act: rotateSecret },
  { verb: "activate-secret", audience: "everybody", act: activateSecret },
  { verb: "test-webhook", audience: "everybody", act: sendTest },
];

async function setStatus(context: PageContext, again: RenderAgain, status: Merchant["status"]) {
  const action = status === "SUSPENDED" ? "suspend" : "activate";
  return await takeAction(
    context,
    { action, endpoint: operations.changeMerchant, ...ofMerchant(context), body: { status } },
    again,
  );
}

async function rename(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const name = context.form.get("newName")?.trim() ?? "";
  return await takeAction(
    context,
    {
      action: "changeMerchant",
      endpoint: operations.changeMerchant,
      ...ofMerchant(context),
      body: { ...sentMerchant(context), name },
    },
    again,
  );
}

async function addKey(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const expiresAt = instantOf(form.get("keyEnds"));
  const addresses = entriesOf(form.get("keyAddresses") ?? "");
  const body = {
    livemode: form.get("keyMode") !== "false",
    ...(expiresAt !== undefined && { expiresAt }),
    ...(addresses.length > 0 && { addresses }),
  };
  return await takeAction(
    context,
    { action: "changeMerchant", endpoint: operations.addCredential, ...ofMerchant(context), body },
    again,
    ({ merchantId, apiKey, apiSecret }) =>
      secretPage(context, texts.newKey, { merchantId, apiKey, secret: apiSecret }),
  );
}

async function revokeKey(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { path, page } = ofMerchant(context);
  return await takeAction(
    context,
    {
      action: "revokeKey",
      endpoint: operations.revokeCredential,
      path: { ...path, apiKey: context.form.get("apiKey") ?? "" },
      body: undefined,
      page,
    },
    again,
  );
}
