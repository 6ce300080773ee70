import type { Html } from "@holdfast/html";
import { textField } from "./form-fields.ts";

/** A field for a moment in UTC, which may be none yet. */
export function instantField(
  name: string,
  label: string,
  value: string | null | undefined,
  fault?: string,
): Html {
  // The field takes no zone and no fractions, which a link such as `2026-01-31T00:00:00.000Z` has.
  const text = value?.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1");
  return textField({ name, label, value: text ?? "", type: "datetime-local", fault });
}

/** The field's value as a time in UTC; the gateway refuses an invalid one. */
export function instantOf(text: string | null | undefined): string | undefined {
  if (!text) return undefined;
  if (/T\d\d:\d\d$/.test(text)) return `${text}:00Z`;
  return /T\d\d:\d\d:\d\d$/.test(text) ? `${text}Z` : text;
}
