// The operators' further pages in real browsers: webhooks, merchants, settlement, the audit log and the overview.
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { genericFile, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually } from "../support/index.ts";
import {
  DESK,
  inspect,
  inspectInBothLights,
  inspectOnEveryScreen,
  startBrowserHarness,
  type BrowserHarness,
} from "./browser-harness.ts";
import {
  alertOf,
  askOperatorApi as askApi,
  EVIL,
  factElement,
  faultsOf,
  postForm,
  READERS,
  readerOf,
  requestRefund,
  secretOf,
  sell,
  signInTo,
  statusOf,
} from "./console-people.ts";
import { signatureOf, startWebhookReceiver, type WebhookReceiver } from "./webhook-receiver.ts";

let product: BrowserHarness;
let receiver: WebhookReceiver;
let consoleUrl: string;
let merchantId: string;
beforeAll(async () => {
  product = await startBrowserHarness();
  ({ consoleUrl } = product.file);
  ({ merchantId } = product.file.merchants[0]!);
  receiver = await startWebhookReceiver(product.file);
});
afterAll(async () => {
  await receiver?.stop();
  await product?.stop();
});

const signIn = (name: string, path?: string, reader?: Parameters<typeof signInTo>[3]) =>
  signInTo(product, name, path, reader);
const factOf = (page: Page, name: string) => factElement(page, name).innerText();
const askOperatorApi = (name: string, method: string, path: string, body?: unknown) =>
  askApi(product, name, { method, path, body });

test("a webhook is explained, sent again, and signed by the secret that was shown once", async () => {
  receiver.answer(500, EVIL);
  const page = await signIn("alice", `/merchants/${merchantId}`);
  await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
  await page.getByRole("button", { name: "Add endpoint" }).click();
  expect(await statusOf(page)).toContain("This secret is shown once");
  const secret = await secretOf(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
  const { paymentId, orderId } = await sell(product);
  const arrived = () => receiver.received.find(({ body }) => body.includes(paymentId));
  await eventually(() => expect(arrived()).toBeDefined());
  const webhook = arrived()!;
  expect(webhook.signature).toBe(signatureOf(webhook, secret));

  await page.goto(`${consoleUrl}/deliveries?merchantId=${merchantId}`);
  await eventually(async () => {
    await page.reload();
    expect(await page.getByRole("table", { name: "Endpoints of the merchant" }).innerText()).toContain(
      "Fails",
    );
  });
  const mina = await signIn("mina");
  await page.goto(consoleUrl);
  for (const overview of [page, mina]) {
    const failing = overview.getByRole("table", { name: "Webhook endpoints that fail" });
    expect(await failing.getByRole("row").filter({ hasText: receiver.url }).innerText()).toContain("Live");
    expect(await overview.getByRole("table", { name: "Waiting" }).innerText()).toMatch(
      /Webhook endpoints that fail\s+1/,
    );
  }
  // An endpoint that fails stands above all else on the staff's page.
  expect(await mina.getByRole("table").first().innerText()).toContain(receiver.url);
  await page.getByRole("link", { name: receiver.url }).click();
  const line = page.getByRole("row").filter({ hasText: orderId });
  await line.waitFor();
  await eventually(async () => {
    await page.reload();
    expect(await line.innerText()).toContain("the answer was not 2xx (500)");
  });
  await line.getByRole("link", { name: orderId }).click();
  await eventually(async () => {
    await page.reload();
    expect(await page.getByRole("table", { name: "Attempts" }).innerText()).toContain("500");
  });
  expect(await page.getByText(EVIL).count()).toBeGreaterThan(0);
  expect(await page.locator("main img, main script").count()).toBe(0);
  await page.getByRole("link", { name: "Show the body" }).click();
  expect(await page.locator("pre").innerText()).toBe(webhook.body);
  expect(await page.locator("main img, main script").count()).toBe(0);
  const read = "select 1 from webhooks.audit_entry where action = 'webhook.body_read' and subject = $1";
  expect(await product.query(read, [webhook.eventId])).toHaveLength(1);
  const body = page.getByRole("textbox", { name: "Body as the receiver has it" });
  for (const [pasted, verdict] of [
    [webhook.body, "It is the body that was sent."],
    [JSON.stringify(JSON.parse(webhook.body), null, 2), "It is the same JSON, but written again"],
    ["another", "It is not the body that was sent"],
  ] as const) {
    await body.fill(pasted);
    await page.getByRole("button", { name: "Compare" }).click();
    expect(await statusOf(page)).toContain(verdict);
  }

  receiver.answer(204, "");
  const before = receiver.received.length;
  await page.getByRole("button", { name: "Redeliver", exact: true }).first().click();
  expect(await statusOf(page)).toContain("queued");
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(before));
  expect(receiver.received.at(-1)!.eventId).toBe(webhook.eventId);
  await eventually(async () => {
    await page.reload();
    expect(await page.getByRole("table", { name: "Attempts" }).innerText()).toContain("by hand");
  });
});

test("everything that waits for an endpoint is sent with one click, two from the overview", async () => {
  receiver.answer(500, "");
  const { paymentId } = await sell(product);
  const page = await signIn("alice");
  await eventually(async () => {
    await page.reload();
    expect(await page.getByRole("table", { name: "Webhook endpoints that fail" }).innerText()).toContain(
      receiver.url,
    );
  });
  receiver.answer(204, "");
  const arrived = () => receiver.received.filter(({ body }) => body.includes(paymentId)).length;
  const before = arrived();
  await page.getByRole("link", { name: receiver.url }).click();
  await page.getByRole("button", { name: "Send everything that waits" }).click();
  expect(await statusOf(page)).toMatch(/queued to be sent now/);
  await eventually(() => expect(arrived()).toBe(before + 1));
  await page.getByRole("button", { name: "Send everything that waits" }).click();
  expect(await statusOf(page)).toContain("nothing to send");
});

test("all that has failed since a time is sent again, and a time that is none is refused", async () => {
  const page = await signIn("alice", `/deliveries?merchantId=${merchantId}`);
  await page.getByLabel(/^Since/).fill("");
  await page.getByRole("button", { name: "Redeliver all that failed" }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await faultsOf(page)).toContain("Say since when");
  await page.getByLabel(/^Since/).fill("2026-01-01T00:00");
  await page.getByRole("button", { name: "Redeliver all that failed" }).click();
  expect(await statusOf(page)).toMatch(/nothing to send again|queued to be sent again/);
  expect(new URL(page.url()).searchParams.get("merchantId")).toBe(merchantId);
  await page.goto(`${consoleUrl}/deliveries?merchantId=nobody`);
  expect(await alertOf(page)).toContain("The fields below");
  expect(await faultsOf(page)).toContain("must be a UUID");
  expect(await page.getByText("No webhook matches").count()).toBe(1);
  await page.goto(`${consoleUrl}/deliveries?cursor=%21`);
  expect(await page.getByRole("alert").count()).toBe(1);
});

test("a double click on rotate is one rotation, and what is shown is the secret that signs", async () => {
  const secretVersions = async () => {
    const read = await askOperatorApi("vera", "GET", `/operator/merchants/${merchantId}/webhooks`);
    const { items } = (await read.json()) as { items: { secretVersion: number }[] };
    return items.map(({ secretVersion }) => secretVersion);
  };
  const [version] = await secretVersions();
  const page = await signIn("alice", `/merchants/${merchantId}`);
  await page.getByRole("button", { name: "Rotate secret" }).first().dblclick();
  await page.getByRole("status").waitFor();
  const secret = await secretOf(page);
  await inspectOnEveryScreen(page, "console-secret");
  await page.getByRole("link", { name: "Go to the merchant" }).click();
  await page.getByRole("button", { name: "Send test" }).first().click();
  expect(await statusOf(page)).toContain("has accepted the test webhook");
  const webhook = receiver.received.at(-1)!;
  expect(webhook.next).toBe(signatureOf(webhook, secret));
  await page.getByRole("button", { name: "Activate new secret" }).first().click();
  expect(await statusOf(page)).toContain("new secret signs");
  expect(await secretVersions()).toEqual([version! + 1]);
});

test("a double click makes one merchant, whose secret is shown and works", async () => {
  const name = `${EVIL.slice(0, 80)}${randomUUID().slice(0, 8)}`;
  const page = await signIn("omer", "/merchants");
  await page.getByRole("button", { name: "New merchant" }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await faultsOf(page)).toContain("Write the merchant's name");
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "New merchant" }).dblclick();
  await page.getByRole("status").waitFor();
  expect(await page.locator("main img, main script").count()).toBe(0);
  const credentials = {
    "X-API-KEY": await secretOf(page, "Key"),
    "X-API-SECRET": await secretOf(page),
  };
  const listed = () => fetch(`${product.file.gatewayUrl}/api/payments`, { headers: credentials });
  expect((await listed()).status).toBe(200);
  await page.goto(`${consoleUrl}/merchants`);
  expect(await page.getByRole("link", { name }).count()).toBe(1);
  await page.getByRole("link", { name }).click();
  expect(await page.title()).toContain(name);

  await page.getByRole("textbox", { name: "Rate in percent" }).fill("two");
  await page.getByRole("button", { name: "Save plan" }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await faultsOf(page)).toContain("Write a number");
  expect(await page.getByRole("textbox", { name: "Rate in percent" }).inputValue()).toBe("two");
  await page.getByRole("textbox", { name: "Rate in percent" }).fill("1.75");
  await page.getByRole("button", { name: "Save plan" }).click();
  expect(await factOf(page, "Rate in percent")).toBe("1.75%");
  await page.getByRole("button", { name: "New key" }).click();
  expect(await secretOf(page, "Key")).toMatch(/^hk_live_/);
  await page.getByRole("link", { name: "Go to the merchant" }).click();
  const row = page.getByRole("row").filter({ hasText: credentials["X-API-KEY"] });
  const questions: string[] = [];
  page.removeAllListeners("dialog");
  page.once("dialog", (dialog) => {
    questions.push(dialog.message());
    return dialog.dismiss();
  });
  await row.getByRole("button", { name: "Revoke" }).click();
  expect(questions).toEqual([expect.stringContaining(credentials["X-API-KEY"])]);
  expect(await page.getByRole("status").count()).toBe(0);
  page.on("dialog", (dialog) => dialog.accept());
  await row.getByRole("button", { name: "Revoke" }).click();
  expect(await statusOf(page)).toContain("The key is revoked");
  await eventually(async () => expect((await listed()).status).toBe(401));
  await page.getByRole("button", { name: "Suspend" }).click();
  expect(await statusOf(page)).toContain("suspended");
  expect(await factOf(page, "Status")).toBe("Suspended");
  await page.getByRole("button", { name: "Reactivate" }).click();
  expect(await factOf(page, "Status")).toBe("Active");
});

test("a form that arrives twice makes one merchant, and shows its secret in both answers", async () => {
  const page = await signIn("omer", "/merchants");
  const form = { name: `Twice ${randomUUID()}`, key: randomUUID() };
  const answers = await Promise.all([
    postForm(page, "/merchants/create", form),
    postForm(page, "/merchants/create", form),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const shown = await Promise.all(
    answers.map(async (answer) =>
      [...(await answer.text()).matchAll(/<code[^>]*>([^<]+)</g)].map(([, text]) => text),
    ),
  );
  // The key and the secret.
  expect(shown[0]).toHaveLength(2);
  expect(shown[1]).toEqual(shown[0]);
  expect(await product.query("select 1 from gateway.merchant where name = $1", [form.name])).toHaveLength(1);
  // Another session has no part in it.
  const other = await signIn("alice", "/merchants");
  expect(await (await postForm(other, "/merchants/create", form)).text()).not.toContain(shown[0]![1]);
});

test("the plan's rules stay as they are when its rate is changed", async () => {
  const rules = [{ cardType: "DEBIT", ratePercent: "1.00", fixed: "0.10" }];
  const commission = { ratePercent: "2.50", fixed: "0.25", currency: "TRY", rules };
  const made = await askOperatorApi("omer", "POST", "/operator/merchants", { name: "Ruled", commission });
  const { merchantId: ruled } = (await made.json()) as { merchantId: string };
  const page = await signIn("omer", `/merchants/${ruled}`);
  await page.getByRole("textbox", { name: "Rate in percent" }).fill("3");
  await page.getByRole("button", { name: "Save plan" }).click();
  await page.waitForURL(/done=/);
  expect(await page.getByRole("table", { name: "Rules of the plan" }).innerText()).toContain("Debit");
  const read = await askOperatorApi("vera", "GET", `/operator/merchants/${ruled}`);
  expect(await read.json()).toMatchObject({ commission: { ratePercent: "3", rules } });
});

/** @returns the import's id. */
async function upload(content: string): Promise<string> {
  const form = new FormData();
  form.set("file", new Blob([content]), `${EVIL.slice(0, 20)}.csv`);
  const path = `/operator/settlements?accountId=${product.file.accountId}&mapping=generic`;
  const sent = await askOperatorApi("alice", "POST", path, form);
  expect(sent.status).toBe(202);
  return ((await sent.json()) as { importId: string }).importId;
}

/** Other files report every payment again, whose lines are differences, too. */
const MISSING = "/settlement?class=MISSING_HERE";

/** Lines of a bank's file that name nothing of ours. @returns the ids of their differences. */
async function reportMissing(...grosses: string[]): Promise<string[]> {
  const importId = await upload(genericFile(...grosses.map((gross) => genericLine({ gross }))));
  const query =
    "select difference_id as id from settlement.difference where import_id = $1 and state = 'OPEN'";
  return await eventually(async () => {
    const found = await product.query<{ id: string }>(query, [importId]);
    expect(found).toHaveLength(grosses.length);
    return found.map(({ id }) => id);
  });
}

const rowOf = (page: Page, amount: string) => page.getByRole("row").filter({ hasText: `TRY ${amount}` });

/** Goes from a list to the difference's own page. */
async function open(page: Page, amount: string): Promise<void> {
  await rowOf(page, amount).getByRole("link", { name: "Missing here" }).click();
  await page.getByRole("heading", { name: "Difference: Missing here" }).waitFor();
}

async function closeAs(page: Page, reason: string, click: "click" | "dblclick" = "click"): Promise<void> {
  await page.getByLabel("The bank's amount").selectOption("NOT_OURS");
  await page.getByRole("textbox", { name: "Reason" }).fill(reason);
  await page.getByRole("button", { name: "Close", exact: true })[click]();
}

test("a difference is worked off to its end: a small one by one person, a large one by two", async () => {
  await reportMissing("12.51", "250.77");
  const alice = await signIn("alice", MISSING);
  await open(alice, "12.51");
  const both = await alice.getByRole("table", { name: "Both sides" }).innerText();
  expect(both).toMatch(/line [23]\b/);
  expect(both).toMatch(/TRY\s12\.51/);
  await alice.getByRole("button", { name: "Add note" }).click();
  expect(await alertOf(alice)).toContain("The fields below");
  expect(await faultsOf(alice)).toContain("Write what was found out");
  await alice.getByRole("textbox", { name: "Note" }).fill(`asked the bank ${EVIL}`);
  await alice.getByRole("textbox", { name: "Looked into by" }).fill(EVIL);
  await alice.getByRole("button", { name: "Add note" }).click();
  expect(await statusOf(alice)).toContain("Your note is recorded");
  expect(await alice.locator("main").innerText()).toContain(`asked the bank ${EVIL}`);
  expect(await alice.locator("main img, main script").count()).toBe(0);
  await closeAs(alice, "the bank's own test", "dblclick");
  await alice.getByRole("status").waitFor();
  expect(await rowOf(alice, "12.51").count()).toBe(0);
  // The list keeps its filter, and the next difference of it is one click away.
  expect(new URL(alice.url()).searchParams.get("class")).toBe("MISSING_HERE");
  await alice.getByRole("status").getByRole("link", { name: "Next difference" }).click();
  await alice.getByRole("heading", { name: "Difference: Missing here" }).waitFor();
  await alice.getByRole("main").getByRole("link", { name: "Open differences" }).click();
  await alice.waitForURL(`${consoleUrl}${MISSING}`);

  await open(alice, "250.77");
  await closeAs(alice, "of another shop");
  expect(await statusOf(alice)).toContain("A second person closes the difference");
  await alice.goto(`${consoleUrl}/settlement?state=PROPOSED`);
  await open(alice, "250.77");
  expect(await alice.getByRole("button", { name: "Close", exact: true }).count()).toBe(0);
  const vera = await signIn("vera", "/settlement?state=PROPOSED");
  await open(vera, "250.77");
  expect(await vera.locator("main").innerText()).toContain("it needs the role operations");
  const bora = await signIn("bora", "/settlement?state=PROPOSED");
  await open(bora, "250.77");
  await closeAs(bora, "seen, of another shop");
  expect(await statusOf(bora)).toContain("The difference is closed");
  await bora.goto(`${consoleUrl}/settlement?state=CLOSED`);
  expect(await rowOf(bora, "250.77").innerText()).toContain("bora");
  expect(await rowOf(bora, "12.51").innerText()).toContain("alice");
});

test("a difference is read in Turkish, without a word of English on its amounts", async () => {
  await reportMissing("41.41");
  const page = await signIn("alice", MISSING, { ...readerOf(DESK), locale: "tr-TR" });
  await page.getByRole("row").filter({ hasText: "₺41,41" }).getByRole("link", { name: "Bizde yok" }).click();
  const facts = await page.locator("main dl").innerText();
  expect(facts).toContain("Banka");
  expect(facts).toContain("₺41,41");
  const sides = await page.getByRole("table", { name: "İki taraf" }).innerText();
  expect(sides).toContain("bizde yok");
  expect(sides).toContain("Satış");
  expect(await page.locator('main [lang="en"]').count()).toBe(0);
});

test("closing a difference asks for a young sign-in, and 10 000 characters are refused and not lost", async () => {
  await reportMissing("31.31");
  const page = await signIn("alice", MISSING);
  const href = (await rowOf(page, "31.31").getByRole("link", { name: "Missing here" }).getAttribute("href"))!;
  const path = new URL(href, consoleUrl).pathname;
  const long = "ğ".repeat(10_000);
  await page.goto(consoleUrl + path);
  const refused = await postForm(page, `${path}/note`, { note: long });
  expect(refused.status).toBe(400);
  const shown = await refused.text();
  expect(shown).toContain(long);
  expect(shown).toContain('role="alert"');
  await product.query("update console.session set authenticated_at = now() - interval '16 minutes'");
  const late = await postForm(page, `${path}/close`, { decision: "NOT_OURS", reason: "why not" });
  expect(late.status).toBe(403);
  const asked = await late.text();
  expect(asked).toContain("need a sign-in of the last minutes");
  expect(asked).toContain('value="why not"');
  const [difference] = await product.query<{ state: string }>(
    "select state from settlement.difference where difference_id = $1",
    [path.split("/").at(-1)],
  );
  expect(difference!.state).toBe("OPEN");
});

test("a chargeback is on its payment's timeline, with what the bank says and until when it takes evidence", async () => {
  const { paymentId } = await sell(product);
  const opened = await askOperatorApi("alice", "POST", `/operator/payments/${paymentId}/chargebacks`, {
    amount: 4.25,
    currency: "TRY",
    reasonCode: EVIL.slice(0, 60),
    bankReference: "case-77",
    respondBy: "2030-01-31T12:00:00Z",
  });
  expect(opened.status).toBe(201);
  const { chargebackId } = (await opened.json()) as { chargebackId: string };
  const page = await signIn("vera", `/payments/${paymentId}`);
  const row = page.getByRole("row").filter({ hasText: "Chargeback: TRY 4.25, Open" });
  expect(await row.innerText()).toContain(`${EVIL.slice(0, 60)}; case-77`);
  expect(await row.locator("time").last().getAttribute("datetime")).toBe("2030-01-31T12:00:00.000Z");
  expect(await page.locator("main img, main script").count()).toBe(0);
  const ended = await askOperatorApi("bora", "POST", `/operator/chargebacks/${chargebackId}/outcome`, {
    outcome: "WON",
    reason: "the buyer had it",
  });
  expect(ended.status).toBe(200);
  await page.reload();
  const last = page.getByRole("row").filter({ hasText: "Chargeback: TRY 4.25, Won" });
  expect(await last.innerText()).toContain("the buyer had it");
});

test("a difference is closed and a merchant made without a script", async () => {
  await reportMissing("17.17");
  const page = await signIn("alice", MISSING, { ...readerOf(DESK), javaScriptEnabled: false });
  await open(page, "17.17");
  await closeAs(page, "a test of the bank's");
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toMatch(
    /^Close: not ours, TRY\s17\.17, Missing here\?$/,
  );
  await page.getByRole("button", { name: "Yes, do it" }).click();
  expect(await statusOf(page)).toContain("The difference is closed");
  await page.goto(`${consoleUrl}/merchants`);
  await page.getByRole("textbox", { name: "Name" }).fill("Without a script");
  await page.getByRole("button", { name: "New merchant" }).click();
  expect(await statusOf(page)).toContain("This secret is shown once");
});

test("a webhook is sent again with the keyboard alone", async () => {
  receiver.answer(204, "");
  const { paymentId } = await sell(product);
  const arrived = () => receiver.received.filter(({ body }) => body.includes(paymentId));
  await eventually(() => expect(arrived()).toHaveLength(1));
  const page = await signIn("bora", `/deliveries/${arrived()[0]!.eventId}`);
  await page.getByRole("button", { name: "Redeliver", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("status").waitFor();
  await eventually(() => expect(arrived()).toHaveLength(2));
});

test("the new pages speak Turkish", async () => {
  const page = await signIn("vera", "/merchants", { ...readerOf(DESK), locale: "tr-TR" });
  for (const [path, title] of [
    ["/", "Genel bakış"],
    ["/deliveries", "Bildirimler"],
    ["/merchants", "Üye iş yerleri"],
    ["/settlement", "Mutabakat"],
    ["/audit", "Denetim kaydı"],
  ] as const) {
    await page.goto(consoleUrl + path);
    expect(await page.title()).toBe(`${title} · Holdfast`);
    const ours = await page
      .locator("main :is(h1, h2, h3, th, label, button, caption, summary, .quiet)")
      .allInnerTexts();
    expect(ours.join(" ")).not.toMatch(/\b(the|Merchant|Filter|Status|Number|Open|Endpoint)\b/);
  }
});

test("what a bank's file settles is in the statements, on the page and in a CSV file", async () => {
  await sell(product);
  await upload(await (await fetch(`${product.file.acquirerUrl}/settlement`)).text());
  const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const days = `from=${dayIn(-10)}&to=${dayIn(10)}`;
  await eventually(async () => {
    const answer = await askOperatorApi("vera", "GET", `/operator/statements?${days}`);
    expect(((await answer.json()) as { items: unknown[] }).items).not.toEqual([]);
  });
  const page = await signIn("vera", `/settlement?${days}&merchantId=${merchantId}`);
  const statements = page.getByRole("table", { name: "Statements" });
  expect(await statements.getByRole("row").nth(1).innerText()).toMatch(/Demo Shop.*TRY/s);
  await inspect(page, "console-statements-desk-light");
  const cookies = await page.context().cookies(consoleUrl);
  const answer = await fetch(
    consoleUrl + (await page.getByRole("link", { name: "Download statements" }).getAttribute("href")),
    {
      headers: { Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") },
    },
  );
  expect(answer.headers.get("content-disposition")).toContain("statements.csv");
  expect(await answer.text()).toMatch(new RegExp(`netPayableAmount[^]*${merchantId}`));
  await page.goto(`${consoleUrl}/settlement?from=2020-03-01&to=2020-03-31`);
  expect(await page.getByText("No statement of these days").count()).toBe(1);
  await page.goto(`${consoleUrl}/settlement?from=2026-01-01&to=2026-03-31`);
  expect(await page.getByRole("alert").count()).toBe(1);
});

test("the audit log says who did what, and narrows to one person", async () => {
  const page = await signIn("vera", "/audit");
  await page.getByRole("textbox", { name: "Person" }).fill("omer");
  await page.getByRole("button", { name: "Filter" }).click();
  const rows = page.getByRole("table", { name: /Who did what/ }).getByRole("row");
  expect(await rows.nth(1).innerText()).toContain("omer");
  expect(await rows.filter({ hasText: "alice" }).count()).toBe(0);
  const created = page.getByRole("row").filter({ hasText: "Created the merchant" });
  expect(await created.first().getByRole("link").nth(2).getAttribute("href")).toMatch(/^\/merchants\//);
  // The action's link leads to all actions of its kind, and the filter then has its code.
  await page.getByRole("link", { name: "Created the merchant" }).first().click();
  await page.waitForURL(/action=merchant\.created/);
  expect(await page.getByRole("textbox", { name: "Action" }).inputValue()).toBe("merchant.created");
  await page.goto(`${consoleUrl}/audit?actor=nobody`);
  expect(await page.getByText("No entry matches").count()).toBe(1);
  await page.goto(`${consoleUrl}/audit?from=yesterday`);
  expect(await page.getByRole("alert").count()).toBe(1);
});

test("the overview's charts have their figures behind them", async () => {
  await sell(product);
  const page = await signIn("vera");
  expect(await page.getByRole("heading", { level: 3 }).count()).toBe(4);
  const volume = page.locator("section.chart").first();
  expect(await volume.getByRole("img").getAttribute("aria-label")).toMatch(/Volume by hour .*TRY/);
  await volume.getByText("Figures").click();
  expect(await volume.getByRole("table").innerText()).toContain("TRY");
});

test("whose access is withdrawn gets a page that says so, at the next click", async () => {
  const page = await signIn("vera", "/merchants");
  const refused = await askOperatorApi("bora", "POST", "/operator/refused-operators", {
    subject: "vera",
    reason: "left the company",
  });
  expect(refused.status).toBeLessThan(300);
  try {
    const answer = await page.goto(`${consoleUrl}/audit`);
    expect(answer!.status()).toBe(403);
    expect(await alertOf(page)).toContain("Your access was withdrawn");
    expect(await page.getByRole("navigation", { name: "Main" }).count()).toBe(1);
  } finally {
    await askOperatorApi("bora", "DELETE", "/operator/refused-operators/vera");
  }
});

test("who may only read is offered no change, and a form that they post changes nothing", async () => {
  const page = await signIn("vera", `/merchants/${merchantId}`);
  for (const name of ["Suspend", "Rotate secret", "New key", "Save plan"])
    expect(await page.getByRole("button", { name }).count(), name).toBe(0);
  expect((await postForm(page, `/merchants/${merchantId}/suspend`, {})).status).toBe(403);
  expect((await postForm(page, "/merchants/create", { name: "Not made" })).status).toBe(403);
  const made = await product.query("select 1 from gateway.merchant where name = 'Not made'");
  expect(made).toEqual([]);
});

/** Tables that are wider than their container, so that a cell is cut off until the reader scrolls. */
const SCROLLED_TABLES = `[...document.querySelectorAll("main :has(> table)")]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((each) => each.querySelector("caption").textContent)`;

test.each(READERS)("every page can be read and operated ($name)", async ({ name, reader }) => {
  const { paymentId } = await sell(product);
  await requestRefund(product, paymentId, { amount: 2 });
  const [difference = ""] = await reportMissing("99.99");
  const page = await signIn("alice", "/", reader);
  const [{ event_id: eventId } = { event_id: randomUUID() }] = await product.query<{ event_id: string }>(
    "select event_id from webhooks.attempt order by sent_at desc limit 1",
  );
  const pages = {
    overview: "/",
    payment: `/payments/${paymentId}`,
    deliveries: `/deliveries?merchantId=${merchantId}`,
    "deliveries-empty": "/deliveries?status=failed&livemode=false",
    delivery: `/deliveries/${eventId}`,
    "delivery-body": `/deliveries/${eventId}?show=body`,
    merchants: "/merchants",
    merchant: `/merchants/${merchantId}`,
    settlement: "/settlement",
    difference: `/settlement/differences/${difference}`,
    "installment-prices": `/accounts/${product.file.accountId}/installment-prices`,
    audit: "/audit",
  };
  for (const [title, path] of Object.entries(pages)) {
    const answer = await page.goto(consoleUrl + path);
    expect(answer!.status(), path).toBe(200);
    expect(await page.getByRole("banner").count()).toBe(1);
    expect(await page.getByRole("main").getByRole("heading", { level: 1 }).count()).toBe(1);
    await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
    await inspectInBothLights(page, `console-${title}-${name}`);
    expect(await page.evaluate(SCROLLED_TABLES), path).toEqual([]);
  }
});
