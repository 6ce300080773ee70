// Operators at work in the console, in real browsers: each person has a browser of their own.
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  DESK,
  inspectInBothLights,
  inspectOnEveryScreen,
  PHONE,
  startBrowserHarness,
  type BrowserHarness,
} from "./browser-harness.ts";
import { EVIL, faultsOf, READERS, readerOf, requestRefund, sell, signInTo } from "./console-people.ts";

let product: BrowserHarness;
let consoleUrl: string;
beforeAll(async () => {
  product = await startBrowserHarness();
  consoleUrl = product.file.consoleUrl;
});
afterAll(() => product.stop());

/** A sale, with any texts that a merchant or a buyer may send, and a refund of a part. */
async function sellAndRefund(order?: string) {
  const sold = await sell(product, order);
  return { ...sold, refundId: await requestRefund(product, sold.paymentId, { amount: 5 }) };
}

const signIn = (name: string, path?: string, reader?: Parameters<typeof signInTo>[3]) =>
  signInTo(product, name, path, reader);

const decisionsOf = (refundId: string) =>
  product.query<{ actor: string }>(
    "select actor from refunds.audit_entry where subject = $1 and action = 'refund.approved'",
    [refundId],
  );

test("who is signed out is led to the sign-in and back, and a form that they post does nothing", async () => {
  const { refundId } = await sellAndRefund();
  const answer = await fetch(`${consoleUrl}/refunds?x=1`, { redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/login?return=%2Frefunds%3Fx%3D1"]);
  const posted = await fetch(`${consoleUrl}/refunds/${refundId}/approve`, {
    method: "POST",
    headers: { Origin: consoleUrl },
    body: new URLSearchParams({ key: randomUUID() }),
    redirect: "manual",
  });
  expect(posted.status).toBe(303);
  expect(await decisionsOf(refundId)).toEqual([]);
  const page = await signIn("alice", `/refunds/${refundId}`);
  expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
});

test("one person requests a refund and another approves it: the first may not", async () => {
  const { paymentId, orderId } = await sellAndRefund();
  const alice = await signIn("alice", `/payments/${paymentId}`);
  // The rest of 12.50, as it would be typed.
  expect(await alice.getByRole("textbox", { name: "Amount" }).inputValue()).toBe("7.50");
  await alice.getByRole("textbox", { name: "Amount" }).fill("2.50");
  await alice.getByRole("textbox", { name: "Reason" }).fill("broken in transit");
  await alice.getByRole("button", { name: "Refund" }).click();
  expect(await alice.getByRole("status").innerText()).toContain("requested");
  await alice.getByRole("link", { name: "TRY 2.50", exact: true }).first().click();
  expect(await alice.getByRole("button", { name: "Approve" }).count()).toBe(0);
  expect(await alice.getByText("Approve: you have requested this refund").count()).toBe(1);

  const bora = await signIn("bora", "/refunds");
  const amount = bora.getByRole("cell", { name: "TRY 2.50", exact: true });
  const row = bora.getByRole("row").filter({ hasText: orderId }).filter({ has: amount });
  await row.getByRole("button", { name: "Approve" }).click();
  expect(await bora.getByRole("status").innerText()).toContain("Your approval is recorded");
  expect(new URL(bora.url()).pathname).toBe("/refunds");
  const decided = bora.getByRole("status").getByRole("link", { name: "Refund" });
  const approved = (await decided.getAttribute("href"))!.split("/").at(-1)!;
  expect(await decisionsOf(approved)).toEqual([{ actor: "bora" }]);
});

test("a rejection needs a reason, and what was entered stays where it is refused", async () => {
  const { refundId } = await sellAndRefund();
  const page = await signIn("bora", `/refunds/${refundId}`);
  await page.locator("summary", { hasText: "Reject" }).click();
  await page.getByRole("button", { name: "Reject" }).click();
  expect(await page.getByRole("alert").innerText()).toContain("The fields below");
  expect(await faultsOf(page)).toContain("Say why");
  await page.getByRole("textbox", { name: "Reason" }).fill("not ours");
  await page.getByRole("button", { name: "Reject" }).click();
  expect(await page.getByRole("status").innerText()).toContain("rejected");
  await page.getByRole("status").getByRole("link", { name: "Refund" }).click();
  expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
});

test("Enter in the reason rejects, in the queue and on the refund's page", async () => {
  for (const path of ["/refunds", ""]) {
    const { refundId, orderId } = await sellAndRefund();
    const page = await signIn("bora", path || `/refunds/${refundId}`);
    const place = path ? page.getByRole("row").filter({ hasText: orderId }) : page.getByRole("main");
    await place.locator("summary", { hasText: "Reject" }).click();
    await place.getByRole("textbox", { name: "Reason" }).fill("The parcel never came back");
    await page.keyboard.press("Enter");
    expect(await page.getByRole("status").innerText()).toContain("rejected");
    expect(await decisionsOf(refundId)).toEqual([]);
  }
});

test("an approval is asked about once, with amount, card, order and merchant", async () => {
  const { refundId, orderId } = await sellAndRefund();
  const page = await signIn("bora", `/refunds/${refundId}`);
  page.removeAllListeners("dialog");
  const questions: string[] = [];
  page.once("dialog", (dialog) => {
    questions.push(dialog.message());
    return dialog.dismiss();
  });
  await page.getByRole("button", { name: "Approve" }).click();
  expect(questions).toEqual([
    expect.stringMatching(`^Approve: TRY\\s5\\.00, card 411111 … 1111, order ${orderId}, Demo Shop\\?$`),
  ]);
  expect(await decisionsOf(refundId)).toEqual([]);
  // Simulates a failed script.
  await page.evaluate(`document.querySelector('form[action$="/approve"]').submit()`);
  await page.getByRole("button", { name: "Yes, do it" }).waitFor();
  await inspectOnEveryScreen(page, "console-question");
  expect(await decisionsOf(refundId)).toEqual([]);
});

test("a double click on approve is one decision", async () => {
  const { refundId } = await sellAndRefund();
  const page = await signIn("alice", `/refunds/${refundId}`);
  await page.getByRole("button", { name: "Approve" }).dblclick();
  await page.getByRole("status").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await decisionsOf(refundId)).toEqual([{ actor: "alice" }]);
});

test("who may only read sees why nothing is offered", async () => {
  const { refundId } = await sellAndRefund();
  const page = await signIn("vera", `/refunds/${refundId}`);
  expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
  expect(await page.getByText("it needs the role approver").count()).toBe(2);
});

test("a search finds a payment by its order number, and says what to do where it finds nothing", async () => {
  const { orderId, paymentId } = await sellAndRefund();
  const page = await signIn("vera");
  await page.getByRole("searchbox", { name: "Search" }).fill(orderId);
  await page.getByRole("searchbox", { name: "Search" }).press("Enter");
  await page.getByRole("link", { name: orderId }).last().click();
  expect(await page.title()).toMatch(new RegExp(`(Payment|Refund) ${orderId} · Holdfast`));
  await page.goto(`${consoleUrl}/search?q=${paymentId}`);
  expect(await page.getByRole("row").count()).toBe(2);
  await page.goto(`${consoleUrl}/search?q=nothing-has-this`);
  expect(await page.getByText("Nothing was found").count()).toBe(1);
  await page.goto(`${consoleUrl}/search?q=4111111111111111`);
  expect(await page.getByRole("alert").count()).toBe(1);
  expect(await page.content()).not.toContain("4111111111111111");
});

test("without a script a page asks before an approval, and its button approves once", async () => {
  const { refundId, orderId } = await sellAndRefund();
  const page = await signIn("alice", `/refunds/${refundId}`, { ...readerOf(DESK), javaScriptEnabled: false });
  await page.getByRole("button", { name: "Approve" }).click();
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toMatch(
    new RegExp(`^Approve: TRY\\s5\\.00, card 411111 … 1111, order ${orderId}, Demo Shop\\?$`),
  );
  await page.getByRole("link", { name: "No, go back" }).click();
  expect(new URL(page.url()).pathname).toBe(`/refunds/${refundId}`);
  expect(await decisionsOf(refundId)).toEqual([]);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("button", { name: "Yes, do it" }).dblclick();
  await page.getByRole("status").waitFor();
  expect(await decisionsOf(refundId)).toEqual([{ actor: "alice" }]);
});

test("a refund is approved with the keyboard alone", async () => {
  const { refundId } = await sellAndRefund();
  const page = await signIn("bora", `/refunds/${refundId}`);
  await page.getByRole("button", { name: "Approve" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("status").waitFor();
  expect(await decisionsOf(refundId)).toEqual([{ actor: "bora" }]);
});

test("what a merchant sends is text on every page that shows it", async () => {
  const { paymentId, refundId, orderId } = await sellAndRefund(EVIL.slice(0, 60));
  const page = await signIn("alice");
  for (const path of [
    "/refunds",
    `/refunds/${refundId}`,
    `/payments/${paymentId}`,
    "/payments",
    `/search?q=${encodeURIComponent(orderId)}`,
  ]) {
    await page.goto(consoleUrl + path);
    expect(await page.getByText(orderId.slice(0, 20)).count(), path).toBeGreaterThan(0);
    expect(await page.locator("main img, main script").count(), path).toBe(0);
    expect(await page.title(), path).not.toBe("broken");
  }
});

test("another site's form, and one without the session's token, decide nothing", async () => {
  const { refundId } = await sellAndRefund();
  const page = await signIn("alice", `/refunds/${refundId}`);
  const cookie = (await page.context().cookies(consoleUrl))
    .map(({ name, value }) => `${name}=${value}`)
    .join("; ");
  const formToken = await page.locator('input[name="formToken"]').first().inputValue();
  const send = async (form: Record<string, string>, headers: Record<string, string>) =>
    (
      await fetch(`${consoleUrl}/refunds/${refundId}/approve`, {
        method: "POST",
        headers: { Cookie: cookie, ...headers },
        body: new URLSearchParams({ key: randomUUID(), ...form }),
        redirect: "manual",
      })
    ).status;
  expect(await send({ formToken }, { Origin: "https://evil.example" })).toBe(403);
  expect(await send({ formToken }, { "Sec-Fetch-Site": "same-site" })).toBe(403);
  expect(await send({}, { Origin: consoleUrl })).toBe(403);
  expect(await send({ formToken: `${formToken}x` }, { Origin: consoleUrl })).toBe(403);
  expect(await decisionsOf(refundId)).toEqual([]);
  expect(await send({ formToken }, { Origin: consoleUrl })).toBe(303);
  expect(await decisionsOf(refundId)).toHaveLength(1);
});

test("after a logout the session is over everywhere, and the back button shows nothing", async () => {
  const page = await signIn("alice", "/refunds");
  const cookies = await page.context().cookies(consoleUrl);
  const session = cookies.find(({ name }) => name === "__Host-holdfast-session")!;
  expect(session).toMatchObject({ secure: true, httpOnly: true, sameSite: "Lax", path: "/", expires: -1 });
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL(`${consoleUrl}/logged-out`);
  await inspectOnEveryScreen(page, "logged-out");
  const again = await fetch(`${consoleUrl}/refunds`, {
    headers: { Cookie: `${session.name}=${session.value}` },
    redirect: "manual",
  });
  expect(again.status).toBe(303);
  await page.goto(`${consoleUrl}/refunds`);
  // The provider's session has ended, too: it asks who this is.
  await page.getByRole("button", { name: /^alice/ }).waitFor();
  await page.goBack();
  expect(await page.getByRole("table").count()).toBe(0);
});

test("the tabs of a restored window sign in together, each to its page", async () => {
  const page = await signIn("alice");
  const context = page.context();
  await context.clearCookies({ name: "__Host-holdfast-session" });
  const paths = ["/merchants", "/refunds", "/payments"];
  const tabs = [page, await context.newPage(), await context.newPage()];
  await Promise.all(tabs.map((tab, index) => tab.goto(consoleUrl + paths[index]!)));
  expect(tabs.map((tab) => new URL(tab.url()).pathname)).toEqual(paths);
  expect((await context.cookies(consoleUrl)).map(({ name }) => name)).not.toContainEqual(
    expect.stringContaining("holdfast-login"),
  );
});

test("a session that somebody knows before a sign-in is worth nothing after it", async () => {
  const page = await signIn("alice");
  const known = await sessionOf(page);
  await page.goto(`${consoleUrl}/login`);
  await page.waitForURL(`${consoleUrl}/`);
  const session = await sessionOf(page);
  expect(session).not.toBe(known);
  const answer = await fetch(consoleUrl, {
    headers: { Cookie: `__Host-holdfast-session=${known}` },
    redirect: "manual",
  });
  expect(answer.status).toBe(303);
  // The database has no value that a browser could show.
  const rows = await product.query<{ row: string }>("select session::text as row from console.session");
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.some(({ row }) => row.includes(session))).toBe(false);
});

async function sessionOf(page: Page): Promise<string> {
  const cookies = await page.context().cookies(consoleUrl);
  return cookies.find(({ name }) => name === "__Host-holdfast-session")!.value;
}

test("a session that was left idle asks who this is, and a decision asks for a young sign-in", async () => {
  const { refundId } = await sellAndRefund();
  const page = await signIn("alice", `/refunds/${refundId}`);
  await product.query("update console.session set authenticated_at = now() - interval '16 minutes'");
  await page.getByRole("button", { name: "Approve" }).click();
  expect(await page.getByRole("alert").innerText()).toContain("need a sign-in of the last minutes");
  expect(await decisionsOf(refundId)).toEqual([]);
  await product.query("update console.session set seen_at = now() - interval '16 minutes'");
  await page.goto(`${consoleUrl}/refunds/${refundId}`);
  await page.getByRole("button", { name: /^alice/ }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("status").waitFor();
  expect(await decisionsOf(refundId)).toHaveLength(1);
});

test("the queue is as it is now when somebody looks at it again, unless they have begun to write", async () => {
  const page = await signIn("alice", "/refunds");
  await page.clock.install();
  await page.reload();
  const { refundId } = await sellAndRefund();
  const lookAgain = async () => {
    await page.clock.fastForward(11_000);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  };
  await lookAgain();
  await page.locator(`a[href="/refunds/${refundId}"]`).waitFor();
  await page.locator("summary", { hasText: "Reject" }).first().click();
  const reason = page.locator('input[name="reason"]').first();
  await reason.fill("seen by");
  await lookAgain();
  expect(await reason.inputValue()).toBe("seen by");
  await page.getByRole("link", { name: "Refresh" }).click();
  expect(await reason.inputValue()).toBe("");
});

test("a test payment is marked on its page, in its list and in a search, and a live one is not", async () => {
  const live = await sell(product);
  const { paymentId, orderId } = await sell(product, undefined, product.testApi);
  const page = await signIn("vera");
  const marks = async (path: string) => {
    await page.goto(consoleUrl + path);
    const row = page.getByRole("row").filter({ hasText: orderId });
    return {
      ribbon: await page.getByText("Test: no money moves").count(),
      row: await row.getByText("Test", { exact: true }).count(),
    };
  };
  expect(await marks(`/payments/${paymentId}`)).toEqual({ ribbon: 1, row: 0 });
  expect(await marks("/payments?livemode=false")).toEqual({ ribbon: 1, row: 1 });
  expect(await marks(`/search?q=${orderId}`)).toEqual({ ribbon: 1, row: 1 });
  expect(await marks(`/payments/${live.paymentId}`)).toEqual({ ribbon: 0, row: 0 });
  expect(await marks("/payments?livemode=true")).toEqual({ ribbon: 0, row: 0 });
});

test.each(["vera", "mina"])(
  "a merchant's page in test mode is marked, and the switch of modes stays on it (%s)",
  async (name) => {
    const path = `/merchants/${product.file.merchants[0]!.merchantId}`;
    const page = await signIn(name, `${path}?livemode=false`);
    const ribbon = page.getByText("Test: no money moves");
    expect(await ribbon.count()).toBe(1);
    await page.getByRole("group", { name: "Mode" }).getByRole("link", { name: "Live" }).click();
    await page.waitForURL(`${consoleUrl}${path}?livemode=true`);
    expect(await ribbon.count()).toBe(0);
  },
);

test("a switch of languages keeps what was searched", async () => {
  const { orderId } = await sellAndRefund();
  const page = await signIn("vera", `/search?q=${orderId}`);
  await page.getByRole("link", { name: "Türkçe" }).click();
  expect(await page.getByRole("searchbox").inputValue()).toBe(orderId);
  expect(await page.locator("html").getAttribute("lang")).toBe("tr");
  expect(await page.getByRole("link", { name: orderId }).count()).toBeGreaterThan(0);
});

test("times are in the zone of the reader, which is named", async () => {
  const { refundId } = await sellAndRefund();
  const page = await signIn("vera", `/refunds/${refundId}`, {
    ...readerOf(DESK),
    timezoneId: "Europe/Istanbul",
  });
  const time = page.getByRole("main").locator("time").first();
  expect(await time.innerText()).toMatch(/ \d\d:\d\d:\d\d GMT\+3$/);
  expect(await time.getAttribute("title")).toMatch(/Z$/);
});

test("the first key on a page leads past its head, in either language", async () => {
  const page = await signIn("vera", "/payments");
  for (const [language, name] of [
    ["en", "Skip to the content"],
    ["tr", "İçeriğe geç"],
  ] as const) {
    await page.goto(`${consoleUrl}/payments?lang=${language}`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe(name);
    await page.keyboard.press("Enter");
    await page.waitForURL(/#content$/);
    expect(await page.evaluate("document.activeElement.tagName")).toBe("MAIN");
  }
});

test("the pages speak English and Turkish, and stay in the language that was chosen", async () => {
  const page = await signIn("vera", "/", readerOf(PHONE));
  expect(await page.locator("html").getAttribute("lang")).toBe("tr");
  await page.getByRole("link", { name: "English" }).click();
  await page.goto(`${consoleUrl}/refunds`);
  expect(await page.title()).toBe("Refunds · Holdfast");
  expect(await page.getByRole("navigation", { name: "Main" }).count()).toBe(1);
});

test.each(READERS)("every page can be read and operated ($name)", async ({ name, reader }) => {
  const { refundId } = await sellAndRefund();
  const page = await signIn("alice", "/", reader);
  const pages = {
    search: "/search?q=1111",
    payments: "/payments",
    refunds: "/refunds",
    refund: `/refunds/${refundId}`,
    unresolved: "/unresolved",
    missing: "/nothing",
  };
  for (const [title, path] of Object.entries(pages)) {
    await page.goto(consoleUrl + path);
    expect(await page.getByRole("banner").count()).toBe(1);
    expect(await page.getByRole("main").getByRole("heading", { level: 1 }).count()).toBe(1);
    await inspectInBothLights(page, `console-${title}-${name}`);
  }
});
