import { WAITING_COUNT_MAX, type WebhookEndpoint } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { DELIVERY_TEXTS, type DeliveryTexts } from "./delivery-texts.ts";
import { timeElement } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import { table } from "../ui/table.ts";

/** A merchant's webhook endpoints with their health. @param options `href`: where an endpoint's name leads. */
export function endpointTable(
  reader: Reader,
  endpoints: readonly WebhookEndpoint[],
  options: {
    href: (endpoint: WebhookEndpoint) => string;
    actions?: (endpoint: WebhookEndpoint) => Html;
    caption?: string;
  },
): Html {
  const texts = DELIVERY_TEXTS[reader.language];
  const { href, actions, caption = texts.endpoints } = options;
  return table(
    caption,
    [
      {
        heading: texts.endpoint,
        isWide: true,
        cell: (endpoint: WebhookEndpoint) =>
          html`<a href="${href(endpoint)}">${endpoint.url}</a>
            <p class="quiet">${texts.events}: ${endpoint.events.join(", ")}</p>
            ${
              endpoint.headers &&
              html`<p class="quiet">
                ${texts.headers}: ${endpoint.headers.map(({ name }) => name).join(", ")}
              </p>`
            }`,
      },
      {
        heading: texts.health,
        isWide: true,
        cell: (endpoint) => (endpoint.enabled ? onOf(reader, endpoint) : offOf(reader, endpoint)),
      },
      { heading: texts.secretVersion, isNumber: true, cell: ({ secretVersion }) => secretVersion },
      ...(actions ? [{ heading: reader.texts.now, cell: actions }] : []),
    ],
    { rows: endpoints, empty: texts.noEndpoints },
  );
}

/** The health of an endpoint that is on, and the number of events that wait for it, if any do. */
function onOf(
  reader: Reader,
  { health, waitingCount = 0 }: Pick<WebhookEndpoint, "health" | "waitingCount">,
): Html {
  return html`${healthOf(reader, health)}
  ${waitingCount > 0 && waitsText(DELIVERY_TEXTS[reader.language], waitingCount)}`;
}

/** The state of an endpoint that is off: its waiting events, and until when they wait. */
function offOf(
  reader: Reader,
  {
    whileOff,
    waitingCount = 0,
    waitingUntil,
  }: Pick<WebhookEndpoint, "whileOff" | "waitingCount" | "waitingUntil">,
): Html {
  const texts = DELIVERY_TEXTS[reader.language];
  return html`<span class="badge">${texts.switchedOff}</span>
    <p>${whileOff === "skip" ? texts.skips : texts.keepsWaiting}</p>
    ${waitsText(texts, waitingCount)}
    ${
      waitingUntil !== undefined &&
      html`<p><span class="quiet">${texts.oldestUntil}:</span> ${timeElement(reader, waitingUntil)}</p>`
    }`;
}

function waitsText(texts: DeliveryTexts, count: number): Html {
  return html`<p>${texts.waits(count, count < WAITING_COUNT_MAX)}</p>`;
}

/** The health in words, with the times that matter for it. */
export function healthOf(reader: Reader, health: WebhookEndpoint["health"]): Html {
  const texts = DELIVERY_TEXTS[reader.language];
  const times = [
    [texts.failingSince, health.failingSince],
    [texts.waitingSince, health.oldestDueAt],
    [texts.lastSuccess, health.lastSuccessAt],
  ] as const;
  return html`${healthBadge(texts, health)}
  ${times.map(
    ([name, at]) =>
      at !== undefined && html`<p><span class="quiet">${name}:</span> ${timeElement(reader, at)}</p>`,
  )}`;
}

function healthBadge(texts: DeliveryTexts, { breaker, failingSince }: WebhookEndpoint["health"]): Html {
  const fails = breaker === "open" || failingSince !== undefined;
  return html`<span class="badge ${fails ? "bad" : "good"}">${fails ? texts.failing : texts.healthy}</span>`;
}
