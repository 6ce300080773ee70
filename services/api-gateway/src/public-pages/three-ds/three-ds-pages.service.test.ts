import { randomUUID } from "node:crypto";
import {
  completePayment,
  operations,
  readSession,
  type CommandReply,
  type CompletePayment,
  type EnrolledPayment,
  type EnrolPayment,
  type SessionState,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { serveCommands } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { CVV, preAuthorizationBody } from "../../../test/builders.ts";
import { http, type HttpAnswer, type HttpRequest } from "../../../test/http-client.ts";
import { expectCommonHeaders, expectProblem } from "../../../test/problems.ts";
import {
  JSON_TYPE,
  startTestGateway,
  type TestGateway,
  type TestMerchant,
} from "../../../test/test-gateway.ts";
import { recordOf } from "../../../test/test-payments.ts";

const CARD = "4000000000003220";
const CHALLENGE = {
  url: "https://acs.example/challenge",
  fields: { session: "acquirer-session" },
  expiresAt: "2026-11-20T12:10:00.000Z",
};

let gateway: TestGateway;
let merchant: TestMerchant;
let payments: Awaited<ReturnType<typeof serveCommands>>;

/** The commands that payments received, and its answers. */
const enrolments: EnrolPayment[] = [];
const returns: CompletePayment[] = [];
let enrolled: (payload: EnrolPayment) => CommandReply<EnrolledPayment>;
/** The challenge to pass. */
let shown: { expiresAt: string } & ({ url: string; fields: Record<string, string> } | { html: string });
let ended: (payload: CompletePayment) => CommandReply<SessionState>;

const challenged = (payload: EnrolPayment): CommandReply<EnrolledPayment> => ({
  outcome: "done",
  result: { ...recordOf(payload), status: "ENROLLED", challenge: { ...CHALLENGE, pageUrl: payload.pageUrl } },
});
const state = (status: "SUCCESS" | "FAILED" | "CANCELLED" | "ENROLLED", paymentId: string): SessionState => ({
  payment: { ...recordOf({ paymentId, orderId: "order-1" }), status },
  merchantId: merchant.merchantId,
  successUrl: "https://shop.example/yes?a=1",
  failureUrl: "https://shop.example/no",
});

beforeAll(async () => {
  gateway = await startTestGateway();
  merchant = await gateway.createMerchant();
  payments = await serveCommands(gateway.nats.url, "payments", [
    handler(operations.payWith3ds.command, async ({ payload }) => {
      enrolments.push(payload);
      return enrolled(payload);
    }),
    handler(completePayment, async ({ payload }) => {
      returns.push(payload);
      return ended(payload);
    }),
    handler(readSession, async ({ payload }) => ({
      outcome: "pending",
      result: {
        ...state("ENROLLED", payload.paymentId),
        challenge: { ...shown, pageUrl: "https://x" },
      },
    })),
  ]);
});
beforeEach(() => {
  enrolments.length = 0;
  returns.length = 0;
  gateway.lines.length = 0;
  enrolled = challenged;
  shown = CHALLENGE;
  ended = ({ paymentId }) => ({ outcome: "done", result: state("SUCCESS", paymentId) });
});
afterAll(async () => {
  await payments.stop();
  await gateway.stop();
});

const enrol = (fields: Record<string, string | undefined> = {}, headers: Record<string, string> = {}) =>
  gateway.merchantApi({
    method: "POST",
    path: "/api/3ds",
    headers: { ...merchant.headers, ...JSON_TYPE, ...headers },
    body: preAuthorizationBody({
      pan: `"${CARD}"`,
      successUrl: '"https://shop.example/yes"',
      failureUrl: '"https://shop.example/no"',
      ...fields,
    }),
  });
const visit = (request: HttpRequest): Promise<HttpAnswer> => http(gateway.ports.public, request);
const pathOf = (url: string | undefined) => new URL(url ?? "").pathname;
const postForm = (path: string, body: string) =>
  visit({
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body,
  });

/** The paths of the two pages of a payment that has a challenge to pass. */
async function pages() {
  await enrol();
  const { returnUrl, pageUrl, paymentId, sessionId } = enrolments.at(-1)!;
  return { back: pathOf(returnUrl), challenge: pathOf(pageUrl), paymentId, sessionId };
}

describe("POST /api/3ds", () => {
  test("answers a challenge in both of its forms", async () => {
    const answer = await enrol({ transactionType: '"PRE_AUTHORIZATION"' });
    const [command] = enrolments;
    expect(answer).toMatchObject({
      status: 201,
      headers: { location: `/api/payment/${command!.paymentId}` },
      body: {
        paymentId: command!.paymentId,
        status: "ENROLLED",
        redirectUrl: command!.pageUrl,
        expiresAt: CHALLENGE.expiresAt,
      },
    });
    expect(answer.body).not.toHaveProperty("challenge");
    expect(answer.body).not.toHaveProperty("transactionType");
    const page = Buffer.from(answer.body["htmlContent"] as string, "base64").toString();
    expect(page).toContain('action="https://acs.example/challenge"');
    expect(page).toContain('name="session" value="acquirer-session"');
    expectCommonHeaders(answer);
  });

  test("answers a page of the bank's own, and a challenge that is over, by a page that leads to ours", async () => {
    enrolled = (payload) => ({
      outcome: "done",
      result: {
        ...recordOf(payload),
        status: "ENROLLED",
        challengeWay: { pageUrl: payload.pageUrl, expiresAt: CHALLENGE.expiresAt },
      },
    });
    const answer = await enrol();
    const { pageUrl } = enrolments.at(-1)!;
    expect(answer).toMatchObject({
      status: 201,
      body: { redirectUrl: pageUrl, expiresAt: CHALLENGE.expiresAt },
    });
    expect(answer.body).not.toHaveProperty("challengeWay");
    const page = Buffer.from(answer.body["htmlContent"] as string, "base64").toString();
    expect(page).toContain(`method="get" action="${pageUrl}"`);
    expect(page).not.toContain("<input");
  });

  test("hands payments the terms, the session, and the card sealed", async () => {
    await enrol({ installmentCount: "3", loyaltyCode: '"miles"' });
    const [command] = enrolments;
    expect(command).toMatchObject({
      transactionType: "PAYMENT",
      successUrl: "https://shop.example/yes",
      failureUrl: "https://shop.example/no",
      installmentCount: 3,
      loyaltyCode: "miles",
      returnUrl: expect.stringMatching(/^https:\/\/pay\.example\.test\/3ds\/return\/[\w.-]+$/),
      pageUrl: expect.stringMatching(/^https:\/\/pay\.example\.test\/3ds\/challenge\/[\w.-]+$/),
    });
    const binding = { paymentId: command!.paymentId, merchantId: merchant.merchantId };
    expect(gateway.cardOpener.open(command!.card, binding).reveal()).toMatchObject({ pan: CARD, cvv: CVV });
    expect(JSON.stringify(command)).not.toContain(CARD);
    expect(JSON.stringify(gateway.lines)).not.toContain(CARD);
  });

  test("answers what needs no challenge as a payment, and what is not known with 202", async () => {
    enrolled = (payload) => ({ outcome: "done", result: recordOf(payload) });
    const success = await enrol();
    expect(success).toMatchObject({ status: 201, body: { status: "SUCCESS" } });
    for (const field of ["redirectUrl", "htmlContent", "expiresAt"])
      expect(success.body).not.toHaveProperty(field);
    enrolled = (payload) => ({ outcome: "pending", result: { ...recordOf(payload), status: "ENROLLED" } });
    expect(await enrol()).toMatchObject({ status: 202, headers: { "retry-after": "2" } });
    enrolled = () => ({ outcome: "in_doubt" });
    expect(await enrol()).toMatchObject({ status: 504, body: { paymentId: expect.any(String) } });
  });

  test("says that a stored answer is one", async () => {
    enrolled = (payload) => ({ ...challenged(payload), replayed: true }) as CommandReply<EnrolledPayment>;
    expect(await enrol({}, { "idempotency-key": "k" })).toMatchObject({
      status: 201,
      headers: { "idempotent-replayed": "true" },
      body: { redirectUrl: expect.any(String) },
    });
  });

  test.each([
    ["successUrl", { successUrl: '"http://shop.example/yes"' }, "invalid_url"],
    ["failureUrl", { failureUrl: '"javascript:alert(1)"' }, "invalid_url"],
    ["failureUrl", { failureUrl: '"https://shop.example@evil.example/"' }, "invalid_url"],
    ["successUrl", { successUrl: '"https://shop.example/\\nX: y"' }, "invalid_url"],
    ["successUrl", { successUrl: undefined }, "required"],
    ["successUrl", { successUrl: `"https://shop.example/?card=${CARD}"` }, "card_number"],
    ["transactionType", { transactionType: '"REFUND"' }, "invalid_value"],
    ["installmentCount", { installmentCount: "3", transactionType: '"PRE_AUTHORIZATION"' }, "not_allowed"],
  ])("refuses a bad %s: %j", async (field, fields: Record<string, string | undefined>, code) => {
    const answer = await enrol(fields);
    expectProblem(answer, "validation_failed", {
      errors: [{ field, code, message: expect.any(String) }],
    });
    expect(enrolments).toEqual([]);
  });

  test("needs a sign-in, as everything under /api", async () => {
    expect(await gateway.merchantApi({ method: "POST", path: "/api/3ds" })).toMatchObject({ status: 401 });
  });
});

describe("the way to the challenge", () => {
  test("is a page that sends itself to the issuer and nowhere else, and tells nobody where it was", async () => {
    const { challenge } = await pages();
    const page = await visit({ path: challenge, headers: { "accept-language": "tr-TR,tr;q=0.9" } });
    expect(page).toMatchObject({
      status: 200,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "referrer-policy": "no-referrer",
        "content-security-policy": expect.stringContaining("form-action https:"),
      },
    });
    expect(page.text).toContain('action="https://acs.example/challenge"');
    expect(page.text).toContain("Bankanızın sayfasına git");
    expectCommonHeaders(page);
    expect(returns).toEqual([]);
  });

  test("is the bank's own page where it has one, as it is, in a sandbox with an origin that is nobody's", async () => {
    const { challenge } = await pages();
    const html =
      "<!doctype html><form action=https://acs.example/><script>document.forms[0].submit()</script>";
    shown = { html, expiresAt: CHALLENGE.expiresAt };
    const page = await visit({ path: challenge });
    expect(page).toMatchObject({
      status: 200,
      text: html,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy":
          "sandbox allow-forms allow-scripts allow-top-navigation; frame-ancestors https:",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      },
    });
  });

  test("is in the first of the browser's languages that we have, as the checkout is", async () => {
    const { challenge } = await pages();
    const headers = { "accept-language": "de-DE,de;q=0.9,tr;q=0.8,en;q=0.7" };
    const page = await visit({ path: challenge, headers });
    expect(page.text).toContain('<html lang="tr">');
  });

  test("does not end anything: a return is another address", async () => {
    const { challenge, back } = await pages();
    const swapped = challenge.replace("/challenge/", "/return/");
    expect(await visit({ path: swapped })).toMatchObject({ status: 404 });
    expect(await visit({ path: back.replace("/return/", "/challenge/") })).toMatchObject({ status: 404 });
    expect(await visit({ method: "POST", path: challenge })).toMatchObject({
      status: 405,
      headers: { allow: "GET" },
    });
    expect(returns).toEqual([]);
  });
});

describe("the way back", () => {
  test.each([
    ["POST", "SUCCESS", "https://shop.example/yes?a=1&"],
    ["GET", "SUCCESS", "https://shop.example/yes?a=1&"],
    ["POST", "FAILED", "https://shop.example/no?"],
    ["GET", "CANCELLED", "https://shop.example/no?"],
  ] as const)("by %s with a payment that is %s goes to the shop", async (method, status, url) => {
    ended = ({ paymentId }) => ({ outcome: "done", result: state(status, paymentId) });
    const { back, paymentId, sessionId } = await pages();
    const answer =
      method === "GET"
        ? await visit({ path: `${back}?session=acquirer-session` })
        : await postForm(back, "session=acquirer-session&other=1");
    expect(answer).toMatchObject({
      status: 303,
      headers: {
        location: `${url}paymentId=${paymentId}&orderId=order-1`,
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      },
      text: "",
    });
    const session = ["session", "acquirer-session"];
    const fields = method === "GET" ? [session] : [session, ["other", "1"]];
    expect(returns).toEqual([{ paymentId, sessionId, returned: { fields } }]);
  });

  test("with an outcome nobody knows is a page that asks again, and goes nowhere", async () => {
    ended = ({ paymentId }) => ({ outcome: "pending", result: state("ENROLLED", paymentId) });
    const { back } = await pages();
    const page = await postForm(back, "session=acquirer-session");
    expect(page).toMatchObject({
      status: 200,
      headers: {
        refresh: `3; url=${back.split("/").at(-1)}`,
        "content-security-policy": expect.stringContaining("default-src 'none'"),
      },
    });
    expect(page.headers).not.toHaveProperty("location");
    expect(page.text).toContain("please do not pay again");
    ended = ({ paymentId }) => ({ outcome: "done", result: state("SUCCESS", paymentId) });
    expect(await visit({ path: back })).toMatchObject({ status: 303 });
  });

  test("that waits says whose payment it is, in the language that the buyer chooses", async () => {
    ended = ({ paymentId }) => ({ outcome: "pending", result: state("ENROLLED", paymentId) });
    const { back, paymentId, sessionId } = await pages();
    const waiting = await visit({ path: back, headers: { "accept-language": "en-GB" } });
    expect(waiting.text).toMatch(/<header><p>A shop<br><strong>TRY\s12.50<\/strong>/);
    expect(waiting.text).not.toContain("This is a test");
    const [, turkish = ""] = /<a href="([^"]*)" lang="tr"/.exec(waiting.text) ?? [];
    const switched = await visit({ path: new URL(turkish, `https://pay.test${back}`).pathname + "?lang=tr" });
    expect(turkish).toBe(`${back.split("/").at(-1)}?lang=tr`);
    expect(switched.text).toContain("Lütfen bekleyin");
    expect(switched.headers["refresh"]).toBe(`3; url=${turkish}`);
    expect(returns.at(-1)).toEqual({ paymentId, sessionId, returned: { fields: [] } });
  });

  test("of a test's payment that waits says that no real card is charged", async () => {
    ended = ({ paymentId }) => {
      const { payment, ...result } = state("ENROLLED", paymentId);
      return { outcome: "pending", result: { ...result, payment: { ...payment, livemode: false } } };
    };
    const { back } = await pages();
    expect((await visit({ path: back })).text).toContain("<aside>This is a test, and no payment is taken.");
  });

  test.each([
    ["not_started", { outcome: "not_started" }],
    ["in_doubt", { outcome: "in_doubt" }],
  ] as const)("while payments cannot answer (%s) is a page that asks again", async (_case, reply) => {
    ended = () => reply;
    const { back } = await pages();
    expect(await visit({ path: back })).toMatchObject({
      status: 503,
      headers: { refresh: expect.stringMatching(/^3; url=/), "retry-after": "3" },
    });
  });

  test("of another session is a plain page, not a redirect", async () => {
    ended = () => ({ outcome: "problem", code: "three_ds_session_not_found" });
    const { back } = await pages();
    const page = await visit({ path: `${back}?session=another` });
    expect(page).toMatchObject({ status: 404, headers: { "content-type": "text/html; charset=utf-8" } });
    expect(page.headers).not.toHaveProperty("location");
  });

  test("forged, cut, or with somebody else's signature asks nobody", async () => {
    const { back } = await pages();
    const other = await pages();
    const [keyId, , signature] = back.split("/").at(-1)!.split(".");
    const crossed = `/3ds/return/${keyId}.${other.back.split(".")[1]}.${signature}`;
    for (const path of [
      crossed,
      back.slice(0, -1),
      `${back}A`,
      "/3ds/return/x",
      `/3ds/return/${randomUUID()}`,
      `/3ds/return/${"A".repeat(4_000)}`,
      "/3ds/return/%0d%0aSet-Cookie:%20a=b",
      "/3ds/return/<script>alert(1)</script>",
    ]) {
      const answer = await visit({ path });
      expect([400, 404], path).toContain(answer.status);
      expect(answer.headers).not.toHaveProperty("location");
      expect(answer.text).not.toContain("<script>");
    }
    expect(returns).toEqual([]);
  });

  test("goes nowhere the browser says", async () => {
    const { back } = await pages();
    const query =
      "session=acquirer-session&successUrl=https://evil.example&url=//evil.example&redirect=https://evil.example";
    const answer = await visit({ path: `${back}?${query}` });
    expect(answer.headers["location"]).toMatch(/^https:\/\/shop\.example\/yes/);
  });

  test("hands on all that the browser brought, in its order and with its repetitions", async () => {
    const { back, paymentId, sessionId } = await pages();
    const fields: [string, string][] = [
      ["session", "a"],
      ["HASH", "a+b/c=="],
      ["session", "b"],
      ["", "unnamed"],
      ["BillToName", "Şule Öztürk"],
      ["empty", ""],
    ];
    await postForm(back, new URLSearchParams(fields).toString());
    await visit({ path: `${back}?${new URLSearchParams(fields).toString()}` });
    await visit({ path: back });
    expect(returns).toEqual([
      { paymentId, sessionId, returned: { fields } },
      { paymentId, sessionId, returned: { fields } },
      { paymentId, sessionId, returned: { fields: [] } },
    ]);
  });

  test.each([
    ["fields", "a=1&".repeat(201)],
    ["characters in a name", `${"n".repeat(257)}=1`],
  ])("with too many %s is refused", async (_case, body) => {
    const { back } = await pages();
    expect(await postForm(back, body)).toMatchObject({ status: 400 });
    expect(await visit({ path: `${back}?${body}` })).toMatchObject({ status: 400 });
    expect(returns).toEqual([]);
  });

  test("that proves nothing is a page with the way back to the bank, and no hop by itself", async () => {
    const pageUrl = "https://pay.example.test/3ds/challenge/key.state";
    ended = ({ paymentId }) => ({
      outcome: "pending",
      result: {
        ...state("ENROLLED", paymentId),
        challenge: { ...CHALLENGE, pageUrl },
        returnWas: "not_genuine",
      },
    });
    const { back } = await pages();
    const page = await postForm(back, "session=forged");
    expect(page.status).toBe(400);
    expect(page.text).toContain(`<a href="${pageUrl}">`);
    expect(page.text).toContain("Nothing has been charged");
    for (const hop of ["refresh", "location"]) expect(page.headers).not.toHaveProperty(hop);
    expect(page.text).not.toMatch(/<script|<form/);
  });

  test.each<[number, CommandReply<SessionState> | "not_used"]>([
    [503, { outcome: "not_started" }],
    [503, { outcome: "in_doubt" }],
    [200, "not_used"],
  ])("that cannot be looked at yet (%i) loses nothing: the page brings it again", async (status, reply) => {
    const { back, paymentId, sessionId } = await pages();
    const notUsed = { ...state("ENROLLED", paymentId), returnWas: "not_used" as const };
    ended = () => (reply === "not_used" ? { outcome: "pending", result: notUsed } : reply);
    const fields: [string, string][] = [
      ["session", 'a"><script>alert(1)</script>'],
      ["session", "b"],
      ["submit", "Gönder"],
    ];
    const page = await postForm(back, new URLSearchParams(fields).toString());
    expect(page.status).toBe(status);
    expect(page.headers).not.toHaveProperty("refresh");
    expect(page.headers["content-security-policy"]).toContain("form-action 'self' https:");
    expect(page.text).not.toContain("<script>alert");
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const again = [...page.text.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]): [string, string] => [unescapeHtml(name), unescapeHtml(value)],
    );
    ended = ({ paymentId: id }) => ({ outcome: "done", result: state("SUCCESS", id) });
    const path = new URL(action, `https://pay.example.test${back}`).pathname;
    expect(await postForm(path, new URLSearchParams(again).toString())).toMatchObject({ status: 303 });
    expect(returns.at(-1)).toEqual({ paymentId, sessionId, returned: { fields } });
  });

  test("with a body that is too large, or no form, is refused", async () => {
    const { back } = await pages();
    expect(await postForm(back, `session=a&x=${"a".repeat(33_000)}`)).toMatchObject({ status: 413 });
    expect(
      await visit({ method: "POST", path: back, headers: JSON_TYPE, body: '{"session": "a"}' }),
    ).toMatchObject({ status: 415 });
    expect(returns).toEqual([]);
  });

  test("is not taken by what only previews links", async () => {
    const { back } = await pages();
    for (const method of ["HEAD", "OPTIONS", "PUT", "DELETE"]) {
      expect(await visit({ method, path: back })).toMatchObject({
        status: 405,
        headers: { allow: "GET, POST" },
      });
    }
    expect(returns).toEqual([]);
  });

  test("is logged by its template: nothing of the state, and nothing the browser brought", async () => {
    const { back, paymentId } = await pages();
    await visit({ path: `${back}?session=acquirer-session` });
    await postForm(back, "md=acquirer-session&Ecom_Payment_Card_ExpDate_Year=2031-of-the-card");
    const lines = JSON.stringify(gateway.lines);
    expect(lines).toContain("/3ds/return/{state}");
    expect(lines).toContain(paymentId);
    expect(lines).not.toContain(back.split("/").at(-1));
    expect(lines).not.toMatch(/acquirer-session|2031-of-the-card|Ecom_/);
  });

  test("needs no sign-in, and the merchant API does not have it", async () => {
    const { back } = await pages();
    expect(await gateway.merchantApi({ path: back })).toMatchObject({ status: 404 });
    expect(await visit({ path: "/api/3ds", method: "POST" })).toMatchObject({ status: 404 });
  });
});

test("an address older than its lifetime is not looked at", async () => {
  const brief = await startTestGateway({
    THREE_DS_STATE_LIFETIME: "0s",
    THREE_DS_STATE_KEYS: gateway.envOf("gateway-public").THREE_DS_STATE_KEYS,
  });
  const { back } = await pages();
  const page = await http(brief.ports.public, { path: back });
  expect(page).toMatchObject({ status: 410 });
  expect(page.headers).not.toHaveProperty("location");
  await brief.stop();
});

test("over the rate limit a state that is not ours is in no header, and is no 5xx; a genuine one asks again", async () => {
  const limited = await startTestGateway({
    PAGE_REQUESTS_PER_MINUTE_PER_IP: "1",
    PAGE_REQUESTS_PER_MINUTE_PER_CHECKOUT: "1",
    THREE_DS_STATE_KEYS: gateway.envOf("gateway-public").THREE_DS_STATE_KEYS,
  });
  onTestFinished(() => limited.stop());
  const { back, challenge } = await pages();
  const ask = (path: string) => http(limited.ports.public, { path });
  await ask("/3ds/return/first");
  const foreign = [
    "https%3A%2F%2Fevil.example%2Fpay%3Fa%3D1",
    "%2F%2Fevil.example",
    "x%0d%0aSet-Cookie:%20a=b",
    "%E2%80%AE%F0%9F%92%B3",
    `${back.split("/").at(-1)}%22`,
  ];
  for (const state of foreign) {
    for (const page of ["return", "challenge"]) {
      const answer = await ask(`/3ds/${page}/${state}`);
      expect(answer, state).toMatchObject({
        status: 429,
        headers: {
          "retry-after": expect.stringMatching(/^\d+$/),
          "content-security-policy": expect.stringContaining("default-src 'none'"),
        },
      });
      expect(answer.headers).not.toHaveProperty("refresh");
      expect(answer.headers).not.toHaveProperty("location");
      expect(JSON.stringify(answer)).not.toContain("evil.example");
    }
  }
  await ask(challenge);
  // The browser still has what it brought: in the address, or in the form that it sends again on a reload.
  expect(await ask(`${back}?session=acquirer-session`)).toMatchObject({
    status: 429,
    headers: { refresh: expect.stringMatching(/^\d+$/) },
  });
  const posted = await http(limited.ports.public, {
    method: "POST",
    path: back,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "session=acquirer-session",
  });
  expect(posted).toMatchObject({ status: 429, text: expect.stringContaining("Please reload") });
  expect(posted.headers).not.toHaveProperty("refresh");
  for (const path of [back, challenge]) {
    const answer = await ask(path);
    expect(answer.status).toBe(429);
    expect(answer.headers["refresh"]).toMatch(/^\d+; url=[\w.-]+$/);
    expect(answer.headers["refresh"]).toContain(path.split("/").at(-1));
  }
});

function unescapeHtml(text: string): string {
  const characters: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
  return text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name]!);
}
