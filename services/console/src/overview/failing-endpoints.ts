import { operations, type WebhookEndpoint } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { healthOf } from "../deliveries/endpoint-table.ts";
import { DELIVERY_TEXTS } from "../deliveries/delivery-texts.ts";
import { modeText } from "../ui/format.ts";
import type { PageContext, Reader } from "../ui/page-context.ts";
import { table } from "../ui/table.ts";
import { OVERVIEW_TEXTS } from "./overview-texts.ts";
import type { WaitingWork } from "./waiting-table.ts";

type FailingEndpoint = Pick<WebhookEndpoint, "endpointId" | "url" | "health"> & {
  merchantId: string;
  merchantName?: string | undefined;
  livemode: boolean;
  lastError?: string | undefined;
  lastStatusCode?: number | undefined;
};

/** The endpoints that fail: the webhooks that wait for them are late. `total` counts those that are not shown, too. */
export type FailingEndpoints = { items: FailingEndpoint[]; total: number };

/** The failing endpoints of all merchants, for operators, in both modes, the longest failing first. */
export async function readFailingEndpoints({ api }: PageContext): Promise<FailingEndpoints> {
  return await api.read(operations.listFailingWebhooks, {});
}

/** The failing endpoints of one merchant, for its staff, in both modes. */
export async function readOwnFailingEndpoints(
  { api }: PageContext,
  merchantId: string,
): Promise<FailingEndpoints> {
  const ofMode = async (livemode: boolean) => {
    const query = { livemode: livemode ? undefined : "false" } as const;
    const { items } = await api.read(operations.listMerchantWebhooks, { path: { merchantId }, query });
    return items.map((endpoint) => ({ ...endpoint, merchantId, livemode }));
  };
  const both = (await Promise.all([ofMode(true), ofMode(false)])).flat();
  const items = both.filter(
    ({ enabled, health }) => enabled && (health.failingSince !== undefined || health.breaker === "open"),
  );
  return { items, total: items.length };
}

/** A line of the waiting work. */
export function failingWork({ language, texts }: Reader, failing: FailingEndpoints | undefined): WaitingWork {
  const text = OVERVIEW_TEXTS[language].failing;
  if (!failing) return { text, href: "/deliveries", count: texts.notReadable, oldest: undefined };
  const { items, total } = failing;
  const since = items.flatMap(({ health: { failingSince } }) => failingSince ?? []).toSorted();
  return {
    text,
    href: total > 0 ? "#failing" : "/deliveries",
    count: `${total}`,
    oldest: since[0],
  };
}

/** Each failing endpoint with the reason, and the way to the webhooks that wait for it. */
export function failingTable(reader: Reader, { items }: FailingEndpoints): Html {
  const texts = DELIVERY_TEXTS[reader.language];
  if (items.length === 0) return html``;
  return html`<div id="failing">
    ${table(
      OVERVIEW_TEXTS[reader.language].failing,
      [
        {
          heading: texts.endpoint,
          isWide: true,
          cell: (endpoint: FailingEndpoint) => html`<a href="${waitingAt(endpoint)}">${endpoint.url}</a>`,
        },
        {
          heading: reader.texts.merchant,
          cell: ({ merchantId, merchantName }) => merchantName ?? merchantId,
        },
        { heading: reader.texts.mode, cell: ({ livemode }) => modeText(reader, livemode) },
        { heading: texts.health, isWide: true, cell: ({ health }) => healthOf(reader, health) },
        {
          heading: texts.answer,
          cell: ({ lastError, lastStatusCode }) =>
            lastStatusCode ?? (lastError === undefined ? "–" : (texts.errors[lastError] ?? lastError)),
        },
      ],
      { rows: items, empty: "" },
    )}
  </div>`;
}

function waitingAt({ merchantId, endpointId, livemode }: FailingEndpoint): string {
  const query = new URLSearchParams({ merchantId, endpointId, status: "pending" });
  if (!livemode) query.set("livemode", "false");
  return `/deliveries?${query.toString()}`;
}
