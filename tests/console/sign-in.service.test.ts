// Signing in where the identity provider is away or slow, or gives tokens that are not for this gateway.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { operations } from "@holdfast/contracts";
import { openAtRest } from "@holdfast/sealing";
import { freePort } from "@holdfast/sandbox/infrastructure";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  createOperatorApi,
  OperatorApiProblemError,
  operatorApiWire,
} from "../../services/console/src/api/operator-api.ts";
import { configSchema } from "../../services/console/src/config.ts";
import { SESSION_COOKIE } from "../../services/console/src/session/cookies.ts";
import { SESSION_KEY, startConsoleHarness, type ConsoleHarness } from "./console-harness.ts";
import { openBrowser, visit } from "./open-browser.ts";

let harness: ConsoleHarness;
beforeAll(async () => void (harness = await startConsoleHarness()));
afterAll(() => harness?.close());

/** An operator, and a merchant's staff. */
const PEOPLE = [
  { person: "alice", path: "/merchants" },
  { person: "mina", path: "/payments" },
] as const;

describe.each(PEOPLE)("$person", ({ person, path }) => {
  test("signs in at the provider of this gateway and sees the page that they asked for", async () => {
    const consoleUrl = await harness.startConsole();
    await harness.startProvider(consoleUrl);
    const page = await visit(consoleUrl + path, person);
    expect([page.status, page.url.startsWith(consoleUrl + path)]).toEqual([200, true]);
  });

  test("is led by tokens for another audience to a page with a way back, and in no loop", async () => {
    const consoleUrl = await harness.startConsole();
    await harness.startProvider(consoleUrl, { operator: "another-gateway", staff: "another-gateway" });
    const page = await visit(consoleUrl + path, person);
    expect(page.status).toBe(502);
    expect(page.text).toContain("The gateway does not accept this sign-in");
    expect(page.text).toContain(`<a class="button" href="${path}">`);
  });

  test("works on while the provider is away, and may log out", async () => {
    const consoleUrl = await harness.startConsole();
    const provider = await harness.startProvider(consoleUrl);
    const browser = openBrowser(person);
    const page = await browser.visit(consoleUrl + path);
    await provider.close();
    expect((await browser.visit(consoleUrl + path)).status).toBe(200);
    const [, formToken = ""] = /name="formToken" value="([^"]+)"/.exec(page.text)!;
    // The console knows the provider's logout address already, and has ended its own session.
    const left = browser.visit(`${consoleUrl}/logout`, new URLSearchParams({ formToken }));
    await expect(left).rejects.toThrow("fetch failed");
    const again = await browser.visit(consoleUrl + path).catch((error: unknown) => error);
    expect(again).toBeInstanceOf(TypeError);
  });
});

/** @returns its address. */
async function startServer(onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the sign-in is a page with a way back", () => {
  const expectWayBack = (page: Awaited<ReturnType<typeof visit>>) => {
    expect(page.status).toBe(503);
    expect(page.text).toContain("The identity provider does not answer");
    expect(page.text).toContain(`<a class="button" href="/login`);
  };

  test("while the provider is away", async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    expectWayBack(await visit(`${await harness.startConsole({ OIDC_ISSUER: issuer })}/merchants`));
  });

  test("while it is so slow that nobody would wait", async () => {
    const issuer = await startServer(() => {});
    const settings = { OIDC_ISSUER: issuer, OIDC_TIMEOUT: "1s" };
    expectWayBack(await visit(`${await harness.startConsole(settings)}/merchants`));
  });

  test("while it answers with what is no provider's answer", async () => {
    const issuer = await startServer((_request, response) => void response.end("<h1>Bad gateway</h1>"));
    expectWayBack(await visit(`${await harness.startConsole({ OIDC_ISSUER: issuer })}/merchants`));
  });

  test.each(PEOPLE)(
    "where it hangs while $person signs in; the next time it works",
    async ({ person, path }) => {
      let hangs = true;
      const relay = await startServer((request, response) => {
        if (request.method === "POST" && hangs) return;
        void passOn(request, response);
      });
      // Only the console's own requests go through this relay.
      const passOn = async (request: IncomingMessage, response: ServerResponse) => {
        const body = await buffer(request);
        const answer = await fetch(harness.issuer + request.url, {
          method: request.method!,
          headers: { "Content-Type": request.headers["content-type"] ?? "" },
          ...(request.method === "POST" && { body }),
        });
        const text = (await answer.text()).replace(`${harness.issuer}/token`, `${relay}/token`);
        response.writeHead(answer.status, { "Content-Type": "application/json" }).end(text);
      };
      const discovery = new URL("/.well-known/openid-configuration", relay);
      const consoleUrl = await harness.startConsole({ OIDC_ISSUER: discovery.href, OIDC_TIMEOUT: "1s" });
      await harness.startProvider(consoleUrl);
      const browser = openBrowser(person);
      expectWayBack(await browser.visit(consoleUrl + path));
      hangs = false;
      const page = await browser.visit(consoleUrl + path);
      expect([page.status, new URL(page.url).pathname]).toEqual([200, path]);
    },
  );
});

describe("the proof that the provider is asked for", () => {
  const askedAge = async (response: Promise<Response>) =>
    new URL((await response).headers.get("location")!).searchParams.get("max_age");

  test("is of the last 15 minutes for a browser without a session, even where a decision may be older", async () => {
    const consoleUrl = await harness.startConsole({ DECISION_LOGIN_AGE_MAX: "12h" });
    await harness.startProvider(consoleUrl);
    const browser = openBrowser("alice");
    expect(await askedAge(browser.open(`${consoleUrl}/login`))).toBe("900");
    expect(await askedAge(browser.open(`${consoleUrl}/login?again=1`))).toBe("900");
    await browser.visit(`${consoleUrl}/merchants`);
    expect(await askedAge(browser.open(`${consoleUrl}/login`))).toBe("28800");
    browser.forget(SESSION_COOKIE);
    expect(await askedAge(browser.open(`${consoleUrl}/login`))).toBe("900");
  });

  test("is a new one after 15 minutes without a request", async () => {
    const consoleUrl = await harness.startConsole();
    await harness.startProvider(consoleUrl);
    const browser = openBrowser("alice");
    await browser.visit(`${consoleUrl}/merchants`);
    await harness.query("update console.session set seen_at = now() - interval '14 minutes'");
    expect((await browser.open(`${consoleUrl}/merchants`)).status).toBe(200);
    await harness.query("update console.session set seen_at = now() - interval '15 minutes'");
    expect((await browser.open(`${consoleUrl}/merchants`)).headers.get("location")).toMatch(/^\/login/);
    expect(await askedAge(browser.open(`${consoleUrl}/login`))).toBe("0");
  });

  test("is never older: nobody may be left idle for longer", () => {
    const { success, error } = configSchema.shape.SESSION_IDLE.safeParse("16m");
    expect([success, error?.issues[0]?.message]).toEqual([false, expect.stringContaining("15m")]);
  });
});

describe("several tabs of one browser", () => {
  const PATHS = ["/merchants", "/payments", "/refunds"];
  /** A browser that is signed in at the provider, whose window was closed and is restored. */
  const restore = async (settings: Record<string, string> = {}) => {
    const consoleUrl = await harness.startConsole(settings);
    await harness.startProvider(consoleUrl);
    const browser = openBrowser("alice");
    await browser.visit(`${consoleUrl}/merchants`);
    browser.forget(SESSION_COOKIE);
    return { browser, consoleUrl };
  };
  const sessionIn = (cookies: string) => /holdfast-session=[^;]+/.exec(cookies)?.[0];
  const whereTo = async (opened: Promise<Response>) => {
    const response = await opened;
    return [response.status, response.headers.get("location")];
  };

  test("sign in at once, each to its page, and work in one session", async () => {
    const { browser, consoleUrl } = await restore();
    const returns: string[] = [];
    for (const path of PATHS) returns.push(await browser.leadBack(consoleUrl + path));
    expect(await whereTo(browser.open(returns[0]!))).toEqual([303, PATHS[0]]);
    const first = await browser.visit(consoleUrl + PATHS[0]!);
    expect(first.status).toBe(200);
    const cookies = browser.cookies();
    for (const index of [2, 1]) {
      expect(await whereTo(browser.open(returns[index]!))).toEqual([303, PATHS[index]]);
    }
    expect(sessionIn(browser.cookies())).toEqual(sessionIn(cookies));
    expect(browser.cookies()).not.toContain("login");
    expect((await browser.visit(consoleUrl + PATHS[1]!)).status).toBe(200);
  });

  test("do not lose their sign-in when that of another one fails", async () => {
    const { browser, consoleUrl } = await restore();
    const refused = new URL(await browser.leadBack(`${consoleUrl}/refunds`));
    const good = await browser.leadBack(`${consoleUrl}/merchants`);
    refused.searchParams.delete("code");
    refused.searchParams.set("error", "access_denied");
    for (const url of [`${consoleUrl}/login/return?code=x&state=unknown`, refused.href]) {
      const failed = await browser.visit(url);
      expect([failed.status, failed.text]).toEqual([400, expect.stringContaining("was interrupted")]);
    }
    expect(await whereTo(browser.open(good))).toEqual([303, "/merchants"]);
  });

  test("are led on where another one has signed in meanwhile and their own sign-in fails", async () => {
    const { browser, consoleUrl } = await restore();
    const refused = new URL(await browser.leadBack(`${consoleUrl}/refunds`));
    await browser.visit(`${consoleUrl}/merchants`);
    refused.searchParams.delete("code");
    refused.searchParams.set("error", "access_denied");
    expect(await whereTo(browser.open(refused.href))).toEqual([303, "/refunds"]);
    expect(await whereTo(browser.open(refused.href)), "the address once more").toEqual([303, "/"]);
  });

  test("come to the console with the address of a sign-in that is over, if they are signed in", async () => {
    const { browser, consoleUrl } = await restore();
    const back = await browser.leadBack(`${consoleUrl}/refunds`);
    expect(await whereTo(browser.open(back))).toEqual([303, "/refunds"]);
    for (let count = 0; count < 2; count++) expect(await whereTo(browser.open(back))).toEqual([303, "/"]);
    browser.forget(SESSION_COOKIE);
    expect((await browser.open(back)).status).toBe(400);
  });

  test("keep as many sign-ins as fit into a request's headers, and the newest one always", async () => {
    const { browser, consoleUrl } = await restore();
    const long = `/payments?orderId=${"x".repeat(700)}`;
    for (let count = 0; count < 12; count++) await browser.open(`${consoleUrl}/login?return=%2Frefunds`);
    for (let count = 0; count < 12; count++) await browser.open(`${consoleUrl}/login?return=${long}`);
    expect(browser.cookies().length).toBeLessThan(7_000);
    expect(browser.cookies().match(/login-/g)!.length).toBeGreaterThan(2);
    expect((await browser.visit(consoleUrl + "/merchants")).status).toBe(200);
  });

  test("do not take over a sign-in of another browser", async () => {
    const { browser, consoleUrl } = await restore();
    const back = await browser.leadBack(`${consoleUrl}/refunds`);
    expect((await openBrowser("alice").open(back)).status).toBe(400);
  });

  test("try three codes for one sign-in, and no fourth one, even if it is the right one", async () => {
    const { browser, consoleUrl } = await restore();
    const bring = async (url: string, cookies: string) =>
      (await fetch(url, { redirect: "manual", headers: { Cookie: cookies } })).status;
    const guess = async (url: string, count: number) => {
      const cookies = browser.cookies();
      const guessed = new URL(url);
      guessed.searchParams.set("code", "guessed");
      for (let code = 0; code < count; code++) expect(await bring(guessed.href, cookies)).toBe(400);
      return await bring(url, cookies);
    };
    expect(await guess(await browser.leadBack(`${consoleUrl}/refunds`), 2)).toBe(303);
    expect(await guess(await browser.leadBack(`${consoleUrl}/refunds`), 3)).toBe(400);
  });

  test("sign in again with a younger proof, though another one has signed in meanwhile", async () => {
    const { browser, consoleUrl } = await restore();
    const younger = await browser.leadBack(`${consoleUrl}/login?again=now&return=/refunds`);
    await browser.visit(`${consoleUrl}/merchants`);
    await harness.query(
      "update console.session set authenticated_at = authenticated_at - interval '1 minute'",
    );
    const former = browser.cookies();
    expect(await whereTo(browser.open(younger))).toEqual([303, "/refunds"]);
    expect(browser.cookies()).toContain("holdfast-session=");
    expect(sessionIn(browser.cookies())).not.toEqual(sessionIn(former));
  });
});

test("a form whose token the gateway does not take is no refusal to show on it: the person signs in again", async () => {
  const wire = operatorApiWire(harness.operatorApiUrl, 30_000, undefined);
  onTestFinished(() => wire.agent.destroy());
  const api = createOperatorApi(wire, "no token");
  const change = api.change(operations.createMerchant, { key: randomUUID(), body: { name: "Not made" } });
  await expect(change).rejects.toThrow(OperatorApiProblemError);
});

test("a decision for which the gateway asks for a younger sign-in is not made, and can be after one", async () => {
  const wire = operatorApiWire(harness.operatorApiUrl, 30_000, undefined);
  onTestFinished(() => wire.agent.destroy());
  const nowS = Math.floor(Date.now() / 1_000);
  const decide = async (signedInAt: number) => {
    const token = await harness.tokenOf("alice", { auth_time: signedInAt });
    const call = { key: randomUUID(), path: { refundId: randomUUID() }, body: {} };
    return await createOperatorApi(wire, token).change(operations.approveRefund, call);
  };
  const refused = await decide(nowS - 1_000);
  expect(refused).toMatchObject({
    done: false,
    problem: { code: "insufficient_user_authentication", maxAge: 900 },
  });
  // No refund has this id: the request goes as far as the service that would pay it.
  expect(await decide(nowS)).toMatchObject({ done: false, problem: { code: "refund_not_found" } });
});

test("the sandbox's provider says in access tokens, too, when a person has signed in", async () => {
  const consoleUrl = await harness.startConsole();
  await harness.startProvider(consoleUrl);
  expect((await visit(`${consoleUrl}/merchants`)).status).toBe(200);
  const [row] = await harness.query<{ sealed: Buffer; session_hash: Buffer }>(
    "select sealed, session_hash from console.session order by created_at desc limit 1",
  );
  const keys = { activeId: "k1", keys: new Map([["k1", SESSION_KEY]]) };
  const text = openAtRest(keys, `console session ${row!.session_hash.toString("hex")}`, row!.sealed);
  const { accessToken } = JSON.parse(text) as { accessToken: string };
  expect(decodeJwt(accessToken)).toMatchObject({ sub: "alice", auth_time: expect.any(Number) });
});
