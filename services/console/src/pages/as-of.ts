import { html, type Html } from "@holdfast/html";
import { timeElement } from "./format.ts";
import type { PageContext } from "./page-context.ts";

/**
 * Above a list of work: of which moment it is, and the way to it as it is now. A script goes there by itself when the person
 * looks at the page again; by a timer it would keep the session of somebody alive who has gone.
 */
export function asOf({ now, query, reader }: PageContext, path: string): Html {
  const { texts } = reader;
  const asked = new URLSearchParams(query);
  asked.delete("done");
  const address = asked.size === 0 ? path : `${path}?${asked.toString()}`;
  return html`<p class="quiet">
    ${texts.asOf} ${timeElement(reader, now.toISOString())}.
    <a href="${address}" data-refresh>${texts.refresh}</a>
  </p>`;
}
