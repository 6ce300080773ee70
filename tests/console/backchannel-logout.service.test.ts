// A logout reported by the identity provider: people who are signed in by that session there are signed out here.
import { randomUUID } from "node:crypto";
import { generateKeyPair, importJWK, SignJWT, type CryptoKey } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CLIENT_ID, startConsoleHarness, type ConsoleHarness } from "./console-harness.ts";
import { openBrowser, visit } from "./open-browser.ts";

let harness: ConsoleHarness;
let consoleUrl: string;
beforeAll(async () => void (harness = await startConsoleHarness()));
afterAll(() => harness?.close());
beforeEach(async () => {
  consoleUrl = await harness.startConsole();
  await harness.startProvider(consoleUrl);
  await harness.query("delete from console.session");
});

const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };

type Made = {
  claims?: Record<string, unknown>;
  typ?: string;
  key?: CryptoKey;
  alg?: string;
};

/** Alice's logout token, as the provider makes it; `null` leaves a claim out. */
async function logoutToken({ claims = {}, typ = "logout+jwt", key, alg = "ES256" }: Made = {}) {
  const nowS = Math.floor(Date.now() / 1_000);
  const all = {
    iss: harness.issuer,
    aud: CLIENT_ID,
    sub: "alice",
    iat: nowS,
    exp: nowS + 120,
    jti: randomUUID(),
    events: EVENTS,
    ...claims,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  return await new SignJWT(given)
    .setProtectedHeader({ alg, kid: "k1", ...(typ && { typ }) })
    .sign(key ?? (await importJWK(harness.key, "ES256")));
}

async function tell(token: string): Promise<number> {
  const body = new URLSearchParams({ logout_token: token });
  const response = await fetch(`${consoleUrl}/backchannel-logout`, { method: "POST", body });
  expect(response.headers.get("cache-control")).toBe("no-store");
  return response.status;
}

async function sessions() {
  const rows = await harness.query<{ subject: string; provider_session: string }>(
    "select subject, provider_session from console.session order by subject",
  );
  return rows.map(({ subject, provider_session: sid }) => ({ subject, sid }));
}
const subjects = async () => (await sessions()).map(({ subject }) => subject);

test("who logs out at the provider is signed out here, in that browser and in no other", async () => {
  const here = openBrowser("alice");
  await here.visit(`${consoleUrl}/merchants`);
  const [own] = await sessions();
  await visit(`${consoleUrl}/merchants`, "alice");
  const others = (await sessions()).filter(({ sid }) => sid !== own!.sid);
  expect(others).toHaveLength(1);
  // Logs out as another program's page does for the same person: the provider asks, and then notifies us.
  const asked = await here.visit(`${harness.issuer}/session/end`);
  const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(asked.text)!;
  await here.visit(`${harness.issuer}/session/end/confirm`, new URLSearchParams({ xsrf, logout: "yes" }));
  expect(await sessions()).toEqual(others);
});

test("a token that names a person ends all their sessions, and nobody else's", async () => {
  await visit(`${consoleUrl}/merchants`, "alice");
  await visit(`${consoleUrl}/merchants`, "alice");
  await visit(`${consoleUrl}/merchants`, "mina");
  expect(await tell(await logoutToken())).toBe(200);
  expect(await subjects()).toEqual(["mina"]);
});

test("a token of a session that is another person's ends nothing", async () => {
  await visit(`${consoleUrl}/merchants`, "mina");
  const [{ sid } = { sid: "" }] = await sessions();
  expect(await tell(await logoutToken({ claims: { sid } }))).toBe(200);
  expect(await subjects()).toEqual(["mina"]);
  expect(await tell(await logoutToken({ claims: { sub: null, sid } }))).toBe(200);
  expect(await subjects()).toEqual([]);
});

test("a token is good once, even where two of it arrive at the same time", async () => {
  const token = await logoutToken();
  expect((await Promise.all([tell(token), tell(token)])).toSorted()).toEqual([200, 400]);
  await visit(`${consoleUrl}/merchants`, "alice");
  expect(await tell(token)).toBe(400);
  expect(await subjects()).toEqual(["alice"]);
});

describe("nobody is signed out by", () => {
  const nowS = () => Math.floor(Date.now() / 1_000);
  test.each<[string, () => Promise<string>]>([
    [
      "a token that somebody else signed",
      async () => logoutToken({ key: (await generateKeyPair("ES256")).privateKey }),
    ],
    [
      "one signed with the public key's text as a secret",
      async () =>
        logoutToken({ alg: "HS256", key: Buffer.from(JSON.stringify(harness.key)) as unknown as CryptoKey }),
    ],
    ["one for another client", () => logoutToken({ claims: { aud: "another-client" } })],
    ["one for nobody", () => logoutToken({ claims: { aud: null } })],
    ["one of another issuer", () => logoutToken({ claims: { iss: "https://evil.example" } })],
    ["an old one", () => logoutToken({ claims: { iat: nowS() - 200, exp: nowS() + 600 } })],
    ["an expired one", () => logoutToken({ claims: { iat: nowS() - 60, exp: nowS() - 30 } })],
    ["one of a time to come", () => logoutToken({ claims: { iat: nowS() + 60 } })],
    ["one of no time", () => logoutToken({ claims: { iat: null } })],
    ["one without an id", () => logoutToken({ claims: { jti: null } })],
    ["one about another event", () => logoutToken({ claims: { events: { "urn:other": {} } } })],
    ["one about no event", () => logoutToken({ claims: { events: null } })],
    ["one about a list of events", () => logoutToken({ claims: { events: Object.keys(EVENTS) } })],
    ["an id token, which has a nonce", () => logoutToken({ claims: { nonce: "n" } })],
    ["an access token", () => logoutToken({ typ: "at+jwt" })],
    ["one that names neither a person nor a session", () => logoutToken({ claims: { sub: null } })],
    ["what is no token", async () => "a.b.c"],
    ["nothing", async () => ""],
  ])("%s", async (_case, make) => {
    await visit(`${consoleUrl}/merchants`, "alice");
    expect(await tell(await make())).toBe(400);
    expect(await subjects()).toEqual(["alice"]);
  });

  test("two tokens in one form", async () => {
    await visit(`${consoleUrl}/merchants`, "alice");
    const tokens = [await logoutToken(), await logoutToken()];
    const body = new URLSearchParams(tokens.map((token) => ["logout_token", token]));
    const response = await fetch(`${consoleUrl}/backchannel-logout`, { method: "POST", body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_request" });
    expect(await subjects()).toEqual(["alice"]);
  });
});
