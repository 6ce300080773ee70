import { expect, test } from "vitest";

import { gateForm } from "../../test/test-browser.ts";
import { merchant, NOON } from "../../test/test-bank.ts";
import { defaultModes } from "../modes.ts";
import { parseGateForm } from "./gate-form.ts";
import { GateSessions } from "./gate-sessions.ts";

test("ten thousand sessions are kept, and the oldest goes first", () => {
  const parsed = parseGateForm(String(gateForm()), {
    merchantOf: () => merchant(),
    rulesFor: () => defaultModes,
    nowMs: NOON,
  });
  if (parsed.kind !== "form") throw new Error("the form is refused");
  const sessions = new GateSessions();
  const [first, second] = Array.from({ length: 10_001 }, () => sessions.open(parsed.form, "plain", NOON));
  expect(sessions.find(first?.id ?? "")).toBeUndefined();
  expect(sessions.ofMd(first?.md ?? "")).toBeUndefined();
  expect(sessions.find(second?.id ?? "")).toBe(second);
});
