import { operations, type Merchant } from "@holdfast/contracts";
import { DELIVERY_TEXTS } from "../deliveries/delivery-texts.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";
import type { Notice, PageAnswer, PageContext } from "../ui/page-context.ts";
import { readAmount, readRate } from "../ui/read-number.ts";
import { secretPage } from "./secret-page.ts";
import { takeAction } from "../ui/take-action.ts";

type RenderAgain = (context: PageContext, notice?: Notice, status?: number) => Promise<PageAnswer>;
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
  { verb: "plan", act: changePlan },
  { verb: "add-key", audience: "everybody", showsSecret: true, act: addKey },
  { verb: "revoke-key", audience: "everybody", act: revokeKey },
  { verb: "add-webhook", audience: "everybody", showsSecret: true, act: addWebhook },
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

/** The rules of the plan, which this form does not have, stay as they are. */
async function changePlan(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { form, reader } = context;
  const { path, page } = ofMerchant(context);
  const { commission } = await context.api.read(operations.getMerchant, { path });
  const field = (name: string) => form.get(name)?.trim() ?? "";
  const currency = field("currency").toUpperCase();
  const rate = readRate(reader, field("ratePercent"));
  const fixed = readAmount(reader, field("fixed"), currency);
  const needs = rate.fault ?? fixed.fault;
  const plan = {
    ...commission,
    ratePercent: rate.value,
    fixed: fixed.value,
    currency,
    refundsCommission: form.get("refundsCommission") !== "false",
  };
  return await takeAction(
    context,
    {
      action: "changeMerchant",
      endpoint: operations.changeMerchant,
      path,
      page,
      body: { commission: plan },
      ...(needs !== undefined && { needs }),
    },
    again,
  );
}

async function addKey(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const texts = MERCHANT_TEXTS[context.reader.language];
  const body = { livemode: context.form.get("keyMode") !== "false" };
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

/** The first endpoint that is added in a mode is its default one, whose deliveries every log shows. */
async function addWebhook(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { path, page } = ofMerchant(context);
  const texts = MERCHANT_TEXTS[context.reader.language];
  const query = modeOf(context);
  const isFirst = !(await hasDefault(context, path, query));
  const request = {
    action: "changeMerchant",
    path,
    query,
    body: { url: context.form.get("url")?.trim() ?? "" },
    page,
  } as const;
  const show = ({ secret }: { secret?: string | undefined }) =>
    secretPage(context, texts.addWebhook, { merchantId: path.merchantId, secret });
  return isFirst
    ? await takeAction(context, { ...request, endpoint: operations.putMerchantWebhook }, again, (body) =>
        show({ secret: "secret" in body ? (body.secret as string | undefined) : undefined }),
      )
    : await takeAction(context, { ...request, endpoint: operations.createMerchantWebhook }, again, show);
}

async function hasDefault({ api }: PageContext, path: { merchantId: string }, query: Mode): Promise<boolean> {
  const { items } = await api.read(operations.listMerchantWebhooks, { path, query });
  return items.some((endpoint) => endpoint.default);
}

async function rotateSecret(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { merchantId } = ofMerchant(context).path;
  const texts = MERCHANT_TEXTS[context.reader.language];
  return await takeAction(
    context,
    { action: "changeMerchant", endpoint: operations.rotateWebhookEndpointSecret, ...ofEndpoint(context) },
    again,
    ({ secret, activatesAt }) => secretPage(context, texts.rotateSecret, { merchantId, secret, activatesAt }),
  );
}

async function activateSecret(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  return await takeAction(
    context,
    { action: "activateSecret", endpoint: operations.activateWebhookEndpointSecret, ...ofEndpoint(context) },
    again,
  );
}

async function sendTest(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
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
      // The key was used for this test; the next one is another.
      context.form.delete("key");
      return again(context, notice, 200);
    },
  );
}

function ofMerchant(context: PageContext): { path: { merchantId: string }; page: string } {
  const merchantId = context.parameters["merchantId"]!;
  const mode = context.query.get("livemode") === "false" ? "?livemode=false" : "";
  return { path: { merchantId }, page: `/merchants/${encodeURIComponent(merchantId)}${mode}` };
}

function ofEndpoint(context: PageContext) {
  const { path, page } = ofMerchant(context);
  const endpointId = context.form.get("endpointId") ?? "";
  return { path: { ...path, endpointId }, query: modeOf(context), body: undefined, page };
}

type Mode = { livemode: "false" | undefined };

function modeOf({ query }: PageContext): Mode {
  return { livemode: query.get("livemode") === "false" ? "false" : undefined };
}
