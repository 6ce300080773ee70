// A page asks the gateway at most six times, so that it stays quick, however long its lists are. The overview does: once for
// the figures and for each kind of work that waits.
import { afterAll, beforeAll, expect, test } from "vitest";
import { pagePaths } from "./page-paths.ts";
import { openDispute, startRelayedConsole, type RelayedConsole } from "./relayed-console.ts";

const CALLS_MAX = 6;

let started: RelayedConsole;
beforeAll(async () => void (started = await startRelayedConsole()));
afterAll(() => started?.close());

test.each(["operator", "staff"] as const)("no page of %s asks more than six times", async (person) => {
  const session = await started.signIn(person, { subject: person === "staff" ? "mina" : "olga" });
  const { merchantId, things } = started.shops.mine;
  const dispute = await openDispute(started, things.payment);
  for (const [page, path] of pagePaths(person, { merchantId, dispute, ...things })) {
    // A page about one file or one difference asks once or twice.
    if (/imports|differences/.test(page)) continue;
    expect(path, page).toBeDefined();
    const { status, calls } = await started.get(session, path!);
    expect([200, 303], `${page} ${calls.join()}`).toContain(status);
    expect(calls.length, `${page}: ${calls.join(", ")}`).toBeLessThanOrEqual(CALLS_MAX);
  }
});

test("statements, which are the sum of all lines of their days, are asked for when somebody wants them", async () => {
  const session = await started.signIn("operator", { subject: "olga" });
  const statements = "GET /operator/statements";
  const first = await started.get(session, "/settlement");
  expect(first.calls).not.toContain(statements);
  const [, link = ""] = /href="(\/settlement\?from=[^"]+)"/.exec(first.text) ?? [];
  const second = await started.get(session, link.replaceAll("&amp;", "&"));
  expect(second.status).toBe(200);
  expect(second.calls).toContain(statements);
});
