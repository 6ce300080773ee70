import {
  operations,
  type AcquirerAccount,
  type Merchant,
  type MerchantRoutes,
  type WebhookEndpointList,
} from "@holdfast/contracts";
import { accountLink } from "../accounts/account-path.ts";
import { pricesPath } from "../accounts/installment-price-pages.ts";
import { INSTALLMENT_PRICE_TEXTS } from "../accounts/installment-price-texts.ts";
import { html, type Html } from "@holdfast/html";
import { modeText, statusBadge, timeElement } from "../ui/format.ts";
import { MERCHANT_ACTIONS } from "./merchant-actions.ts";
import { brandingSection } from "./branding-form.ts";
import { webhookSection } from "./endpoint-section.ts";
import { mayChangeMerchant } from "./merchant-forms.ts";
import { keySection, planSection, statusForm } from "./merchant-sections.ts";
import { routesSection } from "./routes-form.ts";
import { rulesForm } from "./rules-form.ts";
import { ruleFacts } from "./merchant-rule-facts.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { facts, table } from "../ui/table.ts";
import { doneNotice } from "../ui/take-action.ts";
import { awayNote, unlessAway } from "../ui/unless-away.ts";

/** The merchant as its own staff see it: its API keys and webhook endpoints, and its fees. */
const ownMerchantPages: Page[] = [
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

/** One whole merchant: its limits, fees, routes and webhooks. */
export const merchantPage: Page[] = [
  { method: "GET", path: "/merchants/:merchantId", answer: (context) => answerMerchant(context) },
  ...ownMerchantPages,
  ...MERCHANT_ACTIONS.map(({ verb, audience, showsSecret, act }): Page => ({
    method: "POST",
    path: `/merchants/:merchantId/${verb}`,
    ...(audience && { audience }),
    ...(showsSecret && { showsSecret }),
    answer: (context) => act(context, context.session.staff ? answerOwnMerchant : answerMerchant),
  })),
];

export type WholeMerchant = {
  merchant: Merchant;
  /** Undefined while the dispatcher is away. */
  webhooks: WebhookEndpointList | undefined;
  /** The mode of the webhooks that are shown. */
  isLive: boolean;
};

async function answerMerchant(context: PageContext, notice?: Notice, status = 200): Promise<PageAnswer> {
  const { api, parameters, query, reader } = context;
  const path = { merchantId: parameters["merchantId"]! };
  const isLive = query.get("livemode") !== "false";
  const [merchant, webhooks, accounts, routes] = await Promise.all([
    api.read(operations.getMerchant, { path }),
    unlessAway(
      api.read(operations.listMerchantWebhooks, { path, query: { livemode: isLive ? undefined : "false" } }),
    ),
    unlessAway(api.read(operations.listAcquirerAccounts)),
    unlessAway(api.read(operations.getMerchantRoutes, { path })),
  ]);
  const whole = { merchant, webhooks, isLive };
  const content = html`${facts(factsOf(reader, merchant))} ${links(reader, merchant)} ${contents(reader)}
  ${statusForm(context, whole)} ${keySection(context, whole)} ${webhookSection(context, whole)}
  ${planSection(context, whole)} ${rules(context, merchant)}
  ${routing(context, merchant.merchantId, accounts?.items, routes)}
  ${brandingSection(context, merchant, mayChangeMerchant(context))}`;
  const title = `${reader.texts.merchant} ${merchant.name}`;
  return { kind: "page", title, content, isTest: !isLive, notice: notice ?? doneNotice(context), status };
}

function factsOf(reader: Reader, { merchantId, status, createdAt }: Merchant) {
  return [
    ["Id", html`<code>${merchantId}</code>`],
    [reader.texts.status, statusBadge(reader, status)],
    [reader.texts.made, timeElement(reader, createdAt)],
  ] as const;
}

function links(reader: Reader, { merchantId }: Merchant): Html {
  const texts = MERCHANT_TEXTS[reader.language];
  return html`<p class="buttons">
    <a class="button" href="/payments?merchantId=${merchantId}">${texts.payments}</a>
    <a class="button" href="/deliveries?merchantId=${merchantId}">${texts.deliveries}</a>
  </p>`;
}

function rules(context: PageContext, merchant: Merchant): Html {
  const { reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const set = Object.entries(merchant.rules ?? {});
  return html`<h2 id="rules">${texts.merchantRules}</h2>
    ${
      set.length === 0
        ? html`<p class="quiet">${texts.noRules}</p>`
        : facts(ruleFacts(reader, merchant.rules!))
    }
    ${mayChangeMerchant(context) && rulesForm(context, merchant)}`;
}

function routing(
  context: PageContext,
  merchantId: string,
  accounts: readonly AcquirerAccount[] | undefined,
  routes: MerchantRoutes | undefined,
): Html {
  const { reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  if (!accounts || !routes)
    return html`<h2 id="routes">${texts.routes}</h2>
      ${awayNote(reader, texts.routes, undefined)}`;
  return html`<div id="routes">${routesSection(context, { accounts, routes, merchantId })}</div>
    ${table(
      texts.accounts,
      [
        { heading: texts.account, cell: accountLink },
        { heading: texts.protocol, cell: ({ protocol }) => protocol },
        { heading: reader.texts.status, cell: ({ state }) => statusBadge(reader, state) },
        { heading: texts.currencies, cell: ({ currencies }) => currencies.join(", ") },
        { heading: reader.texts.mode, cell: ({ livemode }) => modeText(reader, livemode) },
        {
          heading: texts.installments,
          cell: ({ accountId }) =>
            html`<a href="${pricesPath(accountId)}">${INSTALLMENT_PRICE_TEXTS[reader.language].link}</a>`,
        },
        { heading: texts.isDefault, cell: (account) => (account.default ? texts.yes : texts.no) },
      ],
      { rows: accounts, empty: texts.noAccounts },
    )}`;
}

/** The ways to the parts of a long page. */
function contents({ language, texts: { onThisPage } }: Reader): Html {
  const texts = MERCHANT_TEXTS[language];
  const parts = [
    ["keys", texts.keys],
    ["webhooks", texts.webhooks],
    ["plan", texts.plan],
    ["rules", texts.merchantRules],
    ["routes", texts.routes],
    ["branding", texts.branding],
  ] as const;
  return html`<nav aria-label="${onThisPage}">
    <ul>
      ${parts.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}
    </ul>
  </nav>`;
}

async function answerOwnMerchant(context: PageContext, notice?: Notice, status = 200): Promise<PageAnswer> {
  const { api, parameters, query, reader } = context;
  const path = { merchantId: parameters["merchantId"]! };
  const isLive = query.get("livemode") !== "false";
  const [merchant, webhooks] = await Promise.all([
    api.read(operations.getMerchant, { path }),
    unlessAway(
      api.read(operations.listMerchantWebhooks, { path, query: { livemode: isLive ? undefined : "false" } }),
    ),
  ]);
  const whole = { merchant, webhooks, isLive };
  const content = html`${facts([
    [MERCHANT_TEXTS[reader.language].name, merchant.name],
    ["Id", html`<code>${merchant.merchantId}</code>`],
    [reader.texts.status, statusBadge(reader, merchant.status)],
  ])}
  ${keySection(context, whole)} ${webhookSection(context, whole)} ${planSection(context, whole)}`;
  const title = reader.texts.keysAndWebhooks;
  return { kind: "page", title, content, isTest: !isLive, notice: notice ?? doneNotice(context), status };
}
