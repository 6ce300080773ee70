import { html, type Html } from "@holdfast/html";
import { detailName } from "./detail-names.ts";
import { withoutNotice, type Reader } from "./page-context.ts";

export type Column<Row> = {
  heading: string;
  cell: (row: Row) => Html | string | number;
  /** True for a column of numbers, which are aligned. */
  isNumber?: boolean;
  /** True if long words, such as an address, are not broken after a few letters. */
  isWide?: boolean;
};

/**
 * A list that stays readable: on a narrow screen each row is a card. Roles are explicit, since screen readers
 * do not recognize a table with another layout. An empty list says what to do.
 */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  { rows, empty }: { rows: readonly Row[]; empty: string },
): Html {
  if (rows.length === 0)
    return html`<h2>${caption}</h2>
      <p class="quiet">${empty}</p>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}">
    <table class="list" role="table">
      <caption>
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(
            ({ heading, isNumber }) =>
              html`<th scope="col" role="columnheader" ${isNumber && html`class="number"`}>${heading}</th>`,
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) =>
            html`<tr role="row">
              ${columns.map((column) => html`<td role="cell" data-heading="${column.heading}" ${classOf(column)}>${column.cell(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function classOf({ isNumber, isWide }: Pick<Column<never>, "isNumber" | "isWide">): Html | false {
  if (isNumber) return html`class="number"`;
  return isWide === true && html`class="wide"`;
}

/** Names and their values; an unknown value is left out. */
export function facts(pairs: readonly (readonly [string, Html | string | number | undefined])[]): Html {
  return html`<dl>
    ${pairs.map(
      ([name, value]) =>
        value !== undefined &&
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/**
 * The details of an action, as its service has recorded them: each name in the reader's language next to its value.
 *
 * @param valueOf writes a value that is more than its text.
 */
export function details(
  reader: Pick<Reader, "language">,
  detail: Record<string, unknown>,
  valueOf: (name: string, text: string) => Html | string = (_name, text) => text,
): Html {
  return html`${pairsIn(detail).map(
    ([name, text]) =>
      html`<span class="pair"
        ><span class="quiet" title="${name}">${detailName(reader, name)}:</span> ${valueOf(name, text)}</span
      > `,
  )}`;
}

/** Each value of a nested object, or of a list of objects, by the names that lead to it. */
export function pairsIn(
  detail: Record<string, unknown> | readonly Record<string, unknown>[],
): [name: string, text: string][] {
  return Object.entries(detail).flatMap(([name, value]): [string, string][] => {
    if (isRecord(value) || isListOfRecords(value))
      return pairsIn(value).map(([inner, text]) => [`${name}.${inner}`, text]);
    if (typeof value === "string") return [[name, value]];
    return [[name, value === null ? "–" : JSON.stringify(value)]];
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOfRecords(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

/**
 * The links to the next and the previous page of a list, with its filters. A cursor leads forward only, so
 * the address has the cursors of the last pages; beyond those, the way back is the first page.
 * @param name the cursor's name, if a page has several lists.
 */
export function pageLinks(
  { texts }: Reader,
  { text = texts.nextPage, path, name = "cursor" }: { text?: string; path: string; name?: string },
  query: URLSearchParams,
  cursor: string | undefined,
): Html {
  const own = query.get(name) || null;
  const trailName = `${name}Trail`;
  const trail = query.get(trailName)?.split(" ").filter(Boolean) ?? [];
  const link = (rel: "next" | "prev", label: string, to: string | undefined, behind: readonly string[]) => {
    const asked = withoutNotice(query);
    for (const each of [name, trailName]) asked.delete(each);
    if (to !== undefined) asked.set(name, to);
    if (behind.length > 0) asked.set(trailName, behind.slice(-TRAIL_MAX).join(" "));
    return html`<a class="button" rel="${rel}" href="${path}?${asked.toString()}">${label}</a>`;
  };
  const isSecond = trail.at(-1) === FIRST;
  const before = isSecond ? undefined : trail.at(-1);
  const back = trail.length > 0 ? texts.previousPage : texts.firstPage;
  if (own === null && cursor === undefined) return html``;
  return html`<p class="buttons">
    ${own !== null && link("prev", back, before, trail.slice(0, -1))}
    ${cursor !== undefined && link("next", text, cursor, [...trail, own ?? FIRST])}
  </p>`;
}

/** Stands in a trail for the page without a cursor. */
const FIRST = "-";
/** An address stays far below the 16 KiB that a server reads. */
const TRAIL_MAX = 20;
