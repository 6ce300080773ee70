import type { WebhookEndpoint } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { TEXTS } from "../ui/texts.ts";
import { healthOf } from "./endpoint-table.ts";

const reader = { language: "en", locale: "en-GB", texts: TEXTS.en } as const;
const shown = (health: WebhookEndpoint["health"]) =>
  healthOf(reader, health)
    .text.replaceAll(/<[^>]+>|\s+/g, " ")
    .replaceAll(/ +/g, " ")
    .trim();

test("an endpoint that fails says since when, and nothing of how it is tried", () => {
  const failingSince = "2026-11-20T08:10:00.000Z";
  for (const breaker of ["open", "closed"] as const)
    expect(shown({ breaker, failingSince })).toBe("Fails Failing since: 20 Nov 2026, 08:10:00 UTC");
  expect(shown({ breaker: "open" })).toBe("Fails");
  expect(shown({ breaker: "closed" })).toBe("Answers");
});
