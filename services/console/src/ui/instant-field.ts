import { html, type Html } from "@holdfast/html";
import { textField } from "./form-fields.ts";

/**
 * A field for a time, which may be empty. Its label names the zone. The script shows zone and time in the
 * reader's zone, like lists, and sends UTC; without the script they are in UTC.
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
