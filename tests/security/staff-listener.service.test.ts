// People of a merchant's staff: their identity, their audit entries, and the fields that they do not see.
import { randomUUID } from "node:crypto";
import { endCredential, makeCredential, operations, staffVersionOf } from "@holdfast/contracts";
import { connectBus, request } from "@holdfast/messaging";
import { createReplyRecipient } from "@holdfast/sealing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventually, personAs, STAFF_AUDIENCE } from "../support/index.ts";
import { startStaffSystem, type StaffSystem } from "./staff-system.ts";

let system: StaffSystem;
beforeAll(async () => void (system = await startStaffSystem()));
afterAll(() => system.close());

const LIST = { method: "GET", path: "/staff/payments" } as const;

async function audited(service: string, subject: string) {
  return await system.query<{ actor: string; action: string; detail: string }>(
    `select actor, action, detail from ${service}.audit_entry where subject = $1 order by sequence`,
    [subject],
  );
}

describe("nobody signs in", () => {
  test.each<[string, Record<string, unknown>]>([
    ["with a token that names no merchant", { merchant_id: null }],
    ["with one that names the merchant's test mode", { merchant_id: "0199aaaa-0000-8000-8000-000000000001" }],
    ["with one that names something else", { merchant_id: "demo" }],
    ["with one that names several", { merchant_id: [randomUUID()] }],
    ["with an operator's token", { aud: "holdfast-operator-api" }],
    ["with one about nobody", { sub: "" }],
  ])("%s", async (_case, claims) => {
    const answer = await system.ask(system.shops.mine, LIST, { claims });
    expect(answer.status, answer.text).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  });

  test("with a token of staff at the operators' listener", async () => {
    const token = await system.identity.token({
      claims: {
        aud: STAFF_AUDIENCE,
        sub: "mina",
        merchant_id: system.shops.mine.merchantId,
        roles: ["admin"],
      },
    });
    const headers = { authorization: `Bearer ${token}` };
    expect((await system.operate({ method: "GET", path: "/operator/merchants", headers })).status).toBe(401);
  });
});

test("without a role a person may do nothing, and so may the staff of no merchant or a suspended one", async () => {
  const { mine } = system.shops;
  expect((await system.ask(mine, LIST, { roles: [] })).status).toBe(403);
  // Operators' roles mean nothing for staff.
  expect((await system.ask(mine, LIST, { claims: { roles: ["viewer", "admin"] } })).status).toBe(403);
  const nobodys = { merchantId: "0199aaaa-0000-7000-8000-000000000001" };
  expect((await system.ask(nobodys, LIST)).status).toBe(403);
  const path = `/operator/merchants/${mine.merchantId}`;
  const suspend = (status: string) => system.operate({ method: "PATCH", path, body: { status } });
  await suspend("SUSPENDED");
  expect((await system.ask(mine, LIST)).status).toBe(403);
  await suspend("ACTIVE");
  expect((await system.ask(mine, LIST)).status).toBe(200);
});

test("a person whom operators refuse is refused here, too", async () => {
  const { mine } = system.shops;
  const body = { subject: "leyla", reason: "has left" };
  await system.operate({ method: "POST", path: "/operator/refused-operators", body });
  expect((await system.ask(mine, LIST, { name: "leyla" })).text).toContain("operator_refused");
  const shown = { method: "GET", path: "/operator/merchants" };
  expect((await system.operate(shown, { sub: "leyla" })).text).toContain("operator_refused");
});

test("an operator of the same name as a refused person of staff still works, and the other way round", async () => {
  const { mine } = system.shops;
  const refuse = async (subject: string, kind: string) =>
    await system.operate({
      method: "POST",
      path: "/operator/refused-operators",
      body: { subject, kind, reason: "has left" },
    });
  const shown = { method: "GET", path: "/operator/merchants" };
  expect(JSON.parse((await refuse("selin", "staff")).text)).toMatchObject({ kind: "staff" });
  expect((await system.ask(mine, LIST, { name: "selin" })).text).toContain("operator_refused");
  expect((await system.operate(shown, { sub: "selin" })).status).toBe(200);
  await refuse("kerem", "operator");
  expect((await system.operate(shown, { sub: "kerem" })).text).toContain("operator_refused");
  expect((await system.ask(mine, LIST, { name: "kerem" })).status).toBe(200);
  const admit = { method: "DELETE", path: "/operator/refused-operators/selin?kind=staff" };
  expect((await system.operate(admit)).status).toBe(204);
  expect((await system.ask(mine, LIST, { name: "selin" })).status).toBe(200);
});

test("a capture is carried out once under a key, and its history names the person", async () => {
  const { mine } = system.shops;
  const payment = await system.authorize(mine);
  const capture = {
    method: "POST",
    path: `/staff/payments/${payment}/capture`,
    body: { amount: 20, currency: "TRY" },
    headers: { "idempotency-key": randomUUID() },
  };
  const first = await system.ask(mine, capture, { name: "deniz", roles: ["refunds"] });
  expect(first.status, first.text).toBe(200);
  const again = await system.ask(mine, capture, { name: "deniz", roles: ["refunds"] });
  expect({ text: again.text, replayed: again.headers.get("idempotent-replayed") }).toEqual({
    text: first.text,
    replayed: "true",
  });
  const entries = await audited("payments", payment);
  expect(entries).toMatchObject([{ actor: "deniz", action: "payment.capture_requested" }]);
  expect(JSON.parse(entries[0]!.detail)).toMatchObject({ staffOf: mine.merchantId, amount: "20" });
  const life = await system.ask(mine, { method: "GET", path: `/staff/payments/${payment}` });
  expect(JSON.parse(life.text)).toMatchObject({ actions: [{ actor: "deniz" }] });
});

test("a cancellation is written down with its reason", async () => {
  const { mine } = system.shops;
  const payment = await system.authorize(mine);
  const path = `/staff/payments/${payment}/cancel`;
  const cancel = { method: "POST", path, body: { reason: "sold out" } };
  expect((await system.ask(mine, cancel, { name: "deniz" })).status).toBe(200);
  const [entry] = await audited("payments", payment);
  expect(entry).toMatchObject({ actor: "deniz", action: "payment.cancel_requested" });
  expect(JSON.parse(entry!.detail)).toMatchObject({ reason: "sold out", staffOf: mine.merchantId });
});

test("who requests a refund as staff does not approve it as an operator, and staff are not told who decides", async () => {
  const { mine } = system.shops;
  const asked = await system.ask(
    mine,
    {
      method: "POST",
      path: `/staff/payments/${mine.things.payment}/refunds`,
      body: { amount: 2.5, currency: "TRY", reason: "damaged" },
      headers: { "idempotency-key": randomUUID() },
    },
    { name: "olga", roles: ["refunds"] },
  );
  expect(asked.status, asked.text).toBe(202);
  const { refundId } = JSON.parse(asked.text) as { refundId: string };
  expect(asked.headers.get("location")).toBe(`/staff/refunds/${refundId}`);
  expect(await audited("refunds", refundId)).toMatchObject([{ actor: "olga", action: "refund.requested" }]);
  const decide = (name: string) =>
    system.operate(
      { method: "POST", path: `/operator/refunds/${refundId}/approve`, body: {} },
      { sub: name },
    );
  const asOperator = await system.operate({ method: "GET", path: `/operator/refunds/${refundId}` });
  expect(JSON.parse(asOperator.text)).toMatchObject({ requestedBy: "olga", requestedByStaff: true });
  const own = await decide("olga");
  expect({ status: own.status, text: own.text }).toMatchObject({
    status: 403,
    text: expect.stringContaining("same_person"),
  });
  expect((await decide("cem")).status).toBe(200);
  await eventually(async () => {
    const shown = await system.ask(mine, { method: "GET", path: `/staff/refunds/${refundId}` });
    expect(JSON.parse(shown.text)).toMatchObject({ state: "SUCCESS", requestedBy: "olga", approvedBy: [] });
  });
});

test("an API key that staff make is their merchant's, and its audit line names the person", async () => {
  const { mine } = system.shops;
  const add = {
    method: "POST",
    path: "/staff/credentials",
    headers: { "idempotency-key": "make-one" },
    body: { addresses: ["203.0.113.0/24"] },
  };
  const made = await system.ask(mine, add, { name: "deniz", roles: ["developer"] });
  expect(made.status, made.text).toBe(201);
  const { merchantId, apiKey, apiSecret } = JSON.parse(made.text) as Record<string, string>;
  expect({ merchantId, hasSecret: apiSecret !== undefined }).toEqual({
    merchantId: mine.merchantId,
    hasSecret: true,
  });
  // A person who moves to another merchant takes no answers along.
  const elsewhere = await system.ask(system.shops.theirs, add, { name: "deniz", roles: ["developer"] });
  expect(JSON.parse(elsewhere.text)).toMatchObject({ merchantId: system.shops.theirs.merchantId });
  const revoke = { method: "DELETE", path: `/staff/credentials/${apiKey}` };
  expect((await system.ask(mine, revoke, { name: "deniz" })).status).toBe(204);
  const entries = (await audited("gateway", mine.merchantId)).filter(({ actor }) => actor === "deniz");
  expect(entries.map(({ action }) => action)).toEqual(["credential.added", "credential.revoked"]);
  expect(JSON.parse(entries[0]!.detail)).toMatchObject({ staffOf: mine.merchantId });
  const own = await system.ask(mine, { method: "GET", path: "/staff/merchant" });
  expect(own.text).toContain(apiKey!);
  expect(own.text).toContain('"addresses":["203.0.113.0/24"]');
  expect(own.text).not.toContain("issuedBy");
});

test("staff set the URL of their merchant's default endpoint, in each mode", async () => {
  const { mine } = system.shops;
  const url = "https://127.0.0.1:9/moved";
  const put = (query: string) =>
    system.ask(
      mine,
      { method: "PUT", path: `/staff/webhook${query}`, body: { url } },
      { roles: ["developer"] },
    );
  const [moved, first] = [await put(""), await put("?livemode=false")];
  expect([moved.status, first.status], first.text).toEqual([200, 201]);
  expect(JSON.parse(first.text)).toMatchObject({ url, secret: expect.any(String) });
  for (const query of ["", "?livemode=false"]) {
    const listed = await system.ask(mine, { method: "GET", path: `/staff/webhooks${query}` });
    const { items } = JSON.parse(listed.text) as { items: { default: boolean; url: string }[] };
    expect(items.filter((endpoint) => endpoint.default)).toMatchObject([{ url }]);
  }
});

test("what a role does not allow is written down", async () => {
  const { mine } = system.shops;
  const path = `/staff/payments/${mine.things.payment}/cancel`;
  await system.ask(mine, { method: "POST", path, body: {} }, { name: "selim", roles: ["support"] });
  const entries = await audited("gateway", mine.things.payment);
  expect(entries).toMatchObject([{ actor: "selim", action: "access.refused" }]);
});

test("who signed in more than fifteen minutes ago reads, and moves no money and makes no key until they sign in again", async () => {
  const { mine } = system.shops;
  const payment = await system.authorize(mine);
  const before = await system.stateOf(mine);
  const old = { claims: { auth_time: Math.floor(Date.now() / 1_000) - 960 } };
  const body = { amount: 1, currency: "TRY" };
  const requests = [
    { method: "POST", path: `/staff/payments/${payment}/capture`, body },
    { method: "POST", path: `/staff/payments/${payment}/cancel`, body: {} },
    { method: "POST", path: `/staff/payments/${payment}/refunds`, body: { ...body, reason: "damaged" } },
    { method: "POST", path: "/staff/credentials", body: {} },
    { method: "DELETE", path: `/staff/credentials/${mine.things.apiKey}` },
  ];
  for (const request of requests) {
    const answer = await system.ask(mine, request, old);
    expect(answer.status, request.path).toBe(401);
    expect(JSON.parse(answer.text)).toMatchObject({
      code: "insufficient_user_authentication",
      maxAge: 900,
    });
    expect(answer.headers.get("www-authenticate")).toBe(
      'Bearer error="insufficient_user_authentication", max_age="900"',
    );
  }
  expect(await system.stateOf(mine)).toEqual(before);
  expect((await system.ask(mine, LIST, old)).status).toBe(200);
  expect((await system.ask(mine, requests[0]!)).status).toBe(200);
});

describe("an attacker who has taken the listener over", () => {
  type Sent =
    | typeof operations.getOperatorPayment.command
    | typeof operations.capture.command
    | typeof operations.cancel.command
    | typeof operations.requestRefundForMerchant.command
    | typeof makeCredential
    | typeof endCredential;
  async function send(token: string, command: Sent, more: object = {}) {
    const bus = await connectBus({
      url: system.nats.url,
      name: "gateway-staff",
      ...system.busLogin("gateway-staff"),
    });
    onTestFinished(() => bus.close(500));
    const { theirs } = system.shops;
    const context = {
      requestId: randomUUID(),
      deadlineAt: Date.now() + 60_000,
      staff: { token, livemode: true },
      settings: {},
      merchant: { merchantId: theirs.merchantId },
    };
    const payload = { paymentId: theirs.things.payment, operationId: randomUUID(), ...more };
    const own = staffVersionOf(command as typeof operations.getOperatorPayment.command);
    return await request(bus, own, context, payload, {
      waitUntil: Date.now() + 60_000,
      traceparent: "",
    });
  }

  const tokenOf = (roles: string[], claims: Record<string, unknown> = {}) =>
    system.identity.token({
      claims: {
        aud: STAFF_AUDIENCE,
        sub: "mina",
        merchant_id: system.shops.mine.merchantId,
        roles,
        ...claims,
      },
    });

  test("cannot move money with the token of a person who signed in too long ago", async () => {
    const old = { auth_time: Math.floor(Date.now() / 1_000) - 960 };
    const token = await tokenOf(["owner"], old);
    const refused = { code: "insufficient_user_authentication" };
    expect(await send(token, operations.capture.command)).toMatchObject(refused);
    expect(await send(token, operations.cancel.command)).toMatchObject(refused);
    const refund = {
      refundId: randomUUID(),
      merchantId: system.shops.mine.merchantId,
      amountMinor: "1",
      currency: "TRY",
      reason: "damaged",
    };
    expect(await send(token, operations.requestRefundForMerchant.command, refund)).toMatchObject(refused);
    expect(await send(token, operations.getOperatorPayment.command)).toMatchObject({
      code: "payment_not_found",
    });
  });

  test("cannot act without a person's token, nor with one beyond the person's merchant and role", async () => {
    expect(await send("made.up.token", operations.getOperatorPayment.command)).toMatchObject({
      code: "unauthorized",
    });
    expect(await send(await system.identity.token(), operations.getOperatorPayment.command)).toMatchObject({
      code: "unauthorized",
    });
    expect(await send(await tokenOf(["owner"]), operations.getOperatorPayment.command)).toMatchObject({
      code: "payment_not_found",
    });
    expect(await send(await tokenOf(["support"]), operations.capture.command)).toMatchObject({
      code: "forbidden",
    });
  });

  test("makes and revokes keys of the merchant that a token names, whatever merchant the message names", async () => {
    const { mine, theirs } = system.shops;
    const keysOf = async ({ merchantId }: { merchantId: string }) =>
      await system.query(
        "select api_key, issued_by, revoked_at is null as usable from gateway.credential where merchant_id = $1 order by created_at",
        [merchantId],
      );
    const before = { mine: await keysOf(mine), theirs: await keysOf(theirs) };
    const recipient = createReplyRecipient();
    const make = { merchantId: theirs.merchantId, livemode: true, recipientKey: recipient.publicKey };
    const end = { merchantId: theirs.merchantId, apiKey: theirs.things.apiKey };
    expect(await send("made.up.token", makeCredential, make)).toMatchObject({ code: "unauthorized" });
    expect(await send(await tokenOf(["support"]), makeCredential, make)).toMatchObject({ code: "forbidden" });
    const old = await tokenOf(["owner"], { auth_time: Math.floor(Date.now() / 1_000) - 960 });
    const stale = { code: "insufficient_user_authentication" };
    expect(await send(old, makeCredential, make)).toMatchObject(stale);
    expect(await send(old, endCredential, end)).toMatchObject(stale);
    const owner = await tokenOf(["owner"]);
    expect(await send(owner, endCredential, end)).toMatchObject({ code: "credential_not_found" });
    expect({ mine: await keysOf(mine), theirs: await keysOf(theirs) }).toEqual(before);
    expect(await send(owner, makeCredential, make)).toMatchObject({ outcome: "done" });
    const [added] = (await keysOf(mine)).slice(before.mine.length);
    expect(added).toMatchObject({ issued_by: expect.stringMatching(/^staff.*mina$/), usable: true });
    expect(await keysOf(theirs)).toEqual(before.theirs);
  });
});

test("each mode has its own lists, and what is of the other one is not there", async () => {
  const { theirs } = system.shops;
  const test = await system.ask(theirs, { method: "GET", path: "/staff/payments?livemode=false" });
  expect(JSON.parse(test.text)).toEqual({ items: [] });
  const path = `/staff/payments/${theirs.things.payment}?livemode=false`;
  expect((await system.ask(theirs, { method: "GET", path })).status).toBe(404);
});

test("a merchant's own refund shows in the staff's queue without what operators see of it", async () => {
  const { mine } = system.shops;
  const refundId = randomUUID();
  const refund = { refundId, paymentId: mine.things.payment, amountMinor: "100", currency: "TRY" };
  await system.call(operations.requestRefund.command, refund, {
    merchant: { merchantId: mine.merchantId, credentialIssuedBy: personAs("omer", "staff") },
  });
  const listed = await system.ask(mine, {
    method: "GET",
    path: "/staff/refunds?status=PENDING_APPROVAL",
  });
  expect(listed.text).toContain(refundId);
  expect(listed.text).not.toContain("omer");
});
