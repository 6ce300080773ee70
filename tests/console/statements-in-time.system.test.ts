// Statements add up every line of their days. Where that takes longer than a request may, people see alternatives.
import { withClient } from "@holdfast/sandbox/infrastructure";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelayedConsole, type RelayedConsole } from "./relayed-console.ts";

let started: RelayedConsole;
beforeAll(async () => void (started = await startRelayedConsole()));
afterAll(() => started?.close());

test.each([
  { who: "operator", subject: "olga", smaller: "Choose fewer days or one merchant" },
  { who: "staff", subject: "mina", smaller: "Choose fewer days, or" },
] as const)(
  "to $who the page of statements that come too late says what to choose instead",
  async ({ who, subject, smaller }) => {
    const session = await started.signIn(who, { subject });
    const path = "/settlement?from=2026-01-01&to=2026-01-31";
    const late = await withClient(started.database.superuserUrl, async (client) => {
      // Only statements read the facts of their lines.
      await client.query("begin; lock table settlement.fact in access exclusive mode");
      return await started.get(session, path);
    });
    expect([late.status, late.retryAfter]).toEqual([503, "2"]);
    expect(late.text).toContain("did not come in time");
    expect(late.text).toContain(smaller);
    // The choice of days is still there, and nothing says that there are no statements.
    expect(late.text).toContain('value="2026-01-31"');
    expect(late.text).not.toContain("No statement of these days");
    const again = await started.get(session, path);
    expect([again.status, again.retryAfter]).toEqual([200, null]);
    expect(again.text).toContain("No statement of these days");
  },
);
