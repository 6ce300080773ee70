import { expect, test } from "vitest";
import { ENGLISH } from "../ui/texts.ts";
import { deadlineOf } from "./deadline-badge.ts";

const now = new Date("2026-03-10T12:00:00Z");
const reader = { language: "en", locale: "en-GB", texts: ENGLISH } as const;
const shown = (respondBy?: string, status: "OPEN" | "LOST" = "OPEN") =>
  deadlineOf({ now, reader }, { respondBy, status }).text;

test.each([
  ["2026-03-14T12:00:00Z", "4 days left", false],
  ["2026-03-13T11:59:59Z", "2 days left", true],
  ["2026-03-11T12:00:00Z", "1 day left", true],
  ["2026-03-11T11:59:59Z", "Less than a day left", true],
  ["2026-03-10T12:00:00Z", "Deadline passed", true],
])("until %s there are %s", (respondBy, left, isUrgent) => {
  const text = shown(respondBy);
  expect(text).toContain(`>${left}<`);
  expect(text).toContain(`datetime="${respondBy}"`);
  expect(text.includes("badge bad")).toBe(isUrgent);
});

test("a dispute that has ended counts no days, and one without a deadline says so", () => {
  expect(shown("2026-03-14T12:00:00Z", "LOST")).not.toContain("left");
  expect(shown()).toBe("not announced");
});
