import { WAITING_COUNT_MAX, type WebhookEndpoint } from "@holdfast/contracts";
import { expect, test } from "vitest";
import type { Reader } from "../ui/page-context.ts";
import { TEXTS } from "../ui/texts.ts";
import { endpointTable, healthOf } from "./endpoint-table.ts";

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

const endpoint: WebhookEndpoint = {
  endpointId: "019ab2e1-5500-7b31-8e55-1d40c1b7a9d0",
  default: true,
  url: "https://shop.example/hooks",
  events: ["payment.status_changed"],
  version: 1,
  enabled: true,
  waitingCount: 0,
  createdAt: "2026-11-20T08:00:00.000Z",
  secretVersion: 1,
  health: { breaker: "closed" },
};

test("an endpoint that is on says how many wait for it, if any do", () => {
  const textOf = (waitingCount: number, as: Reader = reader) =>
    endpointTable(as, [{ ...endpoint, waitingCount }], { href: () => "/" }).text;
  expect(textOf(3)).toContain("<p>Waiting: 3</p>");
  expect(textOf(3, { ...reader, language: "tr", texts: TEXTS.tr })).toContain("<p>Bekleyen: 3</p>");
  expect(textOf(WAITING_COUNT_MAX)).toContain("<p>Waiting: 10000 or more</p>");
  expect(textOf(0)).not.toContain("Waiting");
});
