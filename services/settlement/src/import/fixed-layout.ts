import type { FixedFile } from "./mapping.ts";
import type { Layout } from "./read-records.ts";

/**
 * The layout of lines whose columns are always at the same places, without a line of names. Columns may
 * overlap, since a bank's first and last lines have another layout. A column beyond a line's end is blank,
 * unless the mapping gives the lines' length.
 */
export function fixedLayout({ columns, lineLength }: FixedFile): Layout {
  const places = columns.map(({ name, from, length }) => ({ name, start: from - 1, end: from - 1 + length }));
  return {
    begin: () => "record",
    recordsOf: (texts) =>
      texts.map((text) =>
        lineLength !== undefined && text.length !== lineLength
          ? `${text.length} characters, not ${lineLength}`
          : new Map(places.map(({ name, start, end }) => [name, text.slice(start, end)])),
      ),
  };
}
