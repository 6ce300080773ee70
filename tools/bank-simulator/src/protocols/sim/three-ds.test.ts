import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import type { Simulator } from "../../core/index.ts";
import { protocol } from "./index.ts";
import { authenticationOf, ChallengeSessions, inMajorUnits } from "./challenge-sessions.ts";

let folder: string;
let simulator: Simulator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "simulator-"));
  simulator = await protocol.start({
    ledgerFile: join(folder, "ledger.ndjson"),
    hangMs: 300,
    publicUrl: undefined,
  });
});
afterAll(async () => {
  await simulator.close();
  await rm(folder, { recursive: true });
});

const RETURN_URL = 'https://gateway.example/3ds/return/state?a=1&b="><script>';

function enrolment(change: Record<string, unknown> = {}) {
  return {
    reference: randomUUID(),
    amountMinor: 1_000,
    currency: "EUR",
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
    card: { pan: "4000000000003220", expiryMonth: "12", expiryYear: "30", cvv: "123" },
    cardHolderName: "Ada Lovelace",
    installmentCount: 1,
    operation: "sale",
    returnUrl: new URL(RETURN_URL).href,
    sessionExpiresAt: new Date(Date.now() + 600_000).toISOString(),
    ...change,
  };
}

async function post(path: string, body: object): Promise<{ status: number; body: Record<string, string> }> {
  const response = await fetch(`${simulator.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const form = (path: string, fields: Record<string, string>) =>
  fetch(`${simulator.url}${path}`, {
    method: "POST",
    body: new URLSearchParams(fields),
    redirect: "manual",
  });

test("an enrolment that began in time and was not there before its expiry is too late", async () => {
  const expiresAtMs = Date.now() + 100;
  const body = JSON.stringify(enrolment({ expiresAt: new Date(expiresAtMs).toISOString() }));
  const slow = request(`${simulator.url}/v1/3ds/enrol`, { method: "POST" });
  const answered = once(slow, "response") as Promise<[IncomingMessage]>;
  slow.write(body.slice(0, 10));
  await expect.poll(() => Date.now() > expiresAtMs, { interval: 10 }).toBe(true);
  slow.end(body.slice(10));
  const [response] = await answered;
  expect(await json(response)).toMatchObject({ outcome: "expired", resultCode: "expired_request" });
});

describe("the issuer's page", () => {
  const open = async (change?: Record<string, unknown>) => {
    const { body } = await post("/v1/3ds/enrol", enrolment(change));
    return body["session"]!;
  };

  test("asks for a code, by POST and by GET, and shows neither card nor return address", async () => {
    const session = await open();
    const pages = await Promise.all([
      form("/acs/challenge", { session }),
      fetch(`${simulator.url}/acs/challenge?session=${session}`),
    ]);
    for (const page of pages) {
      expect(page.status).toBe(200);
      const html = await page.text();
      expect(html).toContain('name="code"');
      expect(html).not.toMatch(/4000000000003220|gateway\.example/);
    }
  });

  test("sends the browser back by POST after a code, with the address escaped", async () => {
    const session = await open();
    const html = await (await form("/acs/answer", { session, code: "123456", answer: "submit" })).text();
    expect(html).toContain('action="https://gateway.example/3ds/return/state?a=1&#38;b=%22%3E%3Cscript%3E"');
    expect(html).toContain(`name="session" value="${session}"`);
  });

  test("sends it back by GET after a cancellation, and keeps the query", async () => {
    const session = await open();
    const answered = await form("/acs/answer", { session, answer: "cancel" });
    expect(answered.status).toBe(303);
    expect(answered.headers.get("location")).toBe(`${new URL(RETURN_URL).href}&session=${session}`);
  });

  test("takes one answer: what comes after it changes nothing", async () => {
    const request = enrolment();
    const session = (await post("/v1/3ds/enrol", request)).body["session"]!;
    await form("/acs/answer", { session, code: "000000", answer: "submit" });
    await form("/acs/answer", { session, code: "123456", answer: "submit" });
    expect((await post("/v1/3ds/complete", { ...request, session })).body).toMatchObject({
      outcome: "declined",
      resultCode: "authentication_failed",
    });
  });

  test("is over with the session", async () => {
    const session = await open({ sessionExpiresAt: new Date(Date.now() - 1).toISOString() });
    expect((await form("/acs/challenge", { session })).status).toBe(410);
    expect((await form("/acs/answer", { session, code: "123456", answer: "submit" })).status).toBe(410);
  });

  test("does not know a session that was never opened", async () => {
    expect((await form("/acs/challenge", { session: randomUUID() })).status).toBe(404);
    expect((await form("/acs/answer", { session: "x", answer: "cancel" })).status).toBe(404);
  });
});

test("a completion whose session is gone is declined, and the repeat too", async () => {
  const request = { ...enrolment(), session: randomUUID() };
  for (let repeat = 0; repeat < 2; repeat += 1) {
    expect((await post("/v1/3ds/complete", request)).body).toMatchObject({
      outcome: "declined",
      resultCode: "25",
    });
  }
});

test("an enrolment is checked", async () => {
  for (const change of [
    { returnUrl: "javascript:alert(1)" },
    { operation: "refund" },
    { sessionExpiresAt: new Date(Date.now() + 2 * 3_600_000).toISOString() },
  ]) {
    expect(await post("/v1/3ds/enrol", enrolment(change))).toMatchObject({
      status: 400,
      body: { fields: Object.keys(change) },
    });
  }
});

test("enrolments and completions are bent by queued faults", async () => {
  await post("/faults", { operation: "enrol", behaviour: "http_500" });
  const request = enrolment();
  expect((await post("/v1/3ds/enrol", request)).status).toBe(500);
  const { session } = (await post("/v1/3ds/enrol", request)).body;
  await form("/acs/answer", { session: session!, code: "123456", answer: "submit" });
  await post("/faults", { operation: "complete", behaviour: "http_500" });
  expect((await post("/v1/3ds/complete", { ...request, session })).status).toBe(500);
  expect((await post("/v1/3ds/complete", { ...request, session })).body).toMatchObject({
    outcome: "approved",
  });
});

test.each([
  ["4000000000003055", "Y", "05"],
  ["4000000000003097", "N", "07"],
  ["4111111111111111", "A", "06"],
  ["5555555555554444", "A", "01"],
])("card %s: transStatus %s, eci %s", (pan, transStatus, eci) => {
  const request = {
    operation: "sale",
    reference: "r",
    amountMinor: 1n,
    currency: "EUR",
    pan,
    returnUrl: "",
    sessionExpiresAtMs: 0,
    expiresAtMs: 0,
  } as const;
  expect(authenticationOf(new ChallengeSessions().open(request))).toMatchObject({ transStatus, eci });
});

test.each([
  [124_990n, "TRY", "TRY 1,249.90"],
  [5n, "EUR", "EUR 0.05"],
  [1_250n, "JPY", "JPY 1,250"],
  [125_000n, "HUF", "HUF 1,250.00"],
  [12_345n, "KWD", "KWD 12.345"],
])("%i minor units of %s are written as the cardholder reads them", (amountMinor, currency, text) => {
  expect(inMajorUnits(amountMinor, currency)).toBe(text);
});

describe("with modes of other banks", () => {
  const change = (modes: object) =>
    fetch(`${simulator.url}/modes`, { method: "PUT", body: JSON.stringify(modes) });
  afterEach(() => change({ challenge: "form", returns: "bare" }));

  const complete = (
    { reference, amountMinor, currency, operation, expiresAt }: ReturnType<typeof enrolment>,
    session: string | undefined,
    returned?: [string, string][],
  ) =>
    post("/v1/3ds/complete", { reference, amountMinor, currency, operation, expiresAt, session, returned });

  test("a challenge is a page that sends itself to the issuer", async () => {
    await change({ challenge: "page" });
    const { body } = await post("/v1/3ds/enrol", enrolment());
    expect(body).toMatchObject({ outcome: "challenge_page", session: expect.any(String) });
    expect(body).not.toHaveProperty("url");
    expect(body["html"]).toContain(`action="${simulator.url}/acs/challenge"`);
    expect(body["html"]).toContain(`name="session" value="${body["session"]}"`);
  });

  test("a completion without the proof that the browser got is not genuine, and writes nothing", async () => {
    await change({ returns: "proven" });
    const request = enrolment();
    const session = (await post("/v1/3ds/enrol", request)).body["session"]!;
    const html = await (await form("/acs/answer", { session, code: "123456", answer: "submit" })).text();
    const proof = /name="proof" value="([^"]+)"/.exec(html)?.[1] ?? "";
    for (const returned of [
      undefined,
      [],
      [["session", session]],
      [["proof", proof]],
      [
        ["session", session],
        ["proof", `${proof}0`],
      ],
      [
        ["session", session],
        ["proof", proof],
        ["proof", "another"],
      ],
    ] as ([string, string][] | undefined)[]) {
      expect(await complete(request, session, returned)).toMatchObject({
        status: 200,
        body: { outcome: "not_genuine", reference: request.reference },
      });
    }
    const ledger = async () => await (await fetch(`${simulator.url}/ledger`)).text();
    expect(await ledger()).not.toContain(request.reference);
    const returned: [string, string][] = [
      ["session", session],
      ["proof", proof],
    ];
    expect(await complete(request, session, returned)).toMatchObject({ body: { outcome: "approved" } });
    expect(await ledger()).toContain(request.reference);
  });

  test("without a challenge there is nothing to prove", async () => {
    await change({ returns: "proven" });
    const card = { pan: "4000000000003055", expiryMonth: "12", expiryYear: "30", cvv: "123" };
    const request = enrolment({ card });
    const session = (await post("/v1/3ds/enrol", request)).body["session"];
    expect(await complete(request, session)).toMatchObject({ body: { outcome: "approved" } });
  });
});
