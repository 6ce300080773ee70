// Searches by a number at hand: from a webhook's header, a log line or a receipt.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelayedConsole, type RelayedConsole } from "./relayed-console.ts";

let started: RelayedConsole;
beforeAll(async () => void (started = await startRelayedConsole()));
afterAll(() => started?.close());

const searched = async (person: "operator" | "staff", text: string) => {
  const session = await started.signIn(person, { subject: person === "staff" ? "mina" : "olga" });
  return await started.get(session, `/search?q=${encodeURIComponent(text)}`);
};

test.each(["operator", "staff"] as const)("a webhook is found by its id (%s)", async (person) => {
  const { event } = started.shops.mine.things;
  const { status, text, calls } = await searched(person, event);
  expect(status).toBe(200);
  expect(text).toContain(`href="/deliveries/${event}"`);
  // Operators see the merchant's name; its staff know it.
  if (person === "operator") expect(text).toMatch(/data-heading="Merchant"[^>]*>Mina&#39;s</);
  expect(calls.length).toBeLessThanOrEqual(4);
});

test("another merchant's webhook is not found", async () => {
  const { text } = await searched("staff", started.shops.theirs.things.event);
  expect(text).not.toContain("/deliveries/");
  expect(text).toContain("Nothing was found");
});

test("an id of nothing is found nowhere, in four requests of the gateway at most", async () => {
  for (const person of ["operator", "staff"] as const) {
    const { status, text, calls } = await searched(person, randomUUID());
    expect(status).toBe(200);
    expect(text).toContain("Nothing was found");
    expect(calls.length, calls.join()).toBeLessThanOrEqual(4);
  }
});

test("the page says in words what the text is of each thing", async () => {
  const { payment } = started.shops.mine.things;
  const session = await started.signIn("operator", { subject: "olga" });
  const [orderId = ""] =
    /\border-\d+\b/.exec((await started.get(session, `/payments/${payment}`)).text) ?? [];
  const { text } = await searched("operator", orderId);
  expect(text).toMatch(/data-heading="Found by"[^>]*>Order</);
  expect(text).not.toContain("orderId");
});

test("a number that no list of amounts takes is searched for as a text", async () => {
  const { status, text } = await searched("operator", "1234567890 TRY");
  expect([status, text.includes('role="alert"')]).toEqual([200, false]);
});

test("a further page of the audit log leads back", async () => {
  const session = await started.signIn("operator", { subject: "olga" });
  const { text } = await started.get(session, "/audit?actor=olga&cursor=second&cursorTrail=-");
  expect(text).toContain('rel="prev" href="/audit?actor=olga"');
});

test("a status alone means the last 31 days, which the page says and its file has, too", async () => {
  const session = await started.signIn("operator", { subject: "olga" });
  const { status, text } = await started.get(session, "/payments?status=FAILED&orderId=");
  expect([status, text.includes('role="alert"')]).toEqual([200, false]);
  expect(text).toContain("These are the payments of the last 31 days.");
  const valueOf = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]+)"`).exec(text)![1]!;
  expect(Date.parse(valueOf("to")) - Date.parse(valueOf("from"))).toBe(31 * 86_400_000);
  const [, file = ""] = /href="(\/payments\.csv[^"]+)"/.exec(text) ?? [];
  expect((await started.get(session, file.replaceAll("&amp;", "&"))).text).toContain("#rows");
  // The payments of one order need no span.
  const found = await started.get(session, "/payments?status=FAILED&orderId=none");
  expect(found.text).not.toContain("of the last 31 days");
});

test("payments are narrowed by their type, and by the customer without a span of time", async () => {
  const session = await started.signIn("operator", { subject: "olga" });
  const { payment } = started.shops.mine.things;
  const [sales, reserved] = [
    await started.get(session, "/payments?transactionType=PAYMENT"),
    await started.get(session, "/payments?transactionType=PRE_AUTHORIZATION"),
  ];
  expect(sales.text).toContain(`href="/payments/${payment}"`);
  expect(sales.text).toContain("of the last 31 days");
  expect([reserved.status, reserved.text.includes(payment)]).toEqual([200, false]);
  const others = await started.get(session, "/payments?customerId=nobody");
  expect([others.status, others.text.includes(payment)]).toEqual([200, false]);
  expect(others.text).not.toContain("of the last 31 days");
});

test("a list that was refused does not say that nothing matches", async () => {
  const session = await started.signIn("operator", { subject: "olga" });
  const { status, text } = await started.get(session, "/payments?status=FAILED&to=2026-01-01T00:00:00");
  expect([status, text.includes('role="alert"')]).toEqual([400, true]);
  expect(text).not.toContain("No payment matches");
});

test("refunds of unknown outcome have pages of their own, and a file with all of them", async () => {
  const session = await started.signIn("operator", { subject: "olga" });
  const page = await started.get(session, "/unresolved");
  expect(page.text).toContain('href="/refunds.csv?status=EXECUTING&amp;livemode=true"');
  const file = await started.get(session, "/payments.csv?unresolved=true");
  expect([file.status, file.text.trim().split("\r\n").at(-1)!.split(",")[0]]).toEqual([200, "#rows"]);
  // The refunds' cursor goes to the refunds.
  const refused = await started.get(session, "/unresolved?refundsCursor=nothing");
  expect([refused.status, refused.calls.sort()]).toEqual([
    400,
    ["GET /operator/payments", "GET /operator/proposals", "GET /operator/refunds"],
  ]);
});

test("a merchant is found by a part of its name in any case, by operators alone", async () => {
  const { merchantId } = started.shops.mine;
  const { text } = await searched("operator", "mINA'");
  expect(text).toContain(`href="/merchants/${merchantId}"`);
  expect(text).toMatch(/data-heading="Found by"[^>]*>Name</);
  expect((await searched("operator", "mina%")).text).toContain("Nothing was found");
  expect((await searched("staff", "Theirs")).text).toContain("Nothing was found");
});

test.each(["50.00 TRY", "₺50,00", "try 50"])("payments are found by the amount %s", async (amount) => {
  const { mine, theirs } = started.shops;
  const { text } = await searched("staff", amount);
  expect(text).toContain(`href="/payments/${mine.things.payment}"`);
  expect(text).not.toContain(theirs.things.payment);
  expect(text).toContain("Amount, last 31 days");
  expect((await searched("staff", "50.01 TRY")).text).not.toContain(mine.things.payment);
});
