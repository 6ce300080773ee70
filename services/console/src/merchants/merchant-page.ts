import {
  operations,
  type AcquirerAccount,
  type Merchant,
  type MerchantRoutes,
  type WebhookEndpoint,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { modeText, statusBadge, timeElement } from "../ui/format.ts";
import { MERCHANT_ACTIONS } from "./merchant-actions.ts";
import { keySection, planSection, statusForm, webhookSection } from "./merchant-sections.ts";
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
  webhooks: readonly WebhookEndpoint[] | undefined;
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
  const whole = { merchant, webhooks: webhooks?.items, isLive };
  const content = html`${facts(factsOf(reader, merchant))} ${links(reader, merchant)}
  ${statusForm(context, whole)} ${keySection(context, whole)} ${planSection(context, whole)}
  ${rules(reader, merchant)} ${routing(reader, accounts?.items, routes)} ${webhookSection(context, whole)}`;
  const title = `${reader.texts.merchant} ${merchant.name}`;
  return { kind: "page", title, content, notice: notice ?? doneNotice(context), status };
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

function rules(reader: Reader, merchant: Merchant): Html {
  const texts = MERCHANT_TEXTS[reader.language];
  const set = Object.entries(merchant.rules ?? {});
  return html`<h2>${texts.merchantRules}</h2>
    ${
      set.length === 0
        ? html`<p class="quiet">${texts.noRules}</p>`
        : facts(ruleFacts(reader, merchant.rules!))
    }`;
}

function routing(
  reader: Reader,
  accounts: readonly AcquirerAccount[] | undefined,
  routes: MerchantRoutes | undefined,
): Html {
  const texts = MERCHANT_TEXTS[reader.language];
  if (!accounts || !routes) return awayNote(reader, texts.routes, undefined);
  const nameOf = (id: string) => accounts.find(({ accountId }) => accountId === id)?.name ?? id;
  return html`${table(
    texts.routes,
    [
      { heading: texts.currencies, cell: ({ currency }) => currency ?? reader.texts.any },
      { heading: texts.domInt, cell: ({ domInt }) => domInt ?? reader.texts.any },
      { heading: texts.scheme, cell: ({ cardScheme }) => cardScheme ?? reader.texts.any },
      { heading: texts.loyalty, cell: ({ loyaltyCode }) => loyaltyCode ?? reader.texts.any },
      {
        heading: texts.installments,
        cell: ({ installmentsFrom }) =>
          installmentsFrom === undefined ? reader.texts.any : texts.from(installmentsFrom),
      },
      { heading: texts.account, cell: ({ accountId }) => nameOf(accountId) },
    ],
    { rows: routes.routes, empty: texts.noRoutes },
  )}
  ${routes.proposal && html`<p>${texts.routesProposed(routes.proposal.proposedBy)}</p>`}
  ${table(
    texts.accounts,
    [
      { heading: texts.account, cell: ({ name }) => name },
      { heading: texts.protocol, cell: ({ protocol }) => protocol },
      { heading: reader.texts.status, cell: ({ state }) => statusBadge(reader, state) },
      { heading: texts.currencies, cell: ({ currencies }) => currencies.join(", ") },
      { heading: reader.texts.mode, cell: ({ livemode }) => modeText(reader, livemode) },
      { heading: texts.isDefault, cell: (account) => (account.default ? texts.yes : texts.no) },
    ],
    { rows: accounts, empty: texts.noAccounts },
  )}`;
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
  const whole = { merchant, webhooks: webhooks?.items, isLive };
  const content = html`${facts([
    [MERCHANT_TEXTS[reader.language].name, merchant.name],
    ["Id", html`<code>${merchant.merchantId}</code>`],
    [reader.texts.status, statusBadge(reader, merchant.status)],
  ])}
  ${keySection(context, whole)} ${webhookSection(context, whole)} ${planSection(context, whole)}`;
  const title = reader.texts.keysAndWebhooks;
  return { kind: "page", title, content, notice: notice ?? doneNotice(context), status };
}
