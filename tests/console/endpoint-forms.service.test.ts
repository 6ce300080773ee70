// The forms of a webhook endpoint: its headers, those who may change it, and its health.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelayedConsole, type Audience, type RelayedConsole } from "./relayed-console.ts";

const VALUE = "Basic c2hvcDpmb3Jtcw==";

let started: RelayedConsole;
let sessions: Record<Audience, string>;
let page: string;
let endpointId: string;
let endpointUrl: string;
beforeAll(async () => {
  started = await startRelayedConsole();
  sessions = {
    operator: await started.signIn("operator", { subject: "olga" }),
    staff: await started.signIn("staff", { subject: "mina" }),
  };
  const { merchantId, things } = started.shops.mine;
  page = `/merchants/${merchantId}`;
  endpointId = things.endpoint;
  const [endpoint] = await started.query<{ url: string }>(
    "select url from webhooks.endpoint where endpoint_id = $1",
    [endpointId],
  );
  endpointUrl = endpoint!.url;
});
afterAll(() => started?.close());

const change = (who: Audience, headers: string) =>
  started.post(sessions[who], `${page}/change-webhook`, {
    endpointId,
    endpointUrl,
    events: "payment.status_changed",
    headers,
  });
const namesOf = async () =>
  (
    await started.query<{ header_names: string[] }>(
      "select header_names from webhooks.endpoint where endpoint_id = $1",
      [endpointId],
    )
  )[0]!.header_names;

test.each<[Audience]>([["operator"], ["staff"]])(
  "headers of a form of an %s are shown by their names, kept without a value, and refused at their field",
  async (who) => {
    expect((await change(who, `Authorization: ${VALUE}\r\nx-tenant: shop-7`)).status).toBe(303);
    expect(await namesOf()).toEqual(["authorization", "x-tenant"]);
    const { text } = await started.get(sessions[who], page);
    expect(text).toContain("authorization:\nx-tenant:</textarea>");
    expect(text).not.toContain(VALUE);
    expect((await change(who, "x-tenant:\n\n")).status).toBe(303);
    expect(await namesOf()).toEqual(["x-tenant"]);

    const refused = await change(who, "x-tenant: shop-8\nHost: other.example");
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`id="headers-${endpointId}-fault"`);
    expect(await namesOf()).toEqual(["x-tenant"]);
    expect((await change(who, "")).status).toBe(303);
    expect(await namesOf()).toEqual([]);
  },
);

test("an operator keeps the endpoints from a merchant's staff, whose page then has no forms for them", async () => {
  const set = (who: Audience, managedBy: string) =>
    started.post(sessions[who], `${page}/webhook-management`, { managedBy });
  expect((await set("operator", "operators")).status).toBe(303);
  const shown = await started.get(sessions.staff, page);
  expect(shown.text).toContain("operators alone");
  expect(shown.text).not.toContain("/change-webhook");
  expect(shown.text).not.toContain("/add-webhook");
  expect((await change("staff", "x-tenant: shop-7")).status).toBe(403);
  expect(await namesOf()).toEqual([]);
  expect((await set("staff", "api")).status).not.toBe(303);
  expect((await started.get(sessions.operator, page)).text).toContain("/change-webhook");
  expect((await set("operator", "staff")).status).toBe(303);
  expect((await started.get(sessions.staff, page)).text).toContain("/change-webhook");
});

test("an endpoint that is chosen in the delivery log has its health by the hour", async () => {
  const { merchantId } = started.shops.mine;
  await started.query(
    `insert into webhooks.endpoint_hour (endpoint_id, hour, result, duration_bucket, count)
     values ($1, date_trunc('hour', now(), 'UTC'), 'answered', 24, 1234)`,
    [endpointId],
  );
  for (const who of ["operator", "staff"] as const) {
    const chosen = new URLSearchParams({ endpointId, ...(who === "operator" && { merchantId }) });
    const { status, text } = await started.get(sessions[who], `/deliveries?${chosen.toString()}`);
    expect(status).toBe(200);
    for (const cell of ["1234", "64 ms"]) expect(text).toMatch(new RegExp(`<td[^>]*>${cell}</td>`));
    expect((await started.get(sessions[who], "/deliveries")).text).not.toContain("64 ms");
  }
});
