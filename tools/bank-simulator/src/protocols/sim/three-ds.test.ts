import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { readPage } from "../../core/test/test-bank.ts";
import { authenticationOf, ChallengeSessions, inMajorUnits } from "./challenge-sessions.ts";
import {
  ago,
  cardBody,
  startTestSimulator,
  threeDsFields,
  type TestSimulator,
} from "./test/test-simulator.ts";

let bank: TestSimulator;

beforeAll(async () => {
  bank = await startTestSimulator();
});
afterAll(() => bank[Symbol.asyncDispose]());

function enrolment(change: Record<string, unknown> = {}) {
  const returnUrl = "https://gateway.example/3ds/return/state?a=1";
  return { ...cardBody(), ...threeDsFields("4000000000003220"), returnUrl, ...change };
}

const post = (path: string, body: object) => bank.call<Record<string, string>>("POST", path, body);

const form = (path: string, fields: Record<string, string>) =>
  fetch(`${bank.url}${path}`, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });

test("an enrolment that began in time and was not there before its expiry is too late", async () => {
  const expiresAtMs = Date.now() + 100;
  const body = JSON.stringify(enrolment({ expiresAt: new Date(expiresAtMs).toISOString() }));
  const slow = request(`${bank.url}/v1/3ds/enrol`, { method: "POST" });
  const answered = once(slow, "response") as Promise<[IncomingMessage]>;
  slow.write(body.slice(0, 10));
  await expect.poll(() => Date.now() > expiresAtMs, { interval: 10 }).toBe(true);
  slow.end(body.slice(10));
  const [response] = await answered;
  expect(await json(response)).toMatchObject({ outcome: "expired", resultCode: "expired_request" });
});

test("the issuer's page leads back by POST after a code, and by GET after a cancellation", async () => {
  const session = async () => (await post("/v1/3ds/enrol", enrolment())).body["session"]!;
  const [coded, cancelled] = [await session(), await session()];
  const shown = await (await form("/acs/challenge", { session: coded })).text();
  expect(shown).not.toMatch(/4000000000003220|gateway\.example/);
  const page = readPage(await (await form("/acs/answer", { session: coded, code: "123456" })).text());
  expect(page).toMatchObject({ action: enrolment().returnUrl, fields: { session: coded } });
  const back = await form("/acs/answer", { session: cancelled, answer: "cancel" });
  expect(back.headers.get("location")).toBe(`${enrolment().returnUrl}&session=${cancelled}`);
});

test("the issuer's page takes one answer, and none after the session's end", async () => {
  const request = enrolment();
  const session = (await post("/v1/3ds/enrol", request)).body["session"]!;
  for (const code of ["000000", "123456"]) await form("/acs/answer", { session, code });
  expect((await post("/v1/3ds/complete", { ...request, session })).body).toMatchObject({
    outcome: "declined",
    resultCode: "authentication_failed",
  });
  const over = (await post("/v1/3ds/enrol", enrolment({ sessionExpiresAt: ago() }))).body["session"]!;
  expect((await form("/acs/challenge", { session: over })).status).toBe(410);
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
    fetch(`${bank.url}/modes`, { method: "PUT", body: JSON.stringify(modes) });
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
    expect(body["html"]).toContain(`action="${bank.url}/acs/challenge"`);
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
    const ledger = async () => await (await fetch(`${bank.url}/ledger`)).text();
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
