// A decision for which the sign-in is too old: selection, reason and amount are still there after a newer
// sign-in.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelayedConsole, type Asked, type Audience, type RelayedConsole } from "./relayed-console.ts";

let started: RelayedConsole;
let sessions: Record<Audience, string>;
beforeAll(async () => {
  started = await startRelayedConsole();
  sessions = {
    operator: await started.signIn("operator", { subject: "decider" }),
    staff: await started.signIn("staff", { subject: "mina" }),
  };
});
afterAll(() => started?.close());

/** Gives every session a proof of identity of so many minutes ago. */
const proveAgo = (minutes: number) =>
  started.query("update console.session set authenticated_at = now() - $1 * interval '1 minute'", [minutes]);

/** Every way to a newer sign-in leads back to the same address. */
function wayBack({ text }: Asked): string {
  const ways = [...text.matchAll(/href="\/login\?again=(?:1|now)&amp;return=([^"]+)"/g)];
  const addresses = new Set(ways.map(([, address]) => decodeURIComponent(address!)));
  expect(addresses.size).toBe(1);
  return [...addresses][0]!;
}

test("a selection and the reason for its rejection are shown again, and nothing is decided", async () => {
  const { refund } = started.shops.mine.things;
  await proveAgo(20);
  const form = { refundId: refund, orderId: "o-1", amount: "1 TRY", reason: "bought elsewhere" };
  const refused = await started.post(sessions.operator, "/refunds/reject-selected", form);
  expect(refused.status).toBe(403);
  await proveAgo(0);
  const back = await started.get(sessions.operator, wayBack(refused));
  expect(back.status).toBe(200);
  expect(back.text).toContain("Please send the form again");
  expect(back.text).toContain('value="bought elsewhere"');
  expect(back.text).toContain(`name="refundId" value="${refund}"`);
  expect(back.calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
});

test("the reason for one rejection is there on the refund's page", async () => {
  const page = `/refunds/${started.shops.mine.things.refund}`;
  await proveAgo(20);
  const refused = await started.post(sessions.operator, `${page}/reject`, { reason: "not ours" });
  expect(refused.status).toBe(403);
  await proveAgo(0);
  const address = wayBack(refused);
  expect(address.startsWith(`${page}?kept=`)).toBe(true);
  const back = await started.get(sessions.operator, address);
  expect(back.text).toContain('value="not ours"');
});

test("an amount comes back however often the sign-in is too old", async () => {
  const page = `/payments/${await started.authorize(started.shops.mine)}`;
  await proveAgo(20);
  const refused = await started.post(sessions.staff, `${page}/review-capture`, { captureAmount: "12.50" });
  const first = await started.get(sessions.staff, wayBack(refused));
  await proveAgo(0);
  const second = await started.get(sessions.staff, wayBack(first));
  expect(second.text).toContain('value="12.50"');
  expect(second.calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
});

test("a form is still there after its page has failed, and once its page is there it is forgotten", async () => {
  const page = `/refunds/${started.shops.mine.things.refund}`;
  await proveAgo(20);
  const refused = await started.post(sessions.operator, `${page}/reject`, { reason: "not ours either" });
  await proveAgo(0);
  const address = wayBack(refused);
  started.relay.away = { call: /refunds/, code: "service_unavailable" };
  const failed = await started.get(sessions.operator, address);
  started.relay.away = undefined;
  expect(failed.status).toBe(503);
  expect(failed.text).toContain(`class="button" href="${address.replaceAll("&", "&amp;")}"`);
  const back = await started.get(sessions.operator, address);
  expect(back.text).toContain('value="not ours either"');
  const again = await started.get(sessions.operator, address);
  expect(again.text).not.toContain("not ours either");
});
