import { html, type Html } from "@holdfast/html";
import type { Reader } from "../ui/page-context.ts";
import { table } from "../ui/table.ts";
import { OVERVIEW_TEXTS } from "./overview-texts.ts";

/** A figure with the way to the payments that it counts. */
type Figure = { value: number; text: string; href: string };
/** One hour of today, and of the days that it is compared with. */
export type Hour = Record<"today" | "yesterday" | "lastWeek", Figure> & { hour: number };

/**
 * The hours of a day as columns, each in front of yesterday's, with the same figures as a table for people
 * who do not see the picture or need exact numbers.
 */
export function hourChart(reader: Reader, title: string, hours: readonly Hour[]): Html {
  const texts = OVERVIEW_TEXTS[reader.language];
  const highest = Math.max(...hours.flatMap(({ today, yesterday }) => [today.value, yesterday.value]));
  const shown = hours.filter((hour) => [hour.today, hour.yesterday, hour.lastWeek].some(isAny));
  if (shown.length === 0)
    return html`<section class="chart">
      <h3>${title}</h3>
      <p class="quiet">${texts.noPayments}</p>
    </section>`;
  const heightOf = ({ value }: Figure) => (highest === 0 ? 0 : Math.round((value / highest) * 1_000) / 10);
  return html`<section class="chart broad">
    <h3>${title}</h3>
    <div role="img" aria-label="${spoken(title, shown)}">
      <svg class="hours" viewBox="0 0 240 100" preserveAspectRatio="none" aria-hidden="true">
        ${hours.map(
          ({ hour, today, yesterday }) =>
            html`${column("before", hour * 10 + 1, 8, heightOf(yesterday))}
            ${column("bar", hour * 10 + 2.5, 5, heightOf(today))}`,
        )}
      </svg>
      <p class="axis" aria-hidden="true">
        ${[0, 6, 12, 18].map((hour) => html`<span>${clock(hour)}</span>`)}
      </p>
    </div>
    <p class="quiet">${texts.legend}</p>
    <details>
      <summary>${texts.rows}</summary>
      ${table<Hour>(
        title,
        [
          { heading: texts.hour, cell: ({ hour }) => clock(hour) },
          { heading: texts.soFar, isNumber: true, cell: ({ today }) => linked(today) },
          { heading: texts.yesterday, isNumber: true, cell: ({ yesterday }) => linked(yesterday) },
          { heading: texts.lastWeek, isNumber: true, cell: ({ lastWeek }) => linked(lastWeek) },
        ],
        { rows: shown, empty: texts.noPayments },
      )}
    </details>
  </section>`;
}

const linked = ({ value, text, href }: Figure) => (value === 0 ? text : html`<a href="${href}">${text}</a>`);
const isAny = ({ value }: Figure) => value > 0;
const clock = (hour: number) => `${String(hour).padStart(2, "0")}:00`;

function column(name: "before" | "bar", x: number, width: number, height: number): Html {
  return html`<rect class="${name}" x="${x}" y="${100 - height}" width="${width}" height="${height}" />`;
}

function spoken(title: string, hours: readonly Hour[]): string {
  const said = hours.map(({ hour, today, yesterday }) => `${clock(hour)}: ${today.text} (${yesterday.text})`);
  return `${title}: ${said.join("; ")}`;
}
