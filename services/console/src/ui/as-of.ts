import { html, type Html } from "@holdfast/html";
import { timeElement } from "./format.ts";
import { withoutNotice, type PageContext } from "./page-context.ts";

/**
 * Shows above a list of work how old it is, with a link that reloads it. A script reloads it when the person
 * looks at the page again; a timer would keep an absent person's session alive.
 */
export function asOf({ now, query, reader }: PageContext, path: string): Html {
  const { texts } = reader;
  const asked = withoutNotice(query);
  const address = asked.size === 0 ? path : `${path}?${asked.toString()}`;
  return html`<p class="quiet">
    ${texts.asOf} ${timeElement(reader, now.toISOString())}.
    <a href="${address}" data-refresh>${texts.refresh}</a>
  </p>`;
}
