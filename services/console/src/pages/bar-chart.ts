import { html, type Html } from "@holdfast/html";

/** One bar. `text` is its value as people read it. */
export type Bar = { label: string; value: number; text: string };

/**
 * A small chart of bars, and the same figures as a table behind it: whoever does not see the picture, or wants the exact
 * number, has them there. Colours come from the style sheet, so that both themes have theirs.
 * @param full the value of a bar of full length; the longest one's where nothing is said.
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
    <svg viewBox="0 0 ${WIDTH} ${bars.length * ROW}" role="img" aria-label="${spoken(title, bars)}">
      ${bars.map((bar, index) => row(bar, index, longest))}
    </svg>
    ${note ? html`<p class="quiet">${note}</p>` : ""}
    <details>
      <summary>${tableName}</summary>
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
            ({ label, text }) =>
              html`<tr>
                <td>${label}</td>
                <td class="number">${text}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </details>
  </section>`;
}

const WIDTH = 320;
const ROW = 30;
const BAR_HEIGHT = 8;

/** The label and the value above the bar: neither is cut off by a bar of any length. */
function row({ label, value, text }: Bar, index: number, longest: number): Html {
  const top = index * ROW;
  const length = longest === 0 ? 0 : Math.round((Math.min(value, longest) / longest) * WIDTH);
  return html`<text x="0" y="${top + 13}">${label}</text>
    <text x="${WIDTH}" y="${top + 13}" text-anchor="end">${text}</text>
    <rect class="track" x="0" y="${top + 18}" width="${WIDTH}" height="${BAR_HEIGHT}" rx="2" />
    <rect class="bar" x="0" y="${top + 18}" width="${length}" height="${BAR_HEIGHT}" rx="2" />`;
}

function spoken(title: string, bars: readonly Bar[]): string {
  return `${title}: ${bars.map(({ label, text }) => `${label}: ${text}`).join("; ")}`;
}
