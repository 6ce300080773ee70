import { expect, test } from "vitest";
import { instantField, instantOf } from "./instant-field.ts";

test.each([
  ["2026-01-31T12:00", "2026-01-31T12:00:00Z"],
  ["2026-01-31T12:00:30", "2026-01-31T12:00:30Z"],
  ["2026-01-31T12:00:30Z", "2026-01-31T12:00:30Z"],
  ["yesterday", "yesterday"],
  ["", undefined],
  [null, undefined],
])("what the field has, %s, is asked as %s", (text, asked) => {
  expect(instantOf(text)).toBe(asked);
});

test("a time with a zone is one that the field can show", () => {
  expect(instantField("from", "From", "2026-01-31T12:00:30.123Z").text).toContain(
    'value="2026-01-31T12:00:30"',
  );
  expect(instantField("from", "From", "2026-01-31T12:00").text).toContain('value="2026-01-31T12:00"');
});

test("the moment itself is beside it for the script, to the millisecond, and its label names the zone", () => {
  const { text } = instantField("from", "From", "2026-01-31T12:00:30.123Z");
  expect(text).toContain('data-instant="2026-01-31T12:00:30.123Z"');
  expect(text).toContain("From (<span data-zone>UTC</span>)");
  expect(instantField("from", "From", null).text).toContain('data-instant=""');
});
