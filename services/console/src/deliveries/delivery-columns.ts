import { idInMode, type WebhookDelivery, type WebhookEndpoint } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { breakable, statusBadge, timeElement } from "../ui/format.ts";
import { merchantName, type KnownMerchants } from "../ui/merchant-field.ts";
import type { Reader } from "../ui/page-context.ts";
import type { Column } from "../ui/table.ts";
import { DELIVERY_TEXTS, type DeliveryTexts } from "./delivery-texts.ts";

type Listed = {
  /** The merchant that the list is narrowed to, whose endpoints are known. */
  merchantId: string | undefined;
  merchants: KnownMerchants;
  endpoints: readonly WebhookEndpoint[];
};

/** A webhook in one line of the list. Its order number leads to its page; without one the event does. */
export function deliveryColumns(
  reader: Reader,
  { merchantId, merchants, endpoints }: Listed,
): Column<WebhookDelivery>[] {
  const { texts } = reader;
  const own = DELIVERY_TEXTS[reader.language];
  return [
    {
      heading: texts.order,
      cell: ({ eventId, orderId }) =>
        orderId === undefined ? "–" : html`<a href="/deliveries/${eventId}">${orderId}</a>`,
    },
    {
      heading: own.event,
      cell: ({ eventId, eventType, orderId }) =>
        orderId === undefined
          ? html`<a href="/deliveries/${eventId}">${breakable(eventType)}</a>`
          : breakable(eventType),
    },
    ...(merchantId === undefined ? [merchantColumn(texts.merchant, merchants)] : []),
    { heading: own.endpoint, cell: (delivery) => endpointName(own, endpoints, delivery) },
    { heading: texts.status, cell: ({ status }) => statusBadge(reader, status) },
    { heading: own.attempts, isNumber: true, cell: ({ attemptCount }) => attemptCount },
    { heading: own.lastError, cell: (delivery) => lastErrorText(own, delivery) },
    { heading: own.occurred, cell: ({ occurredAt }) => timeElement(reader, occurredAt) },
  ];
}

function merchantColumn(heading: string, merchants: KnownMerchants): Column<WebhookDelivery> {
  return {
    heading,
    cell: ({ merchantId }) =>
      html`<a href="/merchants/${merchantId}">${merchantName(merchants, merchantId)}</a>`,
  };
}

/** The host of a known endpoint, with its URL in the title; for an unknown one, whether it is the default. */
function endpointName(
  texts: DeliveryTexts,
  endpoints: readonly WebhookEndpoint[],
  { endpointId, merchantId, livemode }: WebhookDelivery,
): Html | string {
  const known = endpoints.find((each) => each.endpointId === endpointId);
  if (known) return html`<span title="${known.url}">${new URL(known.url).host}</span>`;
  return endpointId === idInMode(merchantId, livemode) ? texts.defaultEndpoint : endpointId;
}

function lastErrorText(texts: DeliveryTexts, { lastError, lastStatusCode }: WebhookDelivery): string {
  if (lastError === undefined) return "–";
  const word = texts.errors[lastError] ?? lastError;
  return lastStatusCode === undefined ? word : `${word} (${lastStatusCode})`;
}
