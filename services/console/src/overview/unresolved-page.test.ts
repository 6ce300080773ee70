import { Html } from "@holdfast/html";
import { expect, test } from "vitest";
import type { Reader } from "../ui/page-context.ts";
import { TEXTS } from "../ui/texts.ts";
import { proposalColumn } from "./unresolved-page.ts";

const READER: Reader = { language: "en", locale: "en-GB", texts: TEXTS.en };

test("what is undecided has the outcome that somebody has proposed, and who", () => {
  const { cell, heading } = proposalColumn(READER);
  expect(heading).toBe("Proposed outcome");
  const shown = cell({
    resolution: {
      outcome: "FAILED",
      evidence: "The bank's letter of today",
      proposedBy: "alice",
      proposedAt: "2026-11-24T06:00:00.000Z",
      confirmations: 1,
      confirmationsRequired: 2,
    },
  });
  expect(shown instanceof Html && shown.text).toMatch(/Failed.*alice/);
  expect(cell({})).toBe("–");
});
