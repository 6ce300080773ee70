import {
  operations,
  type WebhookAttempt,
  type WebhookBody,
  type WebhookDeliveryDetail,
  type WebhookEndpoint,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { bodySection, readBody } from "./body-section.ts";
import { compareBody } from "./compare-body.ts";
import { DELIVERY_TEXTS } from "./delivery-texts.ts";
import { faultOfSent, needsOf } from "../ui/field-faults.ts";
import { actionForm, areaField, hidden } from "../ui/form-fields.ts";
import { modeText, statusBadge, statusWord, timeElement } from "../ui/format.ts";
import { merchantName, readMerchants, type KnownMerchants } from "../ui/merchant-field.ts";
import { barOf, barText, isShown } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { faultsNotice } from "../ui/problem-text.ts";
import { facts, table } from "../ui/table.ts";
import { doneNotice, takeAction } from "../ui/take-action.ts";

const audience = "everybody";

/** The roles that may send webhooks again. */
export const REDELIVERS = { operator: "operations", staff: "developer" } as const;

/** One webhook: every attempt with the receiver's words, and the parts of the signature. */
export const deliveryPage: Page[] = [
  { audience, method: "GET", path: "/deliveries/:eventId", answer: (context) => answerDelivery(context) },
  { audience, method: "POST", path: "/deliveries/:eventId/redeliver", answer: redeliver },
  { audience, method: "POST", path: "/deliveries/:eventId/compare", answer: compare },
];

async function answerDelivery(context: PageContext, notice?: Notice, status = 200): Promise<PageAnswer> {
  const { api, parameters } = context;
  const delivery = await api.read(operations.getWebhookDelivery, {
    path: { eventId: parameters["eventId"]! },
  });
  const [endpoints, body, merchants] = await Promise.all([
    api.read(operations.listMerchantWebhooks, {
      path: { merchantId: delivery.merchantId },
      query: { livemode: delivery.livemode ? undefined : "false" },
    }),
    readBody(context, delivery.eventId),
    readMerchants(context),
  ]);
  return renderDelivery(context, { delivery, endpoints: endpoints.items, body, merchants, notice, status });
}

type Shown = {
  delivery: WebhookDeliveryDetail;
  endpoints: readonly WebhookEndpoint[];
  /** Undefined if it was not asked for. */
  body: WebhookBody | undefined;
  merchants: KnownMerchants;
  notice?: Notice | undefined;
  status: number;
};

function renderDelivery(context: PageContext, shown: Shown): PageAnswer {
  const { reader } = context;
  const texts = DELIVERY_TEXTS[reader.language];
  const { delivery, endpoints, merchants } = shown;
  const urlOf = urlIn(endpoints);
  const content = html`${facts(factsOf(reader, delivery, merchants))} ${endpointsOf(context, shown)}
  ${table(texts.attempts, attemptColumns(reader, urlOf), {
    rows: delivery.attempts,
    empty: delivery.resolvedAt === undefined ? texts.noAttempts : texts.neverSent,
  })}
  ${bodySection(context, delivery.eventId, shown.body)}
  ${delivery.attempts.length > 0 && signature(context, shown)}`;
  return {
    kind: "page",
    title: `${texts.delivery} ${delivery.eventType}`,
    content,
    isTest: !delivery.livemode,
    notice: shown.notice ?? doneNotice(context),
    status: shown.status,
  };
}

/** The URL of an endpoint; only the id is known of an endpoint that has been removed. */
function urlIn(endpoints: readonly WebhookEndpoint[]) {
  return (id: string | undefined): string =>
    endpoints.find(({ endpointId }) => endpointId === id)?.url ?? id ?? "–";
}

function factsOf(reader: Reader, delivery: WebhookDeliveryDetail, merchants: KnownMerchants) {
  const texts = DELIVERY_TEXTS[reader.language];
  const { merchantId, paymentId } = delivery;
  return [
    [texts.event, html`<code>${delivery.eventType}</code>`],
    [reader.texts.order, delivery.orderId],
    ["Id", html`<code>${delivery.eventId}</code>`],
    [reader.texts.status, statusBadge(reader, delivery.status)],
    [
      texts.reports,
      delivery.paymentStatus === undefined ? undefined : statusWord(reader, delivery.paymentStatus),
    ],
    [
      texts.about,
      paymentId === undefined ? undefined : html`<a href="/search?q=${paymentId}">${paymentId}</a>`,
    ],
    [
      reader.texts.merchant,
      html`<a href="/merchants/${merchantId}">${merchantName(merchants, merchantId)}</a>`,
    ],
    [reader.texts.mode, modeText(reader, delivery.livemode)],
    [texts.occurred, timeElement(reader, delivery.occurredAt)],
    [texts.deadline, timeElement(reader, delivery.deadlineAt)],
    [texts.resolved, delivery.resolvedAt && timeElement(reader, delivery.resolvedAt)],
    [
      reader.texts.nextAttemptOf,
      delivery.nextAttemptAt === undefined ? undefined : timeElement(reader, delivery.nextAttemptAt),
    ],
  ] as const;
}

function endpointsOf(context: PageContext, { delivery, endpoints }: Shown): Html {
  const { reader, session } = context;
  const texts = DELIVERY_TEXTS[reader.language];
  const bar = barOf(session, REDELIVERS, reader.texts);
  const action = `/deliveries/${delivery.eventId}/redeliver`;
  const rows = delivery.endpoints;
  const urlOf = urlIn(endpoints);
  const isOn = (id: string) => endpoints.some(({ endpointId, enabled }) => enabled && endpointId === id);
  const button = (values: Record<string, string>) =>
    bar === undefined
      ? actionForm(context, { action, button: texts.redeliver, values })
      : barText(texts.redeliver, bar);
  return table(
    texts.atEndpoints,
    [
      { heading: texts.endpoint, isWide: true, cell: ({ endpointId }) => urlOf(endpointId) },
      { heading: reader.texts.status, cell: ({ status }) => statusBadge(reader, status) },
      { heading: texts.resolved, cell: ({ resolvedAt }) => timeElement(reader, resolvedAt) },
      {
        heading: reader.texts.nextAttemptOf,
        cell: ({ nextAttemptAt }) => timeElement(reader, nextAttemptAt),
      },
      ...(isShown(bar)
        ? [
            {
              heading: reader.texts.now,
              // An endpoint that is off or removed, or never was there, receives nothing.
              cell: ({ endpointId }: (typeof rows)[number]) =>
                isOn(endpointId) ? button({ endpointId }) : "–",
            },
          ]
        : []),
    ],
    { rows, empty: texts.noEndpoints },
  );
}

function attemptColumns(reader: Reader, urlOf: (id: string) => string) {
  const texts = DELIVERY_TEXTS[reader.language];
  return [
    { heading: texts.number, cell: ({ number }: WebhookAttempt) => number ?? texts.manual },
    { heading: texts.endpoint, isWide: true, cell: ({ endpointId }: WebhookAttempt) => urlOf(endpointId) },
    { heading: texts.planned, cell: ({ plannedAt }: WebhookAttempt) => timeElement(reader, plannedAt) },
    { heading: texts.sent, cell: ({ sentAt }: WebhookAttempt) => timeElement(reader, sentAt) },
    { heading: texts.late, isNumber: true, cell: (attempt: WebhookAttempt) => lateness(reader, attempt) },
    {
      heading: texts.took,
      isNumber: true,
      cell: ({ durationMs }: WebhookAttempt) => texts.milliseconds(durationMs),
    },
    { heading: texts.answer, isWide: true, cell: (attempt: WebhookAttempt) => answerText(reader, attempt) },
  ];
}

function lateness({ language }: Reader, { plannedAt, sentAt }: WebhookAttempt): string {
  const lateMs = new Date(sentAt).getTime() - new Date(plannedAt).getTime();
  return DELIVERY_TEXTS[language].seconds(Math.max(0, Math.round(lateMs / 1_000)));
}

function answerText(reader: Reader, attempt: WebhookAttempt): Html {
  const texts = DELIVERY_TEXTS[reader.language];
  const { succeeded, statusCode, error, responseSnippet, remoteAddress } = attempt;
  const word = error === undefined ? "" : (texts.errors[error] ?? error);
  const more = [
    [texts.words, responseSnippet],
    [texts.address, remoteAddress],
  ] as const;
  return html`${statusBadge(reader, succeeded ? "delivered" : "failed")} ${statusCode} ${word}
  ${more.map(
    ([name, text]) => text !== undefined && html`<p><span class="quiet">${name}:</span> ${text}</p>`,
  )}`;
}

function signature(context: PageContext, { delivery, endpoints }: Shown): Html {
  const { form, reader } = context;
  const texts = DELIVERY_TEXTS[reader.language];
  const latest = delivery.attempts.at(-1)!;
  const endpoint = endpoints.find(({ endpointId }) => endpointId === latest.endpointId);
  return html`<h2 id="signature">${texts.whySignature}</h2>
    <p>${texts.signatureIs}</p>
    ${facts([
      [texts.requestTime, html`<code>${latest.requestTime}</code>`],
      [texts.signedPrefix, html`<code>${latest.signedPrefix}</code>`],
      [texts.bodyHash, html`<code>${latest.bodyHash}</code>`],
      [texts.secretVersion, latest.secretVersion],
      [
        texts.secretVersion,
        latest.nextSecretVersion === undefined ? undefined : texts.nextVersion(latest.nextSecretVersion),
      ],
      [
        texts.endpoint,
        endpoint &&
          html`${endpoint.url} <span class="quiet">${texts.currentVersion(endpoint.secretVersion)}</span>`,
      ],
    ])}
    <form class="act" method="post" action="/deliveries/${delivery.eventId}/compare">
      ${hidden(context)}
      ${areaField({
        name: "body",
        label: texts.bodyReceived,
        hint: texts.bodyReceivedHint,
        value: form.get("body") ?? "",
        rows: 5,
        max: 20_000,
        fault: faultOfSent(context, "body"),
      })}
      <button>${texts.compare}</button>
    </form>`;
}

/** Shows how a merchant's copy of the body differs from the sent one. It only reads the log. */
async function compare(context: PageContext): Promise<PageAnswer> {
  const texts = DELIVERY_TEXTS[context.reader.language];
  const pasted = context.form.get("body") ?? "";
  const delivery = await context.api.read(operations.getWebhookDelivery, {
    path: { eventId: context.parameters["eventId"]! },
  });
  const { bodyHash } = delivery.attempts.at(-1) ?? {};
  const notice: Notice =
    pasted.trim() === "" || bodyHash === undefined
      ? faultsNotice(context, needsOf({ body: texts.needBody }))
      : { role: "status", title: texts.verdictTitle, text: texts.verdict[compareBody(pasted, bodyHash)] };
  return await answerDelivery(context, notice, notice.role === "alert" ? 400 : 200);
}

async function redeliver(context: PageContext): Promise<PageAnswer> {
  const eventId = context.parameters["eventId"]!;
  const endpointId = context.form.get("endpointId");
  return await takeAction(
    context,
    {
      action: "redeliver",
      endpoint: operations.redeliverWebhook,
      path: { eventId },
      body: endpointId ? { endpointId } : {},
      page: `/deliveries/${encodeURIComponent(eventId)}`,
    },
    answerDelivery,
    ({ queued }) => (queued === 0 ? "alreadyQueued" : "redeliver"),
  );
}
