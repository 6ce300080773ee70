import { randomBytes, randomUUIDv7 } from "node:crypto";
import { operations, type CommandReply, type WebhookHeaders } from "@holdfast/contracts";
import { keysCommand } from "@holdfast/postgres";
import { eventually, type LedgerReceiver } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { webhookKeys } from "../src/keys.ts";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { addEndpoint, askForEndpoint, endpointsOf, sealHeaders } from "./endpoints.ts";
import { newEvent } from "./events.ts";

// Headers that an endpoint's owner adds to every request. Each test has a merchant and a receiver of its own.
const key = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
const [K1, K2] = [key("k1"), key("k2")];
const VALUE = "Basic c2hvcDpoYWxpbWFzdA==";
const GIVEN = [
  { name: "authorization", value: VALUE },
  { name: "x-tenant", value: "shop 7" },
];

let harness: DispatcherHarness;
beforeAll(async () => {
  harness = await startDispatcherHarness({ WEBHOOK_SECRET_KEYS: `${K1},${K2}` });
});
afterAll(() => harness.close());

/** Creates a merchant's endpoint with these headers, at a receiver of its own. */
async function withHeaders(headers: WebhookHeaders = GIVEN) {
  const [receiver, merchantId] = [await harness.startReceiver(), randomUUIDv7()];
  const { endpointId } = await addEndpoint(harness, merchantId, { url: receiver.url, headers });
  return { receiver, merchantId, endpointId };
}

type Change = { url?: string; headers?: WebhookHeaders };
async function change(merchantId: string, endpointId: string, { url, headers }: Change) {
  const now = (await endpointsOf(harness, merchantId)).find((each) => each.endpointId === endpointId);
  const content = headers && { for: endpointId, url: url ?? now!.url, headers };
  return await harness.operate(operations.changeMerchantWebhook.command, {
    merchantId,
    endpointId,
    ...(url !== undefined && { url }),
    ...(content && { headers: await sealHeaders(harness, content) }),
  });
}

/** The added headers of the next webhook. */
async function sent(merchantId: string, receiver: LedgerReceiver) {
  receiver.ledger.length = 0;
  await harness.publish(newEvent({ merchantId }));
  await eventually(() => expect(receiver.ledger).toHaveLength(1));
  const { authorization, "x-tenant": tenant, host } = receiver.ledger[0]!.headers;
  expect(host).toBe(new URL(receiver.url).host);
  return { authorization, tenant };
}

const auditOf = async (merchantId: string) =>
  (
    await harness.query<{ action: string; detail: string }>(
      "select action, detail from webhooks.audit_entry where subject = $1 order by sequence",
      [merchantId],
    )
  ).map(({ action, detail }) => ({ action, ...(JSON.parse(detail) as Record<string, unknown>) }));

const faultsOf = (reply: CommandReply<unknown>) =>
  reply.outcome === "problem" ? reply.extra?.["errors"] : reply;

test("an endpoint's own headers come with every webhook and test, and are shown by their names alone", async () => {
  const { receiver, merchantId, endpointId } = await withHeaders();
  expect(await sent(merchantId, receiver)).toEqual({ authorization: VALUE, tenant: "shop 7" });
  await harness.operate(operations.testWebhookEndpoint.command, { merchantId, endpointId });
  expect(receiver.ledger.at(-1)!.headers).toMatchObject({ authorization: VALUE, "x-tenant": "shop 7" });
  const [shown] = await endpointsOf(harness, merchantId);
  expect(shown!.headers).toEqual([{ name: "authorization" }, { name: "x-tenant" }]);
});

test("a header without a value keeps it, one with a value gets it, and one that is left out goes", async () => {
  const { receiver, merchantId, endpointId } = await withHeaders();
  const keep = [{ name: "authorization" }, { name: "x-tenant" }];
  expect(await change(merchantId, endpointId, { headers: keep })).toMatchObject({ outcome: "done" });
  expect(await sent(merchantId, receiver)).toEqual({ authorization: VALUE, tenant: "shop 7" });
  await change(merchantId, endpointId, {
    headers: [{ name: "x-tenant", value: "shop 8" }, { name: "authorization" }],
  });
  await eventually(async () =>
    expect(await sent(merchantId, receiver)).toEqual({ authorization: VALUE, tenant: "shop 8" }),
  );
  await change(merchantId, endpointId, { headers: [] });
  await eventually(async () =>
    expect(await sent(merchantId, receiver)).toEqual({ authorization: undefined, tenant: undefined }),
  );
  expect((await endpointsOf(harness, merchantId))[0]).not.toHaveProperty("headers");
  const lines = await auditOf(merchantId);
  expect(lines.map(({ action }) => action)).toEqual([
    "webhook.endpoint_added",
    "webhook.endpoint_changed",
    "webhook.endpoint_changed",
  ]);
  expect(lines[1]).toMatchObject({
    from: { headers: ["authorization", "x-tenant"] },
    to: { headers: ["x-tenant", "authorization"] },
    headerValues: "given",
  });
});

test("stored values go to no other URL: whoever changes it gives them again, or removes the headers", async () => {
  const { receiver, merchantId, endpointId } = await withHeaders();
  const other = await harness.startReceiver();
  for (const headers of [undefined, [{ name: "authorization" }]] as const) {
    const reply = await change(merchantId, endpointId, {
      url: other.url,
      ...(headers && { headers: [...headers] }),
    });
    const field = headers ? "headers.0.value" : "headers";
    expect(faultsOf(reply)).toEqual([expect.objectContaining({ field, code: "required" })]);
  }
  expect(await sent(merchantId, receiver)).toEqual({ authorization: VALUE, tenant: "shop 7" });
  const moved = await change(merchantId, endpointId, {
    url: other.url,
    headers: [{ name: "authorization", value: "Bearer of-the-other" }],
  });
  expect(moved).toMatchObject({ result: { url: other.url, headers: [{ name: "authorization" }] } });
  await eventually(async () =>
    expect(await sent(merchantId, other)).toEqual({
      authorization: "Bearer of-the-other",
      tenant: undefined,
    }),
  );
});

test("values that were given for one URL reach no other one, whatever is asked meanwhile or sent again", async () => {
  const { receiver, merchantId, endpointId } = await withHeaders();
  const { url: elsewhere } = await harness.startReceiver();
  const headers = await sealHeaders(harness, { for: endpointId, url: receiver.url, headers: GIVEN });
  const asked = { merchantId, endpointId, headers };
  const faults = [expect.objectContaining({ field: "headers", code: "required" })];
  const changing = operations.changeMerchantWebhook.command;
  expect(faultsOf(await harness.operate(changing, { ...asked, url: elsewhere }))).toEqual(faults);
  await change(merchantId, endpointId, { url: elsewhere, headers: [] });
  expect(faultsOf(await harness.operate(changing, asked))).toEqual(faults);
  const created = await sealHeaders(harness, { for: merchantId, url: receiver.url, headers: GIVEN });
  const adding = operations.createMerchantWebhook.command;
  const another = { merchantId, url: `${elsewhere}/2`, events: ["payment.captured" as const] };
  expect(
    faultsOf(await harness.operate(adding, { ...another, headers: created, recipientKey: "unused" })),
  ).toEqual(faults);
  expect(await endpointsOf(harness, merchantId)).toMatchObject([{ url: elsewhere }]);
});

test("the default endpoint's URL is not changed away from its headers either, and they end with the endpoint", async () => {
  const { merchantId } = await harness.enable();
  await change(merchantId, merchantId, { headers: GIVEN });
  const { url } = await harness.startReceiver();
  const put = { merchantId, url, recipientKey: "unused" };
  const reply = await harness.operate(operations.putMerchantWebhook.command, put);
  expect(faultsOf(reply)).toEqual([expect.objectContaining({ field: "headers", code: "required" })]);
  await harness.disable(merchantId);
  expect(
    await harness.query("select headers, header_names from webhooks.endpoint where endpoint_id = $1", [
      merchantId,
    ]),
  ).toEqual([{ headers: null, header_names: [] }]);
  await harness.enable(url, merchantId);
  expect((await endpointsOf(harness, merchantId))[0]).not.toHaveProperty("headers");
});

test("sealed headers are for one endpoint, and a new header has a value", async () => {
  const { merchantId, endpointId, receiver } = await withHeaders();
  const another = await withHeaders();
  const sealed = await sealHeaders(harness, { for: endpointId, url: receiver.url, headers: GIVEN });
  const moved = { merchantId: another.merchantId, endpointId: another.endpointId, headers: sealed };
  expect(await harness.operate(operations.changeMerchantWebhook.command, moved)).toMatchObject({
    outcome: "not_started",
  });
  expect(faultsOf(await change(merchantId, endpointId, { headers: [{ name: "x-new" }] }))).toEqual([
    expect.objectContaining({ field: "headers.0.value", code: "required" }),
  ]);
  const { url } = await harness.startReceiver();
  const { reply } = await askForEndpoint(harness, merchantId, { url, headers: [{ name: "x-new" }] });
  expect(faultsOf(reply)).toEqual([expect.objectContaining({ field: "headers.0.value", code: "required" })]);
});

test("a receiver that repeats its request puts no value into the log of attempts or the answer of a test", async () => {
  const { receiver, merchantId, endpointId } = await withHeaders();
  receiver.behave({ kind: "status", status: 400, body: `{"authorization":"${VALUE}","tenant":"shop 7"}` });
  const shown = '{"authorization":"…","tenant":"…"}';
  const tested = await harness.operate(operations.testWebhookEndpoint.command, { merchantId, endpointId });
  expect(tested).toMatchObject({ result: { responseSnippet: shown } });
  await harness.publish(newEvent({ merchantId }));
  await eventually(async () =>
    expect(
      (
        await harness.query("select snippet from webhooks.attempt where endpoint_id = $1 limit 1", [
          endpointId,
        ])
      ).at(0),
    ).toEqual({ snippet: shown }),
  );
  receiver.behave({ kind: "status", status: 200 });
});

test("values are stored and logged nowhere in plain, and move to a new key with the secrets", async () => {
  const { receiver, merchantId } = await withHeaders();
  await sent(merchantId, receiver);
  const rows = await harness.query("select endpoint::text as text from webhooks.endpoint");
  const audit = await harness.query("select audit_entry::text as text from webhooks.audit_entry");
  const everything = JSON.stringify([rows, audit, harness.lines]);
  expect(everything).toContain("x-tenant");
  for (const text of [VALUE, "shop 7", Buffer.from(VALUE).toString("hex")])
    expect(everything).not.toContain(text);

  let printed = "";
  const env = { ...harness.environment("webhook-dispatcher"), WEBHOOK_SECRET_KEYS: `${K2},${K1}` };
  expect(await keysCommand(webhookKeys, ["reencrypt"], env, (text) => (printed += text))).toBe(0);
  expect(printed).toContain("endpoints' secrets encrypted again under k2");
  await harness.stopAll();
  await harness.start({ WEBHOOK_SECRET_KEYS: K2 });
  expect(await sent(merchantId, receiver)).toEqual({ authorization: VALUE, tenant: "shop 7" });
});
