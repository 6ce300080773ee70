import { html, type Html } from "@holdfast/html";
import { textField } from "./form-fields.ts";

/**
 * A field for a moment, which may be none yet. Its label names the zone that lists are in, too: the script writes both
 * in the reader's, and sends UTC; without it they are in UTC.
 */
export function instantField(
  name: string,
  label: string,
  value: string | null | undefined,
  fault?: string,
): Html {
  // The field takes no zone and no fractions, which a link such as `2026-01-31T00:00:00.000Z` has.
  const text = value?.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1");
  return textField({
    name,
    label: html`${label} (<span data-zone>UTC</span>)`,
    value: text ?? "",
    type: "datetime-local",
    instant: instantOf(value) ?? "",
    fault,
  });
}

/** The field's value as a time in UTC; the gateway refuses an invalid one. */
export function instantOf(text: string | null | undefined): string | undefined {
  if (!text) return undefined;
  if (/T\d\d:\d\d$/.test(text)) return `${text}:00Z`;
  return /T\d\d:\d\d:\d\d$/.test(text) ? `${text}Z` : text;
}
