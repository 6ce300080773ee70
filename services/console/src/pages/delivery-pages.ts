import {
  listMerchantWebhooks,
  listOperatorWebhookDeliveries,
  redeliverFailedOperatorWebhooks,
  WEBHOOK_DELIVERY_STATUSES,
  type WebhookDelivery,
  type WebhookEndpoint,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { deliveryPage } from "./delivery-page.ts";
import { DELIVERY_TEXTS } from "./delivery-texts.ts";
import { endpointTable } from "./endpoint-table.ts";
import { actionForm, selectField, textField } from "./form-fields.ts";
import { statusBadge, statusWord, timeElement } from "./format.ts";
import { merchantField, merchantName, readMerchants, type KnownMerchants } from "./merchant-field.ts";
import { roleBar } from "./offers.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "./page-context.ts";
import { filterOf, readList } from "./read-list.ts";
import { nextPage, table, type Column } from "./table.ts";
import { doneNotice, takeAction } from "./take-action.ts";

/** The delivery log, of all merchants or of one with the health of its endpoints, and each webhook. */
export const deliveryPages: Page[] = [
  { method: "GET", path: "/deliveries", answer: (context) => answerLog(context) },
  { method: "POST", path: "/deliveries/redeliver", answer: redeliverAll },
  ...deliveryPage,
];

const FILTERS = ["merchantId", "endpointId", "paymentId", "status", "livemode"] as const;
type Filter = Partial<Record<(typeof FILTERS)[number], string>>;

async function answerLog(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { api, query, reader } = context;
  const texts = DELIVERY_TEXTS[reader.language];
  const filter = filterOf(query, FILTERS);
  const cursor = query.get("cursor") ?? undefined;
  const [merchants, deliveries, endpoints] = await Promise.all([
    readMerchants(api),
    readList(context, api.read(listOperatorWebhookDeliveries, { query: { ...filter, cursor } })),
    readList(context, endpointsOf(context, filter)),
  ]);
  const content = html`${filters(context, { merchants, filter })}
  ${
    filter.merchantId !== undefined &&
    endpointTable(reader, endpoints.items, {
      href: ({ endpointId }) => `/deliveries?${new URLSearchParams({ ...filter, endpointId }).toString()}`,
    })
  }
  ${filter.merchantId !== undefined && redeliverAllForm(context, filter, endpoints.items)}
  ${table(texts.log, columns(reader, merchants), {
    rows: deliveries.items,
    empty: texts.noDeliveries,
  })}
  ${nextPage(reader.texts.nextPage, "/deliveries", query, deliveries.nextCursor)}`;
  const refusal = deliveries.refusal ?? endpoints.refusal;
  return {
    kind: "page",
    title: reader.texts.deliveries,
    content,
    notice: notice ?? refusal?.notice ?? doneNotice(context),
    status: status ?? refusal?.status ?? 200,
  };
}

async function endpointsOf({ api }: PageContext, { merchantId, livemode }: Filter) {
  if (merchantId === undefined) return { items: [] };
  return await api.read(listMerchantWebhooks, { path: { merchantId }, query: { livemode } });
}

function filters(
  { reader }: PageContext,
  { merchants, filter }: { merchants: KnownMerchants; filter: Filter },
): Html {
  const texts = DELIVERY_TEXTS[reader.language];
  const statuses = WEBHOOK_DELIVERY_STATUSES.map((value) => ({ value, text: statusWord(reader, value) }));
  return html`<form class="filters" action="/deliveries">
      ${merchantField(merchants, {
        label: reader.texts.merchant,
        any: texts.anyMerchant,
        chosen: filter.merchantId,
      })}
      ${selectField({
        name: "status",
        label: reader.texts.status,
        choices: [{ value: "", text: reader.texts.any }, ...statuses],
        chosen: filter.status,
      })}
      ${selectField({
        name: "livemode",
        label: texts.mode,
        choices: [
          { value: "", text: texts.live },
          { value: "false", text: texts.test },
        ],
        chosen: filter.livemode,
      })}
      ${textField({ name: "paymentId", label: texts.about, value: filter.paymentId, max: 100 })}
      ${
        filter.endpointId !== undefined &&
        textField({ name: "endpointId", label: texts.endpoint, value: filter.endpointId, max: 100 })
      }
      <button>${reader.texts.filter}</button>
    </form>
    ${filter.merchantId === undefined && html`<p class="quiet">${texts.merchantHint}</p>`}`;
}

function columns(reader: Reader, merchants: KnownMerchants): Column<WebhookDelivery>[] {
  const { texts } = reader;
  const own = DELIVERY_TEXTS[reader.language];
  return [
    { heading: own.occurred, cell: ({ occurredAt }) => timeElement(reader, occurredAt) },
    {
      heading: own.event,
      cell: ({ eventId, eventType }) => html`<a href="/deliveries/${eventId}">${eventType}</a>`,
    },
    {
      heading: own.reports,
      cell: ({ paymentStatus }) => (paymentStatus === undefined ? "–" : statusWord(reader, paymentStatus)),
    },
    {
      heading: texts.merchant,
      cell: ({ merchantId }) =>
        html`<a href="/merchants/${merchantId}">${merchantName(merchants, merchantId)}</a>`,
    },
    { heading: own.about, cell: aboutLink },
    { heading: texts.status, cell: ({ status }) => statusBadge(reader, status) },
    { heading: own.attempts, isNumber: true, cell: ({ attemptCount }) => attemptCount },
    { heading: texts.nextAttemptOf, cell: ({ nextAttemptAt }) => timeElement(reader, nextAttemptAt) },
  ];
}

/** It may be a payment's, a refund's or a checkout's id: the search knows which. */
export function aboutLink({ paymentId }: Pick<WebhookDelivery, "paymentId">): Html {
  return paymentId === undefined ? html`–` : html`<a href="/search?q=${paymentId}">${paymentId}</a>`;
}

function redeliverAllForm(context: PageContext, filter: Filter, endpoints: readonly WebhookEndpoint[]): Html {
  const { form, now, query, reader, session } = context;
  const texts = DELIVERY_TEXTS[reader.language];
  const bar = roleBar(session, "operations", reader.texts);
  if (bar !== undefined) return html`<p class="quiet">${texts.redeliverAll}: ${bar}</p>`;
  const failing = endpoints.flatMap(({ health }) => health.failingSince ?? []).toSorted()[0];
  const since = form.get("since") ?? (failing ?? new Date(now.getTime() - DAY_MS).toISOString()).slice(0, 19);
  return actionForm(context, {
    action: `/deliveries/redeliver?${new URLSearchParams(query).toString()}`,
    button: texts.redeliverAll,
    values: { merchantId: filter.merchantId ?? "", livemode: filter.livemode ?? "" },
    fields: textField({ name: "since", label: texts.since, value: since, type: "datetime-local" }),
  });
}

const DAY_MS = 86_400_000;

async function redeliverAll(context: PageContext): Promise<PageAnswer> {
  const { form, query, reader } = context;
  const since = form.get("since")?.trim() ?? "";
  const livemode = form.get("livemode") !== "false";
  query.delete("done");
  return await takeAction(
    context,
    {
      action: "redeliverAll",
      endpoint: redeliverFailedOperatorWebhooks,
      path: {},
      body: { merchantId: form.get("merchantId") ?? "", livemode, since: utcOf(since) },
      page: `/deliveries?${query.toString()}`,
      ...(since === "" && { needs: DELIVERY_TEXTS[reader.language].needSince }),
    },
    answerLog,
    ({ queued }) => (queued === 0 ? "nothingQueued" : "redeliverAll"),
  );
}

/** What a field for date and time has, which leaves seconds out where they are 0; the gateway refuses what is no time. */
function utcOf(text: string): string {
  return `${/T\d\d:\d\d$/.test(text) ? `${text}:00` : text}Z`;
}
