import { operations, WEBHOOK_BODY_SHOWN_BYTES, type WebhookBody } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { barOf, barText } from "../ui/offers.ts";
import type { PageContext } from "../ui/page-context.ts";
import { DELIVERY_TEXTS } from "./delivery-texts.ts";

/** The roles that may read the bodies of webhooks. */
const BODY_READERS = { operator: operations.getWebhookBody.role, staff: "developer" } as const;

/** The body, for a person who may read it and asks for it: each reading is a line of the audit log. */
export async function readBody(
  { api, query, reader, session }: PageContext,
  eventId: string,
): Promise<WebhookBody | undefined> {
  const mayRead = barOf(session, BODY_READERS, reader.texts) === undefined;
  if (!mayRead || query.get("show") !== "body") return undefined;
  return await api.read(operations.getWebhookBody, { path: { eventId } });
}

/** The body as it is sent, or the way to it. */
export function bodySection(
  { reader, session }: PageContext,
  eventId: string,
  read: WebhookBody | undefined,
): Html {
  const texts = DELIVERY_TEXTS[reader.language];
  const bar = barOf(session, BODY_READERS, reader.texts);
  if (bar !== undefined) return barText(texts.body, bar);
  return html`<h2 id="sent-body">${texts.body}</h2>
    <p class="quiet">${texts.bodyAudited}</p>
    ${
      read === undefined
        ? html`<p>
            <a class="button" href="/deliveries/${eventId}?show=body#sent-body">${texts.showBody}</a>
          </p>`
        : html`<pre>${read.body}</pre>`
    }
    ${
      read !== undefined &&
      read.bytes > WEBHOOK_BODY_SHOWN_BYTES &&
      html`<p class="quiet">${texts.bodyCut(WEBHOOK_BODY_SHOWN_BYTES, read.bytes)}</p>`
    }`;
}
