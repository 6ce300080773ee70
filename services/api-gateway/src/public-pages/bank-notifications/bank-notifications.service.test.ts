import { randomUUID } from "node:crypto";
import { takeBankNotification, type CommandReply, type TakeBankNotification } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { eventually, serveCommands } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { http, type HttpRequest } from "../../../test/http-client.ts";
import { expectProblem } from "../../../test/problems.ts";
import { startTestGateway, type TestGateway } from "../../../test/test-gateway.ts";

let gateway: TestGateway;
let payments: Awaited<ReturnType<typeof serveCommands>>;
let answer: () => Promise<CommandReply<{ isGenuine: boolean }>>;
const taken: TakeBankNotification[] = [];
const ACCOUNT = randomUUID();
const isGenuine = (is: boolean) => async () => ({ outcome: "done", result: { isGenuine: is } }) as const;

beforeAll(async () => {
  gateway = await startTestGateway();
  payments = await serveCommands(gateway.nats.url, "payments", [
    handler(takeBankNotification, async ({ payload }) => {
      taken.push(payload);
      return await answer();
    }),
  ]);
});
beforeEach(() => {
  taken.length = 0;
  answer = isGenuine(true);
});
afterAll(async () => {
  await payments.stop();
  await gateway.stop();
});

const notify = (request: Partial<HttpRequest> = {}, port = gateway.ports.public) =>
  http(port, {
    method: "POST",
    path: `/bank-notifications/${ACCOUNT}`,
    headers: { "content-type": "application/json", "x-iyz-signature-v3": "5f" },
    body: '{"status":"SUCCESS"}',
    ...request,
  });

describe("what a bank sends to an account's address", () => {
  test("reaches payments as it came, with the headers that may sign it and no others", async () => {
    const body = Buffer.from([0x00, 0xff, 0x7b]);
    const headers = {
      "content-type": "application/octet-stream",
      "X-IYZ-SIGNATURE-V3": "5f",
      signature: ["one", "two"],
      "x-long-signature": "x".repeat(2_000),
      authorization: "Basic c2VjcmV0",
      cookie: "a=b",
    };
    expect(await notify({ body, headers })).toMatchObject({ status: 200, text: "{}" });
    expect(taken).toEqual([
      { accountId: ACCOUNT, headers: { "x-iyz-signature-v3": "5f" }, body: body.toString("base64") },
    ]);
  });

  test("that does not prove its sender is refused, in the same words as one for no account at all", async () => {
    answer = isGenuine(false);
    const forged = await notify();
    const nowhere = await notify({ path: "/bank-notifications/no-account" });
    for (const refused of [forged, nowhere]) expectProblem(refused, "unauthorized");
    const { requestId: _one, instance: _first, ...said } = forged.body;
    const { requestId: _other, instance: _second, ...alike } = nowhere.body;
    expect(said).toEqual(alike);
    expect(taken).toHaveLength(1);
  });

  test.each<[string, CommandReply<never>]>([
    ["was not begun", { outcome: "not_started" }],
    ["may have been taken", { outcome: "in_doubt" }],
  ])("is to be sent again where it %s", async (_, reply) => {
    answer = async () => reply;
    expectProblem(await notify(), "service_unavailable");
  });

  test("is bounded, and of any media type but compressed", async () => {
    expect(await notify({ body: "x".repeat(16_384), headers: {} })).toMatchObject({ status: 200 });
    expectProblem(await notify({ body: "x".repeat(16_385) }), "payload_too_large");
    expectProblem(await notify({ body: "x".repeat(40_000) }), "payload_too_large");
    expectProblem(await notify({ headers: { "content-encoding": "gzip" } }), "unsupported_media_type");
    expectProblem(await notify({ method: "GET", body: "" }), "method_not_allowed");
    expect(taken).toHaveLength(1);
  });

  test("is in no log line, neither its body nor its signature nor its account", async () => {
    await notify({
      body: '{"paymentConversationId":"of-the-payment"}',
      headers: { "x-iyz-signature-v3": "5i9n" },
    });
    const line = await eventually(async () =>
      gateway.requestLines().find(({ route }) => route === "/bank-notifications/{accountId}"),
    );
    expect(line).toMatchObject({ method: "POST", statusCode: 200 });
    expect(JSON.stringify(gateway.lines)).not.toMatch(/of-the-payment|5i9n/);
    expect(JSON.stringify(gateway.lines)).not.toContain(ACCOUNT);
  });

  test("is not served where merchants and operators are", async () => {
    expect(await notify({}, gateway.ports.merchant)).toMatchObject({ status: 404 });
    expect(await notify({}, gateway.ports.operator)).toMatchObject({ status: 404 });
    expect(taken).toEqual([]);
  });
});

test("a flood from one address is refused, and takes nothing from other addresses and from pages", async () => {
  const limited = await startTestGateway({ BANK_NOTIFICATIONS_PER_MINUTE_PER_IP: "2" });
  onTestFinished(() => limited.stop());
  const served = await serveCommands(limited.nats.url, "payments", [
    handler(takeBankNotification, isGenuine(false)),
  ]);
  onTestFinished(() => served.stop());
  const { public: port } = limited.ports;
  const statuses = [];
  for (let sent = 0; sent < 4; sent++) statuses.push((await notify({}, port)).status);
  expect(statuses).toEqual([401, 401, 429, 429]);
  const refused = await notify({}, port);
  expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
  expect(await notify({ localAddress: "127.0.0.9" }, port)).toMatchObject({ status: 401 });
  expect((await http(port, { path: "/3ds/return/x" })).status).toBe(404);
});
