import { randomUUID, randomUUIDv7 } from "node:crypto";
import { operations, staffVersionOf, type MessageContext, type WebhookManagers } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import { eventually, STAFF_AUDIENCE, type LedgerReceiver } from "@holdfast/tests/support";
import { verifyWebhook } from "@holdfast/webhook-signature";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { addEndpoint, endpointsOf, sealHeaders } from "./endpoints.ts";
import { newEvent } from "./events.ts";

// A merchant's own API keys change its endpoints, if an operator allows it. Each test has a merchant of its
// own.
let harness: DispatcherHarness;
beforeAll(async () => {
  harness = await startDispatcherHarness();
});
afterAll(() => harness.close());

const as = (merchantId: string): Partial<MessageContext> => ({ merchant: { merchantId } });
const letChange = (merchantId: string, managedBy: WebhookManagers) =>
  harness.operate(operations.setWebhookManagement.command, { merchantId, managedBy });

async function merchantWith(managedBy?: WebhookManagers) {
  const receiver = await harness.startReceiver();
  const { merchantId, secret } = await harness.enable(receiver.url);
  if (managedBy) await letChange(merchantId, managedBy);
  return { receiver, merchantId, secret };
}

const auditOf = async (merchantId: string) =>
  (
    await harness.query<{ actor: string; action: string; detail: string }>(
      "select actor, action, detail from webhooks.audit_entry where subject = $1 order by sequence",
      [merchantId],
    )
  ).map(({ detail, ...line }) => ({ ...line, ...(JSON.parse(detail) as Record<string, unknown>) }));

const changesAt = ({ ledger }: LedgerReceiver) =>
  ledger
    .filter(({ headers }) => headers["x-event-type"] === "webhook.endpoint_changed")
    .map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);

/** Every change that a key can ask for, of an endpoint. */
function everyChange(merchantId: string, endpointId: string, url: string) {
  const { publicKey: recipientKey } = createReplyRecipient();
  const by = as(merchantId);
  const events = ["payment.status_changed" as const];
  return [
    () => harness.call(operations.createWebhook.command, { url, events, recipientKey }, by),
    () => harness.call(operations.changeWebhook.command, { endpointId, url }, by),
    () => harness.call(operations.rotateWebhookSecret.command, { endpointId, recipientKey }, by),
    () => harness.call(operations.activateWebhookSecret.command, { endpointId }, by),
    () => harness.call(operations.removeWebhook.command, { endpointId }, by),
  ];
}

test.each<[WebhookManagers | undefined]>([[undefined], ["staff"], ["operators"]])(
  "with the setting %s a key changes nothing, and the attempt is audited once an hour",
  async (managedBy) => {
    const { receiver, merchantId, secret } = await merchantWith(managedBy);
    const { url: elsewhere } = await harness.startReceiver();
    for (const change of everyChange(merchantId, merchantId, elsewhere))
      expect(await change()).toMatchObject({ outcome: "problem", code: "webhook_change_not_allowed" });
    expect(await harness.call(operations.listWebhooks.command, {}, as(merchantId))).toMatchObject({
      result: { items: [{ url: receiver.url, secretVersion: 1 }], managedBy: managedBy ?? "staff" },
    });
    const refused = (await auditOf(merchantId)).filter(({ action }) => action === "webhook.change_refused");
    expect(refused).toMatchObject([
      { actor: `merchant ${merchantId}`, change: "create", managedBy: managedBy ?? "staff" },
    ]);
    await harness.publish(newEvent({ merchantId }));
    await eventually(() =>
      expect(verifyWebhook(receiver.ledger[0]!, { secret, now: Date.now() })).toMatchObject({ valid: true }),
    );
  },
);

test("with the setting api a key adds, changes, switches and removes endpoints, and rotates their secret", async () => {
  const { merchantId } = await merchantWith("api");
  const [first, second] = [await harness.startReceiver(), await harness.startReceiver()];
  const by = as(merchantId);
  const recipient = createReplyRecipient();
  const recipientKey = recipient.publicKey;
  const events = ["payment.status_changed" as const];
  const headers = await sealHeaders(harness, {
    for: merchantId,
    url: first.url,
    headers: [{ name: "x-tenant", value: "shop-7" }],
  });
  const asked = { url: first.url, events, headers, recipientKey };
  const made = await harness.call(operations.createWebhook.command, asked, by);
  if (made.outcome !== "done") throw new Error(JSON.stringify(made));
  const { endpointId } = made.result.endpoint;
  const secret = recipient.open(made.result.secret);
  await harness.publish(newEvent({ merchantId }));
  await eventually(() =>
    expect(verifyWebhook(first.ledger[0]!, { secret, now: Date.now() })).toMatchObject({ valid: true }),
  );
  expect(first.ledger[0]!.headers).toMatchObject({ "x-tenant": "shop-7" });

  const change = operations.changeWebhook.command;
  expect(await harness.call(change, { endpointId, url: "https://10.0.0.1/hook" }, by)).toMatchObject({
    code: "validation_failed",
    extra: { errors: [{ field: "url" }] },
  });
  const given = await sealHeaders(harness, { for: endpointId, url: second.url, headers: [] });
  expect(await harness.call(change, { endpointId, url: second.url, headers: given }, by)).toMatchObject({
    result: { url: second.url },
  });
  const off = { endpointId, enabled: false, whileOff: "skip" } as const;
  expect(await harness.call(change, off, by)).toMatchObject({ result: { enabled: false } });
  const rotated = await harness.call(
    operations.rotateWebhookSecret.command,
    { endpointId, recipientKey },
    by,
  );
  expect(rotated).toMatchObject({ outcome: "done" });
  expect(await harness.call(operations.activateWebhookSecret.command, { endpointId }, by)).toMatchObject({
    outcome: "done",
  });
  expect(await harness.call(operations.removeWebhook.command, { endpointId }, by)).toMatchObject({
    outcome: "done",
  });
  expect((await auditOf(merchantId)).slice(2)).toMatchObject(
    [
      "endpoint_added",
      "endpoint_changed",
      "switched_off",
      "secret_rotated",
      "secret_activated",
      "turned_off",
    ].map((action) => ({ actor: `merchant ${merchantId}`, action: `webhook.${action}`, endpointId })),
  );
});

test("a merchant's keys change no endpoint of another", async () => {
  const [mine, theirs] = [await merchantWith("api"), await merchantWith("api")];
  const { url } = await harness.startReceiver();
  for (const change of everyChange(mine.merchantId, theirs.merchantId, url).slice(1))
    expect(await change()).toMatchObject({ code: "webhook_not_found" });
  expect(await endpointsOf(harness, theirs.merchantId)).toMatchObject([{ url: theirs.receiver.url }]);
});

test("each change reaches the merchant's other endpoints, and says who has made it", async () => {
  const { merchantId } = await merchantWith("api");
  const observer = await harness.startReceiver();
  await addEndpoint(harness, merchantId, { url: observer.url, events: ["webhook.endpoint_changed"] });
  const { publicKey: recipientKey } = createReplyRecipient();
  const [from, to] = [await harness.startReceiver(), await harness.startReceiver()];
  const { endpointId } = await addEndpoint(harness, merchantId, { url: from.url });
  const by = as(merchantId);
  await harness.call(operations.changeWebhook.command, { endpointId, url: to.url }, by);
  await harness.call(operations.rotateWebhookSecret.command, { endpointId, recipientKey }, by);
  await harness.call(operations.activateWebhookSecret.command, { endpointId }, by);
  const about = { endpointId, default: false };
  await eventually(() =>
    expect(changesAt(observer).toSorted(byChange)).toEqual([
      { ...about, change: "ADDED", by: "operators" },
      { ...about, change: "CHANGED", fields: ["url"], by: "api" },
      { ...about, change: "SECRET_ACTIVATED", by: "api" },
      { ...about, change: "SECRET_ROTATED", by: "api" },
    ]),
  );
  // No endpoint gets another endpoint's URL.
  expect(observer.ledger.map(({ body }) => body.toString()).join()).not.toContain(to.url);
});

test("no key silences the endpoint that reports changes: people change it", async () => {
  const { merchantId } = await merchantWith("api");
  const { url } = await harness.startReceiver();
  const observed = { url, events: ["webhook.endpoint_changed" as const] };
  const { endpointId } = await addEndpoint(harness, merchantId, observed);
  const { url: elsewhere } = await harness.startReceiver();
  const off = { endpointId, enabled: false, whileOff: "skip" } as const;
  const events = ["payment.status_changed" as const];
  const changing = operations.changeWebhook.command;
  for (const change of [
    ...everyChange(merchantId, endpointId, elsewhere).slice(1),
    () => harness.call(changing, off, as(merchantId)),
    () => harness.call(changing, { endpointId, events }, as(merchantId)),
  ])
    expect(await change()).toMatchObject({ outcome: "problem", code: "webhook_change_not_allowed" });
  expect((await endpointsOf(harness, merchantId))[1]).toMatchObject({
    ...observed,
    enabled: true,
    secretVersion: 1,
  });
  expect(
    await harness.operate(operations.changeMerchantWebhook.command, { merchantId, ...off }),
  ).toMatchObject({ result: { enabled: false } });
});

const byChange = (a: Record<string, unknown>, b: Record<string, unknown>) =>
  String(a["change"]) < String(b["change"]) ? -1 : 1;

test("two requests at once that switch an endpoint leave one state and one line for each change", async () => {
  const { merchantId } = await merchantWith("api");
  const change = operations.changeWebhook.command;
  const off = { endpointId: merchantId, enabled: false, whileOff: "wait" } as const;
  const both = [off, off].map((asked) => harness.call(change, asked, as(merchantId)));
  for (const reply of await Promise.all(both)) expect(reply).toMatchObject({ result: { enabled: false } });
  const on = { endpointId: merchantId, enabled: true, waiting: "deliver" } as const;
  await Promise.all([
    harness.call(change, on, as(merchantId)),
    harness.operate(operations.changeMerchantWebhook.command, { merchantId, ...on }),
  ]);
  const switched = (await auditOf(merchantId)).filter(({ action }) => action.startsWith("webhook.switched"));
  expect(switched.map(({ action }) => action)).toEqual(["webhook.switched_off", "webhook.switched_on"]);
});

test("with the setting operators a merchant's staff changes nothing either", async () => {
  const { receiver, merchantId } = await merchantWith("operators");
  const claims = { aud: STAFF_AUDIENCE, sub: "mina", merchant_id: merchantId, roles: ["developer"] };
  const staff = async (endpointId: string) =>
    await harness.request(
      staffVersionOf(operations.removeMerchantWebhook.command),
      {
        requestId: randomUUID(),
        deadlineAt: Date.now() + 50_000,
        staff: { token: await harness.identity.token({ claims }), livemode: true },
        settings: {},
      },
      { merchantId, endpointId },
    );
  expect(await staff(merchantId)).toMatchObject({ code: "webhook_change_not_allowed" });
  expect(await endpointsOf(harness, merchantId)).toMatchObject([{ url: receiver.url }]);
  await letChange(merchantId, "staff");
  expect(await staff(randomUUIDv7())).toMatchObject({ code: "webhook_not_found" });
  expect(await staff(merchantId)).toMatchObject({ outcome: "done" });
  const lines = await auditOf(merchantId);
  expect(lines.filter(({ action }) => action === "webhook.management_set")).toMatchObject([
    { from: "staff", to: "operators" },
    { from: "operators", to: "staff" },
  ]);
});
