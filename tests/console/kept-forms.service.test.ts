// A form that is sent after the session's end, with a sign-in that is too old, or from a tab that another sign-in has
// overtaken: nothing is done, and its person finds what they entered on its page, to send it again.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SESSION_COOKIE } from "../../services/console/src/session/cookies.ts";
import { startConsoleHarness, type ConsoleHarness } from "./console-harness.ts";
import { openBrowser, type Shown } from "./open-browser.ts";

let harness: ConsoleHarness;
let consoleUrl: string;
/** The page of mina's merchant, which alice sees as an operator. */
let shop: string;
beforeAll(async () => {
  harness = await startConsoleHarness();
  const [row] = await harness.query<{ merchant_id: string }>(
    "select merchant_id from gateway.merchant where name = $1",
    ["Mina's"],
  );
  shop = `/merchants/${row!.merchant_id}`;
});
afterAll(() => harness?.close());
beforeEach(async () => {
  consoleUrl = await harness.startConsole();
  await harness.startProvider(consoleUrl);
  await harness.query("delete from console.session");
  await harness.query("delete from console.kept_form");
});

type Browser = ReturnType<typeof openBrowser>;

const CREATE = "/merchants/create";
const BACK = "Please send the form again";
const GONE = "is not here any more";
const ADDRESS = "198.51.100.16/28";

/** The fields that the page adds to its form. */
function addedTo({ text }: Pick<Shown, "text">, action: string): { formToken: string; key: string } {
  const form = text.slice(text.indexOf(`action="${action}"`));
  const valueOf = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]+)"`).exec(form)?.[1] ?? "";
  const added = { formToken: valueOf("formToken"), key: valueOf("key") };
  expect(added.key, action).toHaveLength(36);
  return added;
}

/** Sends a form without following its redirect. @returns the address to which a sign-in would return. */
async function send(path: string, form: Record<string, string>, headers: Record<string, string>) {
  const body = new URLSearchParams(form);
  const response = await fetch(consoleUrl + path, { method: "POST", redirect: "manual", headers, body });
  const location = response.headers.get("location");
  const back = location === null ? null : new URL(location, consoleUrl).searchParams.get("return");
  return { status: response.status, back };
}

const keptCount = async () => (await harness.query("select form_hash from console.kept_form")).length;
const merchantsNamed = async (name: string) =>
  (await harness.query("select name from gateway.merchant where name = $1", [name])).length;
const keysOfShop = async () =>
  (
    await harness.query("select api_key from gateway.credential where merchant_id = $1", [
      shop.split("/").at(-1),
    ])
  ).length;

/** The form that alice has filled in, on the page that she has open. */
async function fillIn(browser: Browser, name = `Shop ${randomUUID()}`) {
  const page = await browser.visit(`${consoleUrl}/merchants`);
  return { ...addedTo(page, CREATE), name };
}

const ENDINGS: readonly (readonly [string, (browser: Browser) => Promise<unknown>])[] = [
  [
    "left idle for 15 minutes",
    () => harness.query("update console.session set seen_at = now() - interval '15 minutes'"),
  ],
  ["ended by a logout elsewhere", () => harness.query("delete from console.session")],
  ["forgotten by the browser", async (browser) => browser.forget(SESSION_COOKIE)],
  [
    "followed by another one, which a second tab has begun",
    async (browser) => {
      browser.forget(SESSION_COOKIE);
      await browser.visit(`${consoleUrl}/merchants`);
    },
  ],
];

test.each(ENDINGS)(
  "a form of a session that is %s comes back, is not sent by itself, and is carried out once",
  async (_which, end) => {
    const browser = openBrowser("alice");
    const sent = await fillIn(browser);
    await end(browser);
    const back = await browser.visit(consoleUrl + CREATE, new URLSearchParams(sent));
    expect([back.status, new URL(back.url).pathname]).toEqual([200, "/merchants"]);
    expect(back.text).toContain(BACK);
    expect(back.text).toContain(`value="${sent.name}"`);
    expect([await merchantsNamed(sent.name), await keptCount()]).toEqual([0, 0]);

    const again = { ...addedTo(back, CREATE), name: sent.name };
    expect(again.key).toBe(sent.key);
    for (let count = 0; count < 2; count++) {
      const done = await browser.visit(consoleUrl + CREATE, new URLSearchParams(again));
      expect([done.status, await merchantsNamed(sent.name)]).toEqual([200, 1]);
    }
  },
);

test("a form is given back once, and no later than after 15 minutes", async () => {
  const browser = openBrowser("alice");
  const sent = await fillIn(browser);
  await harness.query("delete from console.session");
  const back = await browser.visit(consoleUrl + CREATE, new URLSearchParams(sent));
  const second = await browser.visit(back.url);
  expect(second.text).toContain(GONE);
  expect(second.text).not.toContain(sent.name);

  await harness.query("delete from console.session");
  const { back: late } = await send(CREATE, sent, { Origin: consoleUrl });
  await harness.query("update console.kept_form set created_at = now() - interval '15 minutes'");
  expect((await browser.visit(consoleUrl + late!)).text).toContain(GONE);
});

test.each([
  ["true", "false"],
  ["false", "true"],
])("a form of a page with livemode=%s comes back in it, and the switch to %s stays", async (mode, other) => {
  const browser = openBrowser("alice");
  const page = await browser.visit(`${consoleUrl}/merchants?livemode=${mode}`);
  const sent = { ...addedTo(page, CREATE), name: `Shop ${randomUUID()}` };
  await browser.visit(`${consoleUrl}/merchants?livemode=${other}`);
  await harness.query("delete from console.session");
  const back = await browser.visit(consoleUrl + CREATE, new URLSearchParams(sent));
  expect(back.text).toContain(`value="${sent.name}"`);
  expect(new URL(back.url).searchParams.get("livemode")).toBe(mode);
  expect(browser.cookies()).toContain(`holdfast-mode=${other}`);
});

describe("another person", () => {
  const addKey = () => `${shop}/add-key`;

  test("who signs in on the same page gets nothing, and the first one still does", async () => {
    const alice = openBrowser("alice");
    const sent = { ...addedTo(await alice.visit(consoleUrl + shop), addKey()), keyAddresses: ADDRESS };
    await harness.query("delete from console.session");
    const { back } = await send(addKey(), sent, { Origin: consoleUrl });
    const mina = await openBrowser("mina").visit(consoleUrl + back!);
    expect(mina.text).toContain(GONE);
    expect(mina.text).not.toContain(ADDRESS);
    const own = await alice.visit(consoleUrl + back!);
    expect(own.text).toContain(`value="${ADDRESS}"`);
  });

  test("in whose session the form is sent is refused, and nothing is kept", async () => {
    const alice = openBrowser("alice");
    const sent = { ...addedTo(await alice.visit(consoleUrl + shop), addKey()), keyAddresses: ADDRESS };
    const mina = openBrowser("mina");
    await mina.visit(consoleUrl + shop);
    const refused = await mina.visit(consoleUrl + addKey(), new URLSearchParams(sent));
    expect([refused.status, await keptCount()]).toEqual([403, 0]);
    expect(refused.text).not.toContain(ADDRESS);
  });
});

test("nothing is kept of what another site sends, or what names nobody", async () => {
  const browser = openBrowser("alice");
  const sent = await fillIn(browser);
  const signedIn = { Cookie: browser.cookies() };
  const [ownToken = ""] = sent.formToken.split(".");
  const foreign = [
    {},
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: consoleUrl, "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
  ];
  for (const headers of foreign)
    expect(await send(CREATE, sent, headers)).toEqual({ status: 303, back: "/merchants" });
  for (const formToken of ["", "stale", ownToken, `${ownToken}.${ownToken}`]) {
    const forged = await send(CREATE, { ...sent, formToken }, { Origin: consoleUrl });
    expect(forged, formToken).toEqual({ status: 303, back: "/merchants" });
  }
  const stale = { ...sent, formToken: sent.formToken.replace(ownToken, "stale") };
  for (const headers of foreign)
    expect((await send(CREATE, stale, { ...headers, ...signedIn })).status).toBe(403);
  expect([await keptCount(), await merchantsNamed(sent.name)]).toEqual([0, 0]);
});

test("a form that is too long, or brings a file, is not kept, and the page says so", async () => {
  const browser = openBrowser("alice");
  const long = "x".repeat(70_000);
  const sent = await fillIn(browser, long);
  await harness.query("delete from console.session");
  const back = await browser.visit(consoleUrl + CREATE, new URLSearchParams(sent));
  expect(back.status).toBe(200);
  expect(back.text).toContain("could not be kept: it was too long, or had a file");
  expect(back.text).not.toContain(long);

  await harness.query("delete from console.session");
  const file = new FormData();
  file.append("formToken", sent.formToken);
  file.append("file", new Blob(["a;b"]), "bank.csv");
  const response = await fetch(`${consoleUrl}/settlement/upload`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: consoleUrl },
    body: file,
  });
  expect(response.headers.get("location")).toBe("/login?return=%2Fsettlement%3Fkept%3Dnone");
  expect(await keptCount()).toBe(0);
});

test("a form for which the sign-in is too old comes back after a newer one, and is carried out once", async () => {
  const browser = openBrowser("mina");
  const action = `${shop}/add-key`;
  const sent = { ...addedTo(await browser.visit(consoleUrl + shop), action), keyAddresses: ADDRESS };
  await harness.query("update console.session set authenticated_at = now() - interval '20 minutes'");
  const before = await keysOfShop();
  const refused = await browser.visit(consoleUrl + action, new URLSearchParams(sent));
  expect(refused.status).toBe(403);
  const [, way = ""] = /href="(\/login\?again=1&amp;return=[^"]+)"/.exec(refused.text) ?? [];
  const back = await browser.visit(consoleUrl + way.replaceAll("&amp;", "&"));
  expect([back.status, new URL(back.url).pathname]).toEqual([200, shop]);
  expect(back.text).toContain(BACK);
  expect(back.text).toContain(`value="${ADDRESS}"`);
  expect(await keysOfShop()).toBe(before);

  const again = { ...addedTo(back, action), keyAddresses: ADDRESS };
  expect(again.key).toBe(sent.key);
  for (let count = 0; count < 2; count++) {
    expect((await browser.visit(consoleUrl + action, new URLSearchParams(again))).status).toBe(200);
    expect(await keysOfShop()).toBe(before + 1);
  }
});
