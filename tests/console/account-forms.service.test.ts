// Manages accounts at banks by forms alone: fields as the protocol describes them, two people, and
// credentials that are never shown again.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelayedConsole, type RelayedConsole } from "./relayed-console.ts";

let started: RelayedConsole;
let olga: string;
let bora: string;
beforeAll(async () => {
  started = await startRelayedConsole();
  olga = await started.signIn("operator", { subject: "olga" });
  bora = await started.signIn("operator", { subject: "bora" });
});
afterAll(() => started?.close());

const KEY = "sandbox-key-that-nobody-sees";
const SECRET = "secret-that-nobody-sees";
const FIELDS = {
  protocol: "iyzico",
  currencies: "try, EUR",
  "settings.url": "http://127.0.0.1:9",
  "settings.locale": "en",
  "settings.defaults.ip": "203.0.113.1",
  "settings.defaults.email": "",
  "settings.defaults.item.name": "Order",
  "settings.defaults.item.category": "Goods",
  "settings.defaults.item.kind": "virtual",
  "secrets.apiKey": KEY,
  "secrets.secretKey": SECRET,
};

/** @returns the id of an account that olga has proposed. */
async function propose(name: string): Promise<string> {
  const { status } = await started.post(olga, "/accounts/new/create", { ...FIELDS, name });
  expect(status).toBe(303);
  const [made] = await started.query<{ account_id: string }>(
    "select account_id from payments.acquirer_account where name = $1",
    [name],
  );
  return made!.account_id;
}

const faultOf = (text: string, path: string) =>
  new RegExp(`<p class="fault" id="${RegExp.escape(path)}-fault">([^<]*)</p>`).exec(text)?.[1];

test("every protocol has a form with its settings and credentials", async () => {
  const { text } = await started.get(olga, "/accounts/new");
  const paths = [...text.matchAll(/href="(\/accounts\/new\?protocol=[a-z]+)"/g)].map(([, path]) => path!);
  expect(paths.length).toBeGreaterThanOrEqual(6);
  for (const path of paths) {
    const page = await started.get(olga, path);
    expect([path, page.status]).toEqual([path, 200]);
    expect(page.text).toMatch(/name="settings\.\w*[uU]rl"/);
    expect(page.text).toMatch(/<input\s+type="password"\s+id="secrets\./);
  }
});

test("a wrong field is said beside it, what was entered stays, and credentials do not", async () => {
  const wrong = { "settings.defaults.ip": "", "settings.defaults.item.kind": "", "settings.url": "bank" };
  const { status, text } = await started.post(olga, "/accounts/new/create", {
    ...FIELDS,
    ...wrong,
    name: "Refused bank",
    default: "true",
  });
  expect(status).toBe(400);
  expect(faultOf(text, "settings.defaults.ip")).toBe("is required");
  expect(faultOf(text, "settings.defaults.item.kind")).toBe("is required");
  expect(faultOf(text, "settings.url")).toContain("must be an http:// or https:// address");
  expect(faultOf(text, "settings.defaults.email")).toBeUndefined();
  for (const kept of ['value="Refused bank"', 'value="Goods"', '<option value="en" selected>'])
    expect(text).toContain(kept);
  expect(text).toMatch(/name="default"\s+value="true"\s+checked/);
  expect(text).toMatch(/id="secrets\.apiKey"\s+name="secrets\.apiKey"\s+value=""/);
  for (const secret of [KEY, SECRET]) expect(text).not.toContain(secret);
  const rows = "select 1 from payments.acquirer_account where name = 'Refused bank'";
  expect(await started.query(rows)).toEqual([]);
});

test("an account is made with nested settings, shown to a second person, and confirmed by them", async () => {
  const accountId = await propose("Nested bank");
  const path = `/accounts/${accountId}`;
  const [version] = await started.query(
    "select settings, attributes->'currencies' as currencies from payments.acquirer_account_version where account_id = $1",
    [accountId],
  );
  expect(version).toEqual({
    currencies: ["TRY", "EUR"],
    settings: {
      url: "http://127.0.0.1:9",
      locale: "en",
      defaults: { ip: "203.0.113.1", item: { name: "Order", category: "Goods", kind: "virtual" } },
    },
  });
  const shown = await started.get(bora, path);
  expect(shown.text).toContain("Proposed by olga");
  for (const part of ["defaults.item.kind", "203.0.113.1", "It brings new credentials", "secrets.apiKey"])
    expect(shown.text).toContain(part);
  for (const secret of [KEY, SECRET]) expect(shown.text).not.toContain(secret);

  const own = await started.post(olga, `${path}/confirm`, { version: "1" });
  expect([own.status, own.text.includes('role="alert"')]).toEqual([403, true]);
  expect((await started.post(bora, `${path}/confirm`, { version: "1" })).status).toBe(303);
  const confirmed = await started.get(olga, path);
  expect(confirmed.text).toContain("Active");
  expect(confirmed.text).not.toContain("Proposed by");
  const { text: list } = await started.get(olga, "/accounts");
  expect(list).toContain(`href="${path}"`);
});

test("a change shows what it changes, and another address takes the credentials again", async () => {
  const accountId = await propose("Moving bank");
  const path = `/accounts/${accountId}`;
  await started.post(bora, `${path}/confirm`, { version: "1" });
  const change = (more: Record<string, string>) =>
    started.post(olga, `${path}/change`, {
      ...FIELDS,
      name: "Moving bank",
      state: "ACTIVE",
      "secrets.apiKey": "",
      "secrets.secretKey": "",
      ...more,
    });
  const elsewhere = { "settings.url": "http://127.0.0.1:10" };
  const refused = await change(elsewhere);
  expect(refused.status).toBe(400);
  expect(faultOf(refused.text, "secrets")).toContain("must be sent again");
  expect((await change({ ...elsewhere, "secrets.apiKey": KEY, "secrets.secretKey": SECRET })).status).toBe(
    303,
  );
  const { text } = await started.get(bora, path);
  expect(text).toMatch(/>url<\/td>[^]*http:\/\/127\.0\.0\.1:9<\/td>[^]*http:\/\/127\.0\.0\.1:10<\/td>/);
  expect(text).toContain("It brings new credentials");

  expect((await started.post(olga, `${path}/state`, { state: "NO_NEW_PAYMENTS" })).status).toBe(303);
  expect((await started.post(bora, `${path}/confirm`, { version: "3" })).status).toBe(303);
  const [account] = await started.query(
    "select state, version from payments.acquirer_account where account_id = $1",
    [accountId],
  );
  expect(account).toEqual({ state: "NO_NEW_PAYMENTS", version: 3 });
});

test("a bank that cannot be reached is said, with the proposal and without", async () => {
  const accountId = await propose("Silent bank");
  const path = `/accounts/${accountId}`;
  const typed = { proposalVersion: "1", "secrets.apiKey": KEY, "secrets.secretKey": SECRET };
  const proposed = await started.post(olga, `${path}/probe`, typed);
  expect([proposed.status, proposed.text.includes("The bank cannot be reached")]).toEqual([200, true]);
  const lacking = await started.post(olga, `${path}/probe`, { ...typed, "secrets.apiKey": "" });
  expect(lacking.status).toBe(400);
  expect(faultOf(lacking.text, "probe-secrets.apiKey")).toBe("is required");
  for (const { text } of [proposed, lacking])
    for (const secret of [KEY, SECRET]) expect(text).not.toContain(secret);
  await started.post(bora, `${path}/confirm`, { version: "1" });
  expect((await started.post(olga, `${path}/probe`, {})).text).toContain("The bank cannot be reached");
});

test("credentials of a form are kept nowhere but sealed", async () => {
  await propose("Sealed bank");
  for (const table of [
    "gateway.operator_key",
    "gateway.audit_entry",
    "payments.audit_entry",
    "payments.acquirer_account_version",
    "console.session",
  ]) {
    const found = await started.query(
      `select 1 from ${table} as kept
       where kept::text like '%' || $1::text || '%' or kept::text like '%' || encode($1::text::bytea, 'hex') || '%'`,
      ["-that-nobody-sees"],
    );
    expect([table, found]).toEqual([table, []]);
  }
});

test("who only reads sees the accounts and no form, and a merchant's staff see nothing", async () => {
  const path = `/accounts/${await propose("Read bank")}`;
  const vera = await started.signIn("operator", { subject: "vera", roles: ["viewer"] });
  const { status, text } = await started.get(vera, path);
  expect(status).toBe(200);
  expect(text).toContain("it needs the role admin");
  for (const action of ["change", "confirm", "state", "probe"])
    expect(text).not.toContain(`${path}/${action}`);
  expect((await started.get(vera, "/accounts/new?protocol=iyzico")).text).not.toContain(
    "/accounts/new/create",
  );
  const mina = await started.signIn("staff", { subject: "mina" });
  for (const page of ["/accounts", "/accounts/new", path])
    expect((await started.get(mina, page)).status).toBe(404);
});
