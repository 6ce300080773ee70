import type { Html } from "@holdfast/html";
import { textField } from "./form-fields.ts";

/** A field for a moment in UTC, which may be none yet. */
export function instantField(name: string, label: string, value: string | null | undefined): Html {
  // What a link of another page has, such as `2026-01-31T00:00:00.000Z`, is for the field without zone and fractions.
  const text = value?.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1");
  return textField({ name, label, value: text ?? "", type: "datetime-local" });
}

/** What the field has, as a time in UTC; whatever else stands there, the gateway refuses. */
export function instantOf(text: string | null | undefined): string | undefined {
  if (!text) return undefined;
  if (/T\d\d:\d\d$/.test(text)) return `${text}:00Z`;
  return /T\d\d:\d\d:\d\d$/.test(text) ? `${text}Z` : text;
}
