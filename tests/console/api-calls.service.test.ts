// How often a page asks the gateway: at most four times, so that a page stays as quick as what it shows is long.
import { afterAll, beforeAll, expect, test } from "vitest";
import { PAGES } from "../../services/console/src/http/console-app.ts";
import { startRelayedConsole, type Audience, type RelayedConsole } from "./relayed-console.ts";

const CALLS_MAX = 4;

let started: RelayedConsole;
beforeAll(async () => void (started = await startRelayedConsole()));
afterAll(() => started?.close());

const pathOf = (page: string): string | undefined => {
  const { merchantId, things } = started.shops.mine;
  const filled: Record<string, string> = {
    "/search": `/search?q=${things.payment}`,
    "/payments/:paymentId": `/payments/${things.payment}`,
    "/refunds/:refundId": `/refunds/${things.refund}`,
    "/deliveries": `/deliveries?merchantId=${merchantId}`,
    "/deliveries/:eventId": `/deliveries/${things.event}`,
    "/merchants/:merchantId": `/merchants/${merchantId}`,
    "/payment-links/:paymentLinkId": `/payment-links/${things.link}`,
  };
  return filled[page] ?? (page.includes(":") ? undefined : page);
};

/** Shown by what a bank's file has brought, by another page's rows, or as a file of its own. */
const ELSEWHERE = /csv|print|code\.svg|imports|statements|body/;
const pathsFor = (person: Audience) => [
  ...new Set(
    PAGES.filter(({ method, audience = "operators", path }) => {
      const isFor = audience === "everybody" || (audience === "staff") === (person === "staff");
      return method === "GET" && isFor && !ELSEWHERE.test(path);
    }).map(({ path }) => path),
  ),
];

test.each(["operator", "staff"] as const)("no page of %s asks more than four times", async (person) => {
  const session = await started.signIn(person, { subject: person === "staff" ? "mina" : "olga" });
  for (const page of pathsFor(person)) {
    const path = pathOf(page);
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
