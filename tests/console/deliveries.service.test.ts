// The list of webhooks with its hidden ones, and a webhook's body for authorized people.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelayedConsole, type Audience, type RelayedConsole } from "./relayed-console.ts";
import { eventually } from "../support/index.ts";

let started: RelayedConsole;
let merchantId: string;
let event: string;
let orderId: string;
beforeAll(async () => {
  started = await startRelayedConsole();
  const { mine } = started.shops;
  merchantId = mine.merchantId;
  ({ event } = mine.things);
  const [sale] = await started.query<{ order_id: string }>(
    "select order_id from payments.payment where payment_id = $1",
    [mine.things.payment],
  );
  orderId = sale!.order_id;
});
afterAll(() => started?.close());

const signIn = (who: Audience, ...roles: string[]) =>
  started.signIn(who, { subject: who === "staff" ? "mina" : "olga", ...(roles.length > 0 && { roles }) });

test.each<[Audience]>([["operator"], ["staff"]])(
  "a line of the list of an %s has order number and last error, and leads to the webhook",
  async (who) => {
    const session = await signIn(who);
    // No server listens at its endpoint.
    await eventually(async () => {
      const { status, text } = await started.get(session, `/deliveries?merchantId=${merchantId}`);
      expect(status).toBe(200);
      expect(text).toContain(`<a href="/deliveries/${event}">${orderId}</a>`);
      expect(text).toMatch(/data-heading="Last error"[^>]*>the /);
      expect(text).toContain('<span title="https://127.0.0.1:9/hook">127.0.0.1:9</span>');
    });
  },
);

test("a webhook names the merchant that it is for", async () => {
  const { text } = await started.get(await signIn("operator"), `/deliveries/${event}`);
  expect(text).toContain(`<a href="/merchants/${merchantId}">Mina&#39;s</a>`);
});

/** An event that the merchant's default endpoint did not want. @returns its payment's id. */
async function insertSkipped(order: string): Promise<string> {
  const paymentId = randomUUID();
  await started.query(
    `with made as (
       insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
       select uuid_extract_timestamp(id), id, 'payments', 'payment.captured', $1::uuid, $2::uuid, 'CAPTURED', convert_to($3, 'UTF8')
       from uuidv7() as id
       returning occurred_at, event_id, merchant_id
     )
     insert into webhooks.outcome (endpoint_id, occurred_at, event_id, outcome)
     select merchant_id, occurred_at, event_id, 'skipped' from made`,
    [merchantId, paymentId, JSON.stringify({ orderId: order })],
  );
  return paymentId;
}

test("what was skipped is hidden, which the page says, until somebody asks for it", async () => {
  const paymentId = await insertSkipped("skipped-1");
  const session = await signIn("operator");
  const read = async (path: string) => (await started.get(session, path)).text;
  const list = await read("/deliveries");
  expect(list).toContain(orderId);
  expect(list).not.toContain("skipped-1");
  expect(list).toContain("are hidden");
  expect(await read("/deliveries.csv")).not.toContain("skipped-1");
  for (const asked of ["status=skipped", "status=all", `paymentId=${paymentId}`]) {
    const shown = await read(`/deliveries?${asked}`);
    expect(shown, asked).toContain("skipped-1");
    expect(shown, asked).not.toContain("are hidden");
    expect(await read(`/deliveries.csv?${asked}`), asked).toContain("skipped-1");
  }
});

test.each<[Audience, string]>([
  ["operator", "operations"],
  ["staff", "developer"],
])("the body is read for an %s with the role %s, once it is asked for", async (who, role) => {
  const session = await signIn(who, role);
  const call = `GET /${who}/webhook-deliveries/${event}/body`;
  const page = await started.get(session, `/deliveries/${event}`);
  expect(page.calls).not.toContain(call);
  expect(page.text).toContain(`href="/deliveries/${event}?show=body#sent-body"`);
  const { status, text, calls } = await started.get(session, `/deliveries/${event}?show=body`);
  expect(status).toBe(200);
  expect(calls).toContain(call);
  expect(text).toContain("<pre>{&quot;paymentId&quot;:&quot;");
  expect(text).toMatch(/&quot;pan&quot;:&quot;411111\*+1111&quot;/);
});

test("nobody else is shown the body, whatever the address says", async () => {
  const viewer = await started.get(await signIn("operator", "viewer"), `/deliveries/${event}?show=body`);
  expect(viewer.text).toContain("Body: it needs the role operations");
  const support = await started.get(await signIn("staff", "support"), `/deliveries/${event}?show=body`);
  expect(support.text).not.toContain("sent-body");
  for (const { status, text, calls } of [viewer, support]) {
    expect(status).toBe(200);
    expect(text).not.toContain("<pre>");
    expect(calls.filter((call) => call.endsWith("/body"))).toEqual([]);
  }
});
