// Sends a form that was opened before somebody else changed the same record. It overwrites nothing unseen,
// and comes back with the person's input beside the present values.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TEST_ACCOUNT_ID } from "../support/index.ts";
import { startRelayedConsole, type Asked, type RelayedConsole } from "./relayed-console.ts";

let started: RelayedConsole;
let olga: string;
let bora: string;
beforeAll(async () => {
  started = await startRelayedConsole();
  olga = await started.signIn("operator", { subject: "olga" });
  bora = await started.signIn("operator", { subject: "bora" });
});
afterAll(() => started?.close());

const CHANGED = "It has been changed since you read it. The page has it as it is now";

/** The hidden fields of the form that leads there. */
function fieldsOf({ text }: Pick<Asked, "text">, action: string): Record<string, string> {
  const [form = ""] =
    new RegExp(`action="${RegExp.escape(action)}(?:\\?[^"]*)?"[^]*?</form>`).exec(text) ?? [];
  const hidden = [...form.matchAll(/<input\s+type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"/g)];
  return Object.fromEntries(hidden.map(([, name = "", value = ""]): [string, string] => [name, value]));
}

const versionIn = (fields: Record<string, string>) =>
  Object.entries(fields).find(([name]) => name.startsWith("version"))?.[1];

const merchantPage = () => `/merchants/${started.shops.mine.merchantId}`;
const PLAN = { fixed: "0", currency: "TRY", refundsCommission: "true", mayExceedAmount: "false" };

/**
 * Forms of one page, each with one person's input, the values that another one has saved, and the page's
 * values afterwards.
 */
const FORMS: readonly {
  verb: string;
  typed: Record<string, string>;
  saved: Record<string, string>;
  shown: readonly string[];
}[] = [
  {
    verb: "rename",
    typed: { newName: "Typed name" },
    saved: { newName: "Saved name" },
    shown: ['value="Typed name"', "Merchant Saved name"],
  },
  {
    verb: "plan",
    typed: { ...PLAN, ratePercent: "1.25" },
    saved: { ...PLAN, ratePercent: "2.75" },
    shown: ['value="1.25"', "2.75%"],
  },
  {
    verb: "rules",
    typed: { cardMax: "17", cardMinutes: "60" },
    saved: { cardMax: "23", cardMinutes: "60" },
    shown: ['value="17"', "at most 23 within"],
  },
  {
    verb: "branding",
    typed: { brandName: "Typed shop", brandColor: "#7a1f5c", brandLogo: "" },
    saved: { brandName: "Saved shop", brandColor: "#0a5f5b", brandLogo: "" },
    shown: ['value="Typed shop"', "In use now:", "Payment page of Saved shop"],
  },
];

test.each(FORMS)(
  "$verb of a merchant overwrites nothing unseen, and is saved once it was compared",
  async ({ verb, typed, saved, shown }) => {
    const path = `${merchantPage()}/${verb}`;
    const tab = fieldsOf(await started.get(olga, merchantPage()), path);
    const other = fieldsOf(await started.get(bora, merchantPage()), path);
    expect((await started.post(bora, path, { ...other, ...saved })).status).toBe(303);
    const refused = await started.post(olga, path, { ...tab, ...typed });
    expect(refused.status).toBe(409);
    for (const part of [CHANGED, ...shown]) expect(refused.text).toContain(part);
    const again = fieldsOf(refused, path);
    expect([Number(versionIn(again)), again["key"] === tab["key"]]).toEqual([
      Number(versionIn(tab)) + 1,
      false,
    ]);
    // A double click is one change.
    for (let count = 0; count < 2; count++)
      expect((await started.post(olga, path, { ...again, ...typed })).status).toBe(303);
  },
);

test("it is said in Turkish, too", async () => {
  const path = `${merchantPage()}/rename`;
  const formOf = async (who: string) => fieldsOf(await started.get(who, merchantPage()), path);
  const tab = await formOf(olga);
  await started.post(bora, path, { ...(await formOf(bora)), newName: "Another name" });
  const inTurkish = { Origin: started.url, "Accept-Language": "tr" };
  const refused = await started.post(olga, path, { ...tab, newName: "Bir ad" }, inTurkish);
  expect(refused.status).toBe(409);
  expect(refused.text).toContain("Siz okuduktan sonra değiştirildi. Sayfada şimdiki hâli");
});

test("a merchant's staff and an operator change one endpoint, and none of them unseen", async () => {
  const { merchantId, things } = started.shops.mine;
  const path = `${merchantPage()}/change-webhook`;
  const mina = await started.signIn("staff", { subject: "mina" });
  const formIn = ({ text }: Asked) => {
    const form = text.split("<form ").find((each) => each.includes(`version.${things.endpoint}`));
    return fieldsOf({ text: form ?? "" }, path);
  };
  const tab = formIn(await started.get(olga, merchantPage()));
  const typed = { endpointUrl: "https://127.0.0.1:9/typed", events: "payment.captured", headers: "" };
  const saved = { endpointUrl: "https://127.0.0.1:9/saved", events: "refund.requested", headers: "" };
  const hers = formIn(await started.get(mina, merchantPage()));
  expect((await started.post(mina, path, { ...hers, ...saved })).status).toBe(303);
  const refused = await started.post(olga, path, { ...tab, ...typed });
  expect(refused.status).toBe(409);
  for (const part of [CHANGED, `value="${typed.endpointUrl}"`, `${saved.endpointUrl}</a>`])
    expect(refused.text).toContain(part);
  // The merchant's default endpoint has a version of its own.
  expect(refused.text).toMatch(new RegExp(`name="version\\.${merchantId}"\\s+value="1"`));
  expect((await started.post(olga, path, { ...formIn(refused), ...typed })).status).toBe(303);
  const rows = await started.query("select url, version from webhooks.endpoint where endpoint_id = $1", [
    things.endpoint,
  ]);
  expect(rows).toEqual([{ url: typed.endpointUrl, version: 3 }]);
});

const BANK = {
  protocol: "iyzico",
  currencies: "TRY",
  "settings.url": "http://127.0.0.1:9",
  "settings.locale": "en",
  "settings.defaults.ip": "203.0.113.1",
  "settings.defaults.item.name": "Order",
  "settings.defaults.item.category": "Goods",
  "settings.defaults.item.kind": "virtual",
};
const SECRETS = { "secrets.apiKey": "sandbox-key", "secrets.secretKey": "sandbox-secret" };

test("an account's change, and its closing, take the place of no proposal that nobody has seen", async () => {
  await started.post(olga, "/accounts/new/create", { ...BANK, ...SECRETS, name: "Shared bank" });
  const [made] = await started.query<{ account_id: string }>(
    "select account_id from payments.acquirer_account where name = 'Shared bank'",
  );
  const page = `/accounts/${made!.account_id}`;
  await started.post(bora, `${page}/confirm`, { version: "1" });
  const opened = await started.get(olga, page);
  const tab = fieldsOf(opened, `${page}/change`);
  const closing = fieldsOf(opened, `${page}/state`);
  expect([tab["version"], closing["version"]]).toEqual(["1", "1"]);
  const his = fieldsOf(await started.get(bora, page), `${page}/change`);
  const saved = await started.post(bora, `${page}/change`, { ...his, ...BANK, name: "Saved bank" });
  expect(saved.status).toBe(303);
  const refused = await started.post(olga, `${page}/change`, { ...tab, ...BANK, name: "Typed bank" });
  expect(refused.status).toBe(409);
  for (const part of [CHANGED, 'value="Typed bank"', "Saved bank", "Proposed by bora"])
    expect(refused.text).toContain(part);
  expect(fieldsOf(refused, `${page}/change`)["version"]).toBe("2");
  const close = await started.post(olga, `${page}/state`, { state: "CLOSED", version: "1" });
  expect(close.status).toBe(409);
});

test("routes that are made from older ones are refused, with both in sight", async () => {
  const path = `${merchantPage()}/routes`;
  const formOf = async (who: string) => fieldsOf(await started.get(who, merchantPage()), path);
  const [tab, his] = [await formOf(olga), await formOf(bora)];
  expect(tab["version.routes"]).toBe("0");
  const route = { routeAccount: TEST_ACCOUNT_ID, routeDomInt: "", routeScheme: "", routeLoyalty: "" };
  const routes = { ...route, routeFrom: "", routeRetry: "", routePlace: "1" };
  expect((await started.post(bora, path, { ...his, ...routes, routeCurrency: "TRY" })).status).toBe(303);
  const refused = await started.post(olga, path, { ...tab, ...routes, routeCurrency: "USD" });
  expect(refused.status).toBe(409);
  for (const part of [CHANGED, 'value="USD"', ">TRY</td>", "bora has proposed other routes"])
    expect(refused.text).toContain(part);
  expect(fieldsOf(refused, path)["version.routes"]).toBe("1");
});
