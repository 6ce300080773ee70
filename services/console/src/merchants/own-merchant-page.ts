import { getMerchant, listMerchantWebhooks } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import { statusBadge } from "../ui/format.ts";
import { keySection, planSection, webhookSection } from "./merchant-sections.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";
import type { Notice, Page, PageAnswer, PageContext } from "../ui/page-context.ts";
import { facts } from "../ui/table.ts";
import { doneNotice } from "../ui/take-action.ts";

/** The merchant as its own staff see it: its API keys and webhook endpoints, and its fees. */
export const ownMerchantPages: Page[] = [
  {
    audience: "staff",
    method: "GET",
    path: "/merchants",
    answer: async ({ session }) => ({ kind: "redirect", to: `/merchants/${session.staff!.merchantId}` }),
  },
  {
    audience: "staff",
    method: "GET",
    path: "/merchants/:merchantId",
    answer: (context) => answerOwnMerchant(context),
  },
];

export async function answerOwnMerchant(
  context: PageContext,
  notice?: Notice,
  status = 200,
): Promise<PageAnswer> {
  const { api, parameters, query, reader } = context;
  const path = { merchantId: parameters["merchantId"]! };
  const isLive = query.get("livemode") !== "false";
  const [merchant, webhooks] = await Promise.all([
    api.read(getMerchant, { path }),
    api.read(listMerchantWebhooks, { path, query: { livemode: isLive ? undefined : "false" } }),
  ]);
  const whole = { merchant, webhooks: webhooks.items, isLive };
  const content = html`${facts([
    [MERCHANT_TEXTS[reader.language].name, merchant.name],
    ["Id", html`<code>${merchant.merchantId}</code>`],
    [reader.texts.status, statusBadge(reader, merchant.status)],
  ])}
  ${keySection(context, whole)} ${webhookSection(context, whole)} ${planSection(context, whole)}`;
  const title = reader.texts.keysAndWebhooks;
  return { kind: "page", title, content, notice: notice ?? doneNotice(context), status };
}
