import {
  operations,
  WEBHOOK_DELIVERY_STATUSES,
  type WebhookEndpoint,
  type WebhookHour,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { csvPage } from "../ui/csv-page.ts";
import { deliveryColumns } from "./delivery-columns.ts";
import { deliveryPage, REDELIVERS } from "./delivery-page.ts";
import { DELIVERY_TEXTS } from "./delivery-texts.ts";
import { hoursTable } from "./endpoint-hours.ts";
import { endpointTable } from "./endpoint-table.ts";
import { faultAt, needsOf } from "../ui/field-faults.ts";
import { actionForm, modeInput, selectField, textField } from "../ui/form-fields.ts";
import { statusWord } from "../ui/format.ts";
import { instantField, instantOf } from "../ui/instant-field.ts";
import { merchantField, readMerchants, type KnownMerchants } from "../ui/merchant-field.ts";
import { barOf, barText } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext } from "../ui/page-context.ts";
import { filterOf, readList } from "../ui/read-list.ts";
import { pageLinks, table } from "../ui/table.ts";
import { doneNotice, takeAction } from "../ui/take-action.ts";

/** The delivery log, for all merchants or for one with the health of its endpoints, and each webhook. */
export const deliveryPages: Page[] = [
  { audience: "everybody", method: "GET", path: "/deliveries", answer: (context) => answerLog(context) },
  csvPage("/deliveries.csv", operations.listWebhookDeliveries, {
    audience: "everybody",
    filter: (query) => askedOf(filterOf(query, FILTERS)),
  }),
  { audience: "everybody", method: "POST", path: "/deliveries/redeliver", answer: redeliverAll },
  ...deliveryPage,
];

const FILTERS = ["merchantId", "endpointId", "paymentId", "status", "livemode"] as const;
type Filter = Partial<Record<(typeof FILTERS)[number], string>>;

/** Stands for every status, those that are hidden without one too. */
const ALL = "all";

/** Hides skipped and cancelled deliveries, which need no work, unless somebody looks at one payment. */
function hidesSkipped({ status, paymentId }: Filter): boolean {
  return status === undefined && paymentId === undefined;
}

/** The filters of the API, for a page and for a file of all rows. */
function askedOf(filter: Filter): Record<string, string | undefined> {
  if (hidesSkipped(filter)) return { ...filter, hide: "skipped" };
  return filter.status === ALL ? { ...filter, status: undefined } : filter;
}

async function answerLog(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { api, query, reader, session } = context;
  const texts = DELIVERY_TEXTS[reader.language];
  const filter = filterOf(query, FILTERS);
  const merchantId = filter.merchantId ?? session.staff?.merchantId;
  const cursor = query.get("cursor") ?? undefined;
  const [merchants, deliveries, endpoints, hours] = await Promise.all([
    readMerchants(context),
    readList(context, api.read(operations.listWebhookDeliveries, { query: { ...askedOf(filter), cursor } })),
    readList(context, endpointsOf(context, merchantId, filter)),
    readList(context, hoursOf(context, merchantId, filter)),
  ]);
  const content = html`${filters(context, { merchants, filter })}
    ${merchantId !== undefined && ofMerchant(context, { merchantId, filter, endpoints: endpoints.items })}
    ${merchantId !== undefined && filter.endpointId !== undefined && hoursTable(reader, hours.items)}
    <div class="queue">
      ${table(texts.log, deliveryColumns(reader, { merchantId, merchants, endpoints: endpoints.items }), {
        rows: deliveries.items,
        empty: deliveries.nextCursor === undefined ? texts.noDeliveries : texts.noneHere,
      })}
    </div>
    ${pageLinks(reader, { path: "/deliveries" }, query, deliveries.nextCursor)}
    <p><a href="/deliveries.csv?${new URLSearchParams(filter).toString()}">${reader.texts.csv}</a></p>`;
  const refusal = deliveries.refusal ?? endpoints.refusal ?? hours.refusal;
  return {
    kind: "page",
    title: reader.texts.deliveries,
    content,
    isTest: filter.livemode === "false",
    notice: notice ?? refusal?.notice ?? doneNotice(context),
    status: status ?? refusal?.status ?? 200,
  };
}

/** The health of a merchant's endpoints, and the actions on all of its webhooks. */
function ofMerchant(
  context: PageContext,
  { merchantId, filter, endpoints }: OfMerchant & { endpoints: readonly WebhookEndpoint[] },
): Html {
  const mode = filter.livemode === "false" ? "?livemode=false" : "";
  const mayRedeliver = barOf(context.session, REDELIVERS, context.reader.texts) === undefined;
  return html`${endpointTable(context.reader, endpoints, {
      href: ({ endpointId }) => `/deliveries?${new URLSearchParams({ ...filter, endpointId }).toString()}`,
      ...(mayRedeliver && {
        actions: (endpoint) =>
          endpoint.enabled ? sendWaitingForm(context, { merchantId, filter }, endpoint) : html`–`,
      }),
    })}
    <p>
      <a href="/merchants/${merchantId}${mode}#webhooks">${DELIVERY_TEXTS[context.reader.language].manage}</a>
    </p>
    ${redeliverAllForm(context, { merchantId, filter }, endpoints)}`;
}

type OfMerchant = { merchantId: string; filter: Filter };

async function endpointsOf({ api }: PageContext, merchantId: string | undefined, { livemode }: Filter) {
  if (merchantId === undefined) return { items: [] };
  return await api.read(operations.listMerchantWebhooks, { path: { merchantId }, query: { livemode } });
}

async function hoursOf(
  { api }: PageContext,
  merchantId: string | undefined,
  { endpointId, livemode }: Filter,
): Promise<{ items: WebhookHour[] }> {
  if (merchantId === undefined || endpointId === undefined) return { items: [] };
  const path = { merchantId, endpointId };
  return await api.read(operations.getMerchantWebhookHealth, { path, query: { livemode } });
}

function filters(
  context: PageContext,
  { merchants, filter }: { merchants: KnownMerchants; filter: Filter },
): Html {
  const { query, reader, session } = context;
  const texts = DELIVERY_TEXTS[reader.language];
  const statuses = WEBHOOK_DELIVERY_STATUSES.map((value) => ({ value, text: statusWord(reader, value) }));
  const field = (name: "paymentId" | "endpointId", label: string) =>
    textField({ name, label, value: filter[name], max: 100, fault: faultAt(context, name) });
  const any = reader.texts.any;
  // About one payment everything is shown.
  const first =
    filter.paymentId === undefined
      ? [
          { value: "", text: texts.allButSkipped },
          { value: ALL, text: any },
        ]
      : [{ value: "", text: any }];
  return html`<form class="filters" action="/deliveries">
      ${modeInput(query)}
      ${
        !session.staff &&
        merchantField(merchants, {
          label: reader.texts.merchant,
          any: texts.anyMerchant,
          chosen: filter.merchantId,
          fault: faultAt(context, "merchantId"),
        })
      }
      ${selectField({
        name: "status",
        label: reader.texts.status,
        choices: [...first, ...statuses],
        chosen: filter.status,
        fault: faultAt(context, "status"),
      })}
      ${field("paymentId", texts.about)}
      ${filter.endpointId !== undefined && field("endpointId", texts.endpoint)}
      <button>${reader.texts.filter}</button>
    </form>
    ${!session.staff && filter.merchantId === undefined && html`<p class="quiet">${texts.merchantHint}</p>`}
    ${hidesSkipped(filter) && html`<p class="quiet">${texts.hidesSkipped}</p>`}`;
}

/** A form for an endpoint that works again: it sends the waiting deliveries immediately. */
function sendWaitingForm(
  context: PageContext,
  { merchantId, filter }: OfMerchant,
  { endpointId }: WebhookEndpoint,
): Html {
  return actionForm(context, {
    action: `/deliveries/redeliver?${context.query.toString()}`,
    button: DELIVERY_TEXTS[context.reader.language].sendWaiting,
    values: { merchantId, endpointId, livemode: filter.livemode ?? "" },
  });
}

function redeliverAllForm(
  context: PageContext,
  { merchantId, filter }: OfMerchant,
  endpoints: readonly WebhookEndpoint[],
): Html {
  const { form, now, query, reader, session } = context;
  const texts = DELIVERY_TEXTS[reader.language];
  const bar = barOf(session, REDELIVERS, reader.texts);
  if (bar !== undefined) return barText(texts.redeliverAll, bar);
  const failing = endpoints.flatMap(({ health }) => health.failingSince ?? []).toSorted()[0];
  const since = form.get("since") ?? failing ?? new Date(now.getTime() - DAY_MS).toISOString();
  return actionForm(context, {
    action: `/deliveries/redeliver?${new URLSearchParams(query).toString()}`,
    button: texts.redeliverAll,
    values: { merchantId, livemode: filter.livemode ?? "" },
    fields: instantField("since", texts.since, since, faultAt(context, "since")),
  });
}

const DAY_MS = 86_400_000;

async function redeliverAll(context: PageContext): Promise<PageAnswer> {
  const { form, query, reader } = context;
  const endpointId = form.get("endpointId");
  const since = form.get("since")?.trim() ?? "";
  const livemode = form.get("livemode") !== "false";
  query.delete("done");
  return await takeAction(
    context,
    {
      action: endpointId === null ? "redeliverAll" : "sendWaiting",
      endpoint: operations.redeliverFailedWebhooks,
      path: {},
      body: {
        merchantId: form.get("merchantId") ?? "",
        livemode,
        ...(endpointId === null ? { since: instantOf(since) } : { endpointId }),
      },
      page: `/deliveries?${query.toString()}`,
      needs: needsOf({
        since: endpointId === null && since === "" && DELIVERY_TEXTS[reader.language].needSince,
      }),
    },
    answerLog,
    ({ queued }) => {
      if (endpointId === null) return queued === 0 ? "nothingQueued" : "redeliverAll";
      return queued === 0 ? "nothingWaits" : "sendWaiting";
    },
  );
}
