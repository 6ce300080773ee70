import { DOM_INT, operations, type AcquirerAccount, type MerchantRoutes } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { linkToAccount } from "../accounts/account-path.ts";
import { faultAt } from "../ui/field-faults.ts";
import { actionForm, selectField, textField } from "../ui/form-fields.ts";
import { statusWord } from "../ui/format.ts";
import { barText, roleBar } from "../ui/offers.ts";
import type { PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { rowFields, sentRows, type FormRow } from "../ui/row-fields.ts";
import { table } from "../ui/table.ts";
import { seenVersion, sentParameter, sentVersion } from "../ui/seen-version.ts";
import { takeAction } from "../ui/take-action.ts";
import { anyOr, ofMerchant, type RenderAgain } from "./merchant-forms.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";

type Route = MerchantRoutes["routes"][number];

const ROUTES = {
  names: [
    "routeAccount",
    "routeCurrency",
    "routeDomInt",
    "routeScheme",
    "routeLoyalty",
    "routeFrom",
    "routeRetry",
  ],
  place: "routePlace",
} as const;
const RETRIED = "yes";
type RouteRow = FormRow<(typeof ROUTES)["names"][number]>;

/** The name of the routes' version on the merchant's page. */
const OF_ROUTES = "routes";

type Routing = { accounts: readonly AcquirerAccount[]; routes: MerchantRoutes; merchantId: string };

/** The current routes, the proposed ones, and a form for new ones. */
export function routesSection(context: PageContext, { accounts, routes, merchantId }: Routing): Html {
  const { reader, session } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const { proposal } = routes;
  const bar = roleBar(session, "admin", reader.texts);
  const confirm = proposal && {
    action: `/merchants/${merchantId}/confirm-routes`,
    button: texts.confirmRoutes,
    values: seenVersion(proposal.version, OF_ROUTES),
    question: texts.confirmRoutesQuestion,
    look: "primary" as const,
  };
  return html`${routeTable(reader, texts.routes, texts.noRoutes, { accounts, routes: routes.routes })}
  ${
    proposal &&
    html`<p>${texts.routesProposed(proposal.proposedBy)}</p>
      ${routeTable(reader, texts.proposedRoutes, texts.noRoutes, { accounts, routes: proposal.routes })}`
  }
  ${confirm && bar === undefined && actionForm(context, confirm)}
  ${
    bar === undefined
      ? routesForm(context, { accounts, routes, merchantId })
      : barText(texts.changeRoutes, { why: bar })
  }`;
}

function routeTable(
  reader: Reader,
  caption: string,
  empty: string,
  { accounts, routes }: { accounts: readonly AcquirerAccount[]; routes: readonly Route[] },
): Html {
  const texts = MERCHANT_TEXTS[reader.language];
  const { any } = reader.texts;
  return table(
    caption,
    [
      { heading: texts.account, cell: ({ accountId }) => linkToAccount(accounts, accountId) },
      { heading: texts.currencyCode, cell: ({ currency }) => currency ?? any },
      { heading: texts.domInt, cell: ({ domInt }) => (domInt ? statusWord(reader, domInt) : any) },
      { heading: texts.scheme, cell: ({ cardScheme }) => cardScheme ?? any },
      { heading: texts.loyalty, cell: ({ loyaltyCode }) => loyaltyCode ?? any },
      {
        heading: texts.installments,
        cell: ({ installmentsFrom }) => (installmentsFrom === undefined ? any : texts.from(installmentsFrom)),
      },
      {
        heading: texts.softDeclines,
        cell: ({ retrySoftDeclines }) => (retrySoftDeclines ? texts.retried : texts.notRetried),
      },
    ],
    { rows: routes, empty },
  );
}

function routesForm(context: PageContext, { accounts, routes, merchantId }: Routing): Html {
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const sent = sentRows(form, ROUTES);
  const rows = sent ?? (routes.proposal?.routes ?? routes.routes).map(rowOf);
  const live = accounts.filter(({ livemode, state }) => livemode && state !== "CLOSED");
  if (live.length === 0) return html`<p class="quiet">${texts.noAccounts}</p>`;
  return html`<details ${sent && html`open`}>
    <summary>${texts.changeRoutes}</summary>
    ${actionForm(context, {
      action: `/merchants/${merchantId}/routes`,
      button: texts.saveRoutes,
      values: seenVersion(routes.proposal?.version ?? routes.version ?? 0, OF_ROUTES),
      fields: html`<p class="quiet">${texts.routesHint}</p>
        ${rowFields(reader, rows, ROUTES, texts.routeNumber, (row, index) => routeFields(context, row, index, live))}`,
    })}
  </details>`;
}

function routeFields(
  context: PageContext,
  row: RouteRow,
  index: number,
  accounts: readonly AcquirerAccount[],
): Html {
  const { reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const faultOf = (field: string) => faultAt(context, `${index}.${field}`);
  const text = (name: keyof RouteRow, label: string, field: string) =>
    textField({
      name,
      id: `${name}-${index}`,
      label,
      value: row[name],
      max: 32,
      fault: faultOf(field),
    });
  const chosen = accounts.map(({ accountId, name, state }) => ({
    value: accountId,
    text: state === "ACTIVE" ? name : `${name} (${statusWord(reader, state)})`,
  }));
  const isUnknown = row.routeAccount !== "" && chosen.every(({ value }) => value !== row.routeAccount);
  const unknown = isUnknown ? [{ value: row.routeAccount, text: row.routeAccount }] : [];
  return html`${selectField({
    name: "routeAccount",
    id: `routeAccount-${index}`,
    label: texts.account,
    choices: [{ value: "", text: "–" }, ...chosen, ...unknown],
    chosen: row.routeAccount,
    fault: faultOf("accountId"),
  })}
  ${text("routeCurrency", texts.currencyCode, "currency")}
  ${selectField({
    name: "routeDomInt",
    id: `routeDomInt-${index}`,
    label: texts.domInt,
    choices: anyOr(reader, DOM_INT),
    chosen: row.routeDomInt,
    fault: faultOf("domInt"),
  })}
  ${text("routeScheme", texts.scheme, "cardScheme")} ${text("routeLoyalty", texts.loyalty, "loyaltyCode")}
  ${text("routeFrom", texts.installmentsFrom, "installmentsFrom")}
  ${selectField({
    name: "routeRetry",
    id: `routeRetry-${index}`,
    label: texts.softDeclines,
    choices: [
      { value: "", text: texts.notRetried },
      { value: RETRIED, text: texts.retried },
    ],
    chosen: row.routeRetry,
    fault: faultOf("retrySoftDeclines"),
  })}`;
}

function rowOf(route: Route): RouteRow {
  return {
    routeAccount: route.accountId,
    routeCurrency: route.currency ?? "",
    routeDomInt: route.domInt ?? "",
    routeScheme: route.cardScheme ?? "",
    routeLoyalty: route.loyaltyCode ?? "",
    routeFrom: `${route.installmentsFrom ?? ""}`,
    routeRetry: route.retrySoftDeclines ? RETRIED : "",
  };
}

/** Replaces the routes, or proposes it where another person has to confirm. */
export async function changeRoutes(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const rows = sentRows(context.form, ROUTES) ?? [];
  const body = rows.map((row) => ({
    accountId: row.routeAccount,
    ...(row.routeCurrency && { currency: row.routeCurrency.toUpperCase() }),
    ...(row.routeDomInt && { domInt: row.routeDomInt }),
    ...(row.routeScheme && { cardScheme: row.routeScheme }),
    ...(row.routeLoyalty && { loyaltyCode: row.routeLoyalty }),
    ...(row.routeFrom && { installmentsFrom: Number(row.routeFrom) }),
    ...(row.routeRetry === RETRIED && { retrySoftDeclines: true }),
  }));
  return await takeAction(
    context,
    {
      action: "changeRoutes",
      endpoint: operations.putMerchantRoutes,
      ...ofMerchant(context),
      query: sentParameter(context.form, OF_ROUTES),
      body,
    },
    again,
    ({ proposal }) => (proposal ? "proposeRoutes" : "changeRoutes"),
  );
}

export async function confirmRoutes(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  return await takeAction(
    context,
    {
      action: "changeRoutes",
      endpoint: operations.confirmMerchantRoutes,
      ...ofMerchant(context),
      body: sentVersion(context.form, OF_ROUTES),
    },
    again,
  );
}
