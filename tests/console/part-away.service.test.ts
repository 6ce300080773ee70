// An unreachable service removes only its own part of a page; an unreachable gateway is waited for only once.
import { randomUUID } from "node:crypto";
import type { ProblemCode } from "@holdfast/contracts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startRelayedConsole, type RelayedConsole } from "./relayed-console.ts";

let started: RelayedConsole;
let sessions: { operator: string; staff: string };
beforeAll(async () => {
  started = await startRelayedConsole();
  sessions = {
    operator: await started.signIn("operator", { subject: "olga" }),
    staff: await started.signIn("staff", { subject: "mina" }),
  };
});
afterEach(() => void (started.relay.away = undefined));
afterAll(() => started?.close());

const NOT_READABLE = "not readable at the moment";

test.each([
  ["operator", "/", "chargebacks|figures|payments", "Sales of today"],
  ["operator", "/", "refunds", "Open differences"],
  ["operator", "/", "differences", "Refunds that wait"],
  ["operator", "/", "webhook-endpoints", "Open differences"],
  ["operator", "/", "proposals", "Open differences"],
  ["operator", "/unresolved", "proposals", "Refunds whose outcome is unknown"],
  ["operator", "/settlement", "acquirer-accounts", "Statements"],
  ["operator", "/merchants/{merchantId}", "acquirer-accounts", "Keys"],
  ["operator", "/merchants/{merchantId}", "routes", "Commission plan"],
  ["operator", "/merchants/{merchantId}", "webhooks", "Commission plan"],
  ["staff", "/", "refunds", "Sales of today"],
  ["staff", "/", "webhooks", "Sales of today"],
  ["staff", "/merchants/{merchantId}", "webhooks", "Commission plan"],
] as const)(
  "%s at %s without %s have everything else, and a word about it",
  async (who, page, away, rest) => {
    const path = page.replace("{merchantId}", started.shops.mine.merchantId);
    const whole = await started.get(sessions[who], path);
    expect(whole.text).not.toContain(NOT_READABLE);
    started.relay.away = { call: new RegExp(`/(${away})(/|$)`), code: "service_unavailable" };
    const { status, text } = await started.get(sessions[who], path);
    expect(status).toBe(200);
    expect(text).toContain(rest);
    expect(text).toContain(NOT_READABLE);
  },
);

const decisions = (calls: string[]) => calls.filter((call) => call.endsWith("/approve"));

async function approve(code: ProblemCode | undefined, refundId: string[]) {
  started.relay.away = { call: /approve$/, code };
  const form = new URLSearchParams(
    refundId.flatMap((id) => [
      ["refundId", id],
      ["orderId", `order ${id.slice(0, 4)}`],
      ["amount", "1 TRY"],
    ]),
  );
  return await started.post(sessions.operator, "/refunds/approve-selected?select=all", form);
}

test.each([
  ["service that hangs up", undefined, "It is not known whether this was done"],
  ["demand for a newer sign-in", "insufficient_user_authentication", "/login?again=now"],
] as const)("a %s is met once for all selected refunds", async (_which, code, said) => {
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  const { text, calls } = await approve(code, ids);
  expect(decisions(calls)).toHaveLength(1);
  expect(text).toContain(said);
  expect(text).toContain("0 of 3 were decided.");
  expect(text).toContain("2 more were not sent to the gateway.");
});

test("a refund that is named twice is decided once", async () => {
  const id = randomUUID();
  const { calls } = await approve("refund_not_found", [id, id]);
  expect(decisions(calls)).toHaveLength(1);
});

test("the selection of all stands in no link to another page or file", async () => {
  const { text } = await started.get(sessions.operator, "/refunds?select=all");
  expect(text).toContain("checked");
  const links = [...text.matchAll(/href="([^"]*select=all[^"]*)"/g)].map(([, href]) => href);
  expect(links).toEqual(["/refunds?livemode=true&amp;select=all"]);
});
