import { html, type Html } from "./html.ts";

/** Plain shapes in a view box, as the grammar of merchants' logos has read them. */
type Drawing = { box: string; shapes: readonly { element: string; attributes: Record<string, string> }[] };

/** Element and attribute names come from the grammar, and everything is escaped like any text. */
export function drawLogo({ box, shapes }: Drawing): Html {
  return html`<svg class="brand-logo" viewBox="${box}" aria-hidden="true" focusable="false">
    ${shapes.map(({ element, attributes }) => {
      const written = Object.entries(attributes).map(([name, value]) => html` ${name}="${value}"`);
      return html`<${element}${written} />`;
    })}
  </svg>`;
}
