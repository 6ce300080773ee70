import { html, type Html } from "@holdfast/html";

/** One bar. `text` is its value as people read it; `href` leads to the counted records. */
export type Bar = { label: string; value: number; text: string; href?: string };

/**
 * A small bar chart, with the same figures as a table for people who do not see the picture or need exact
 * numbers. Colours come from the style sheet, so each theme has its own.
 * @param full the value of a bar of full length; the largest value by default.
 */
export function barChart(
  title: string,
  bars: readonly Bar[],
  {
    empty,
    tableName,
    heading,
    full,
    note,
  }: { empty: string; tableName: string; heading: string; full?: number; note?: string | false | undefined },
): Html {
  const isEmpty = bars.length === 0 || (full === undefined && bars.every(({ value }) => value === 0));
  if (isEmpty)
    return html`<section class="chart">
      <h3>${title}</h3>
      <p class="quiet">${empty}</p>
    </section>`;
  const longest = full ?? Math.max(...bars.map(({ value }) => value));
  return html`<section class="chart">
    <h3>${title}</h3>
    <div class="bars" role="img" aria-label="${spoken(title, bars)}">
      ${bars.map((bar) => row(bar, longest))}
    </div>
    ${note ? html`<p class="quiet">${note}</p>` : ""}
    <details>
      <summary>${tableName}</summary>
      <div class="scroll" tabindex="0" role="group" aria-label="${title}">
        <table>
          <caption class="visually-hidden">
            ${title}
          </caption>
          <thead>
            <tr>
              <th scope="col">${title}</th>
              <th scope="col" class="number">${heading}</th>
            </tr>
          </thead>
          <tbody>
            ${bars.map(
              ({ label, text, href }) =>
                html`<tr>
                  <td>${linked(label, href)}</td>
                  <td class="number">${text}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  </section>`;
}

/** The words stand above the bar, in the page's own type: neither a narrow page nor a short bar cuts them off. */
function row({ label, value, text }: Bar, longest: number): Html {
  const percent = longest === 0 ? 0 : Math.round((Math.min(value, longest) / longest) * 1_000) / 10;
  return html`<p><span>${label}</span> <span class="number">${text}</span></p>
    <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="4" />
      <rect class="bar" width="${percent}" height="4" />
    </svg>`;
}

function linked(label: string, href: string | undefined): Html {
  return href === undefined ? html`${label}` : html`<a href="${href}">${label}</a>`;
}

function spoken(title: string, bars: readonly Bar[]): string {
  return `${title}: ${bars.map(({ label, text }) => `${label}: ${text}`).join("; ")}`;
}
