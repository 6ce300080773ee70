import { html, type Html } from "@holdfast/html";

/** The name of a column: as it is shown, and as a text for narrow screens. */
export type Heading = { shown: Html | string; label: string };

/**
 * A table that a narrow screen shows row by row, with each cell below its column's name. The roles are
 * explicit, because browsers drop them from a table with another layout.
 */
export function renderTable(headings: readonly Heading[], rows: readonly (Html | string)[][]): Html {
  return html`<div class="scroll" tabindex="0">
    <table role="table">
      <thead role="rowgroup">
        <tr role="row">
          ${headings.map(({ shown }) => html`<th role="columnheader">${shown}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) =>
            html`<tr role="row">
              ${row.map((cell, at) => html`<td role="cell" data-label="${headings[at]?.label ?? ""}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
