// Every form of the console, sent as it must not be: each has a page that explains the refusal, and nothing is done.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PAGES } from "../../services/console/src/http/console-app.ts";
import { TEXTS } from "../../services/console/src/ui/texts.ts";
import { openDispute, startRelayedConsole, type Audience, type RelayedConsole } from "./relayed-console.ts";
import { TEST_ACCOUNT_ID } from "../support/index.ts";

type Form = {
  who: Audience[];
  /** Good values, as a person would enter them. */
  fields?: Record<string, string>;
  /** The fields whose values stay on the page that refuses them, and whose faults are shown beside them. */
  kept?: string[];
  /** The fields to choose from a list: of another value the page shows the fault alone. */
  chosen?: string[];
  /** A value that each of these fields refuses; by default it is far too long. */
  refused?: string;
  /** True if the form changes nothing, so that everybody who may see the page may send it. */
  onlyReads?: true;
};

const BOTH: Audience[] = ["operator", "staff"];
const LOGO = '<svg viewBox="0 0 24 24"><path d="M4 4h16v16H4z" fill="#7a1f5c"/></svg>';
const AMOUNT = { amount: "1", reason: "returned" };
const EVIDENCE = { outcome: "SUCCESS", evidence: "a call with the bank" };

/** Forms by the path of their page, as in `PAGES`. */
const FORMS: Record<string, Form> = {
  "/payments/:paymentId/capture": { who: ["staff"], fields: { captureAmount: "1" } },
  "/payments/:paymentId/review-capture": {
    who: ["staff"],
    fields: { captureAmount: "1" },
    onlyReads: true,
  },
  "/payments/:paymentId/cancel": { who: ["staff"] },
  "/payments/:paymentId/inquire": { who: ["operator"] },
  "/payments/:paymentId/reverse": { who: ["operator"] },
  "/payments/:paymentId/resolve": { who: ["operator"], fields: EVIDENCE },
  "/payments/:paymentId/refund": { who: BOTH, fields: AMOUNT, kept: ["amount", "reason"] },
  "/refunds/:refundId/approve": { who: ["operator"] },
  "/refunds/:refundId/reject": { who: ["operator"], fields: { reason: "not ours" }, kept: ["reason"] },
  "/refunds/review": { who: ["operator"], onlyReads: true },
  "/refunds/approve-selected": { who: ["operator"], fields: { refundId: ":refundId", amount: "1 TRY" } },
  "/refunds/reject-selected": {
    who: ["operator"],
    fields: { refundId: ":refundId", reason: "not ours" },
    kept: ["reason"],
  },
  "/refunds/:refundId/inquire": { who: ["operator"] },
  "/refunds/:refundId/resolve": { who: ["operator"], fields: EVIDENCE },
  "/disputes/:chargebackId/change": {
    who: ["operator"],
    fields: { reasonCode: "10.4", bankReference: "case-1", respondBy: "2030-01-01T00:00:00" },
    kept: ["reasonCode", "bankReference", "respondBy"],
  },
  "/disputes/:chargebackId/outcome": {
    who: ["operator"],
    fields: { outcome: "LOST", reason: "it is true" },
    kept: ["reason"],
    chosen: ["outcome"],
  },
  "/deliveries/redeliver": { who: BOTH, fields: { since: "2026-01-01T00:00:00" }, kept: ["since"] },
  "/deliveries/:eventId/redeliver": { who: BOTH, fields: { endpointId: randomUUID() } },
  "/deliveries/:eventId/compare": {
    who: BOTH,
    fields: { body: "{}" },
    kept: ["body"],
    refused: " ",
    onlyReads: true,
  },
  "/merchants/create": { who: ["operator"], fields: { name: "A shop" }, kept: ["name"] },
  "/merchants/:merchantId/suspend": { who: ["operator"] },
  "/merchants/:merchantId/activate": { who: ["operator"] },
  "/merchants/:merchantId/rename": { who: ["operator"], fields: { newName: "A shop" }, kept: ["newName"] },
  "/merchants/:merchantId/plan": {
    who: ["operator"],
    fields: {
      ratePercent: "2",
      fixed: "0.10",
      currency: "TRY",
      ruleRate: "1,5",
      ruleFixed: "0",
      ruleFrom: "2",
    },
    kept: ["ratePercent", "fixed", "currency", "ruleRate", "ruleFixed", "ruleFrom"],
  },
  "/merchants/:merchantId/rules": {
    who: ["operator"],
    fields: { largestAmount: "5", largestCurrency: "TRY", cardMax: "5", cardMinutes: "60" },
    kept: ["largestAmount", "largestCurrency", "cardMax", "cardMinutes"],
  },
  "/merchants/:merchantId/routes": {
    who: ["operator"],
    fields: { routeAccount: randomUUID(), routeCurrency: "TRY", routeScheme: "VISA", routeRetry: "yes" },
    kept: ["routeCurrency", "routeScheme"],
    chosen: ["routeAccount"],
  },
  "/merchants/:merchantId/confirm-routes": { who: ["operator"], fields: { "version.routes": "1" } },
  "/accounts/new/create": {
    who: ["operator"],
    fields: {
      protocol: "iyzico",
      name: "A bank",
      currencies: "TRY",
      "businessDay.timeZone": "Europe/Istanbul",
      "businessDay.cutOff": "23:00",
      lateArrivalSeconds: "30",
      connectionsMax: "8",
      callsPerMinute: "60",
      "settings.url": "http://127.0.0.1:9",
      "settings.locale": "tr",
      "settings.defaults.ip": "203.0.113.1",
      "settings.defaults.item.name": "Order",
      "settings.defaults.item.category": "Goods",
      "settings.defaults.item.kind": "virtual",
      "secrets.apiKey": "sandbox-a",
      "secrets.secretKey": "sandbox-b",
    },
    kept: [
      "name",
      "currencies",
      "businessDay.timeZone",
      "businessDay.cutOff",
      "lateArrivalSeconds",
      "connectionsMax",
      "callsPerMinute",
      "settings.url",
      "settings.defaults.ip",
      "settings.defaults.item.name",
      "settings.defaults.item.category",
    ],
  },
  "/accounts/:accountId/change": {
    who: ["operator"],
    fields: {
      name: "The same bank",
      currencies: "TRY",
      "settings.url": "http://127.0.0.1:9",
      "settings.repetition": "replay",
      "secrets.notificationKey": "0123456789abcdef",
      state: "ACTIVE",
    },
    kept: ["name", "currencies", "settings.url"],
  },
  "/accounts/:accountId/state": { who: ["operator"], fields: { state: "NO_NEW_PAYMENTS" } },
  "/accounts/:accountId/confirm": { who: ["operator"], fields: { version: "2" } },
  "/accounts/:accountId/probe": {
    who: ["operator"],
    fields: { proposalVersion: "2", "secrets.notificationKey": "0123456789abcdef" },
  },
  "/accounts/:accountId/installment-prices/change": {
    who: ["operator"],
    fields: {
      version: "1",
      priceLoyalty: "BONUS",
      priceCount: "3",
      pricePayer: "BUYER",
      priceRate: "3.75",
      priceFrom: "2026-12-01",
      priceTo: "2027-01-01",
    },
    kept: ["priceLoyalty", "priceCount", "priceRate", "priceFrom", "priceTo"],
  },
  "/accounts/:accountId/installment-prices/confirm": { who: ["operator"], fields: { version: "2" } },
  "/merchants/:merchantId/branding": {
    who: ["operator"],
    fields: { brandName: "Lamps", brandColor: "#7a1f5c", brandLogo: LOGO },
    kept: ["brandName", "brandColor", "brandLogo"],
  },
  "/merchants/:merchantId/preview-branding": {
    who: ["operator"],
    fields: { brandName: "Lamps", brandColor: "#7a1f5c", brandLogo: LOGO },
    kept: ["brandName", "brandColor", "brandLogo"],
    onlyReads: true,
  },
  "/merchants/:merchantId/add-key": {
    who: BOTH,
    fields: { keyAddresses: "203.0.113.0/24", keyEnds: "2030-01-01T00:00" },
    kept: ["keyAddresses", "keyEnds"],
  },
  "/merchants/:merchantId/revoke-key": { who: BOTH, fields: { apiKey: "hk_live_none" } },
  "/merchants/:merchantId/webhook-management": {
    who: ["operator"],
    fields: { managedBy: "api" },
    chosen: ["managedBy"],
  },
  "/merchants/:merchantId/add-webhook": {
    who: BOTH,
    fields: { url: "https://shop.example/hook" },
    kept: ["url"],
  },
  "/merchants/:merchantId/change-webhook": {
    who: BOTH,
    fields: {
      endpointId: ":endpointId",
      endpointUrl: "https://shop.example/other",
      events: "payment.captured",
      headers: "x-tenant: shop-7",
    },
    kept: ["endpointUrl", "headers"],
  },
  "/merchants/:merchantId/remove-webhook": { who: BOTH, fields: { endpointId: randomUUID() } },
  "/merchants/:merchantId/rotate-secret": { who: BOTH, fields: { endpointId: randomUUID() } },
  "/merchants/:merchantId/activate-secret": { who: BOTH, fields: { endpointId: randomUUID() } },
  "/merchants/:merchantId/switch-webhook": {
    who: BOTH,
    fields: { endpointId: randomUUID(), whileOff: "wait" },
  },
  "/merchants/:merchantId/test-webhook": { who: BOTH, fields: { endpointId: randomUUID() } },
  "/settlement/differences/:differenceId/note": {
    who: ["operator"],
    fields: { note: "asked", assignee: "olga" },
    kept: ["note", "assignee"],
  },
  "/settlement/differences/:differenceId/close": {
    who: ["operator"],
    fields: { decision: "ACCEPT_BANK", reason: "a test", amount: "1,50" },
    kept: ["reason", "amount"],
    chosen: ["decision"],
  },
  "/settlement/imports/:importId/confirm": { who: ["operator"] },
  "/settlement/imports/:importId/refuse": {
    who: ["operator"],
    fields: { reason: "a test" },
    kept: ["reason"],
  },
  "/payment-links/create": {
    who: ["staff"],
    fields: {
      orderId: "x",
      description: "x",
      amount: "1",
      currency: "TRY",
      use: "SINGLE",
      expiresInSeconds: "86400",
    },
    kept: ["orderId", "description", "amount", "currency"],
    chosen: ["use", "expiresInSeconds"],
  },
  "/payment-links/:paymentLinkId/disable": { who: ["staff"] },
};
const EACH = Object.entries(FORMS).flatMap(([path, form]) => form.who.map((who) => ({ who, path, form })));

/** They bring a file, and have tests of their own. */
const WITH_FILE = ["/settlement/upload", "/disputes/:chargebackId/evidence"];

/** A file that waits for a second person, and a line of it that nobody could read. */
const IMPORT = randomUUID();
const DIFFERENCE = randomUUID();
let dispute: string;

let started: RelayedConsole;
let sessions: Record<Audience, string>;
beforeAll(async () => {
  started = await startRelayedConsole();
  await started.query(
    `insert into settlement.import (import_id, account_id, mapping, file_name, imported_by, sha256, state)
     values ($1, '${TEST_ACCOUNT_ID}', 'generic', 'bank.csv', 'alice', sha256('x'), 'PROPOSED')`,
    [IMPORT],
  );
  dispute = await openDispute(started, started.shops.mine.things.payment);
  await started.query(
    "insert into settlement.line_fault (import_id, line_no, reason) values ($1, 1, 'a test')",
    [IMPORT],
  );
  await started.query(
    `insert into settlement.difference (difference_id, account_id, class, import_id, line_no, detail)
     values ($1, '${TEST_ACCOUNT_ID}', 'UNREADABLE', $2, 1, 'not readable: a test')`,
    [DIFFERENCE, IMPORT],
  );
  sessions = {
    operator: await started.signIn("operator", { subject: "olga" }),
    staff: await started.signIn("staff", { subject: "mina" }),
  };
});
afterAll(() => started?.close());

function filled(path: string): string {
  const { merchantId, things } = started.shops.mine;
  // The page of all deliveries has the form for the merchant that it is narrowed to.
  const query = path === "/deliveries/redeliver" ? `?merchantId=${merchantId}` : "";
  return `${path}${query}`
    .replace(":paymentId", things.payment)
    .replace(":refundId", things.refund)
    .replace(":chargebackId", dispute)
    .replace(":eventId", things.event)
    .replace(":endpointId", things.endpoint)
    .replace(":merchantId", merchantId)
    .replace(":accountId", TEST_ACCOUNT_ID)
    .replace(":importId", IMPORT)
    .replace(":differenceId", DIFFERENCE)
    .replace(":paymentLinkId", things.link);
}

/** The merchant's state, and the versions of the account that its payments go to. */
const stateOf = async () => ({
  ...(await started.stateOf(started.shops.mine)),
  accounts: await started.query(
    "select account_id, version, confirmed_by from payments.acquirer_account_version order by 1, 2",
  ),
});
const fieldsOf = ({ fields = {} }: Form) => ({
  merchantId: started.shops.mine.merchantId,
  ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, filled(value)])),
});

test("every form of the console is here", () => {
  const posts = PAGES.filter(({ method }) => method === "POST").map(({ path }) => path);
  expect(Object.keys(FORMS).toSorted()).toEqual(posts.filter((path) => !WITH_FILE.includes(path)).toSorted());
});

test.each(["/payments?orderId=", "/audit?actor=", "/search?q=", "/payments/", "/refunds/", "/merchants/"])(
  "10 000 characters in the address, behind %s, are a page that says what is wrong",
  async (path) => {
    const { status, text } = await started.get(sessions.operator, path + "x".repeat(10_000));
    expect([400, 404]).toContain(status);
    expect(text).toContain('role="alert"');
  },
);

test.each(["//", "//?q=x", "///", "//evil.example", "/%", "/%2f%2f", "/payments//", "/\\\\", "http://", "?"])(
  "the address %s is a page, and no fault of the console's",
  async (target) => {
    for (const session of [sessions.operator, sessions.staff, undefined]) {
      const status = await started.getRaw(session, target);
      expect([200, 303, 400, 404]).toContain(status);
    }
  },
);

test.each([
  ["no boundary", ""],
  ["an empty boundary", "boundary="],
  ["a boundary of 5 000 characters", `boundary=${"b".repeat(5_000)}`],
])("a form with a file and %s is refused by a page", async (_which, boundary) => {
  const type = { "Content-Type": `multipart/form-data; ${boundary}` };
  for (const path of WITH_FILE) {
    const { status, text } = await started.post(sessions.operator, filled(path), {}, type);
    expect(status).toBe(400);
    expect(text).toContain('role="alert"');
  }
});

test("filters that the gateway refuses are said above the filters, which are still there", async () => {
  const { status, text } = await started.get(
    sessions.operator,
    "/payments?status=FAILED&to=2026-01-01T00:00:00",
  );
  expect(status).toBe(400);
  expect(text).toContain("needs from and to");
  expect(text).toContain('<option value="FAILED" selected');
});

test.each<[Audience, string, string]>([
  ["operator", "/payments?status=FAILED&to=2026-01-01T00:00:00", "status"],
  ["operator", "/payments?from=2026-02-01T00:00:00&to=2026-01-01T00:00:00", "to"],
  ["staff", "/payments?last4=12", "last4"],
  ["operator", "/refunds?status=REJECTED&from=yesterday", "from"],
  ["operator", "/audit?from=yesterday", "from"],
  ["operator", "/deliveries?paymentId=x", "paymentId"],
  ["operator", "/disputes?merchantId=x", "merchantId"],
  ["operator", "/settlement?from=2026-02-01&to=2026-01-01", "to"],
  ["staff", "/settlement?from=2026-02-01&to=2026-01-01", "to"],
])("to %s the page %s marks the filter %s, in the reader's language", async (...asked) => {
  const [who, address, field] = asked;
  await expectFaultBeside(field, (language) => started.get(sessions[who], `${address}&lang=${language}`));
});

test("a capture of more than is left is refused beside its field, before anything is asked", async () => {
  const paymentId = await started.authorize(started.shops.mine);
  const review = (captureAmount: string) =>
    started.post(sessions.staff, `/payments/${paymentId}/review-capture`, { captureAmount });
  expect((await review("50.00")).status).toBe(200);
  const { status, text } = await review("50.01");
  expect(status).toBe(400);
  expect(text).toMatch(/id="captureAmount-fault"[^>]*>\s*At most [^<]*50\.00 can be captured/);
  expect(text).toContain('value="50.01"');
});

describe.each(EACH)("$who: $path", ({ who, path, form }) => {
  const post = (
    session: string | undefined,
    more: Record<string, string> = {},
    headers?: Record<string, string>,
  ) => started.post(session, filled(path), { ...fieldsOf(form), ...more }, headers);

  test("from another site, with a stale token or with none the gateway is asked nothing", async () => {
    const session = sessions[who];
    const answers = [
      await post(session, {}, { Origin: "https://evil.example" }),
      await post(session, {}, { "Sec-Fetch-Site": "cross-site" }),
      await post(session, {}, { Origin: "null" }),
      await post(session, { formToken: "stale" }),
      await post(session, { formToken: "" }),
    ];
    for (const { status, text, calls } of answers) {
      expect([status, calls]).toEqual([403, []]);
      expect(text).toContain('role="alert"');
    }
  });

  test("without a session, and after the logout, it leads to the sign-in and does nothing", async () => {
    const left = await started.signIn(who, { subject: "leaver" });
    await started.post(left, "/logout", {});
    for (const session of [undefined, left])
      expect(await post(session)).toMatchObject({ status: 303, calls: [] });
  });

  test("from whom the role, or all access, was taken away meanwhile it is refused", async () => {
    const before = await stateOf();
    const reads = await started.signIn(who, {
      subject: "reader",
      roles: [who === "staff" ? "support" : "viewer"],
    });
    const body = { subject: `gone-${who}`, reason: "left the company" };
    const refused = "/operator/refused-operators";
    await started.operate({ method: "POST", path: refused, body });
    const gone = await started.signIn(who, { subject: body.subject });
    const answers = [...(form.onlyReads ? [] : [await post(reads)]), await post(gone)];
    for (const { status, text } of answers) {
      expect(status).toBe(403);
      expect(text).toContain('role="alert"');
    }
    expect(await stateOf()).toEqual(before);
  });

  test.each(Object.keys(form.fields ?? {}))(
    "10 000 characters and markup as %s are not done and not lost",
    async (field) => {
      const before = await stateOf();
      const { status, text } = await post(sessions[who], { [field]: EVIL + LONG });
      expect(form.onlyReads ? [200, 400] : [400, 404, 409, 422]).toContain(status);
      expect(text).toMatch(/role="(alert|status)"/);
      expect(text).not.toContain(EVIL);
      if (form.kept?.includes(field)) expect(text).toContain(LONG);
      expect(await stateOf()).toEqual(before);
    },
  );

  test.each([...(form.kept ?? []), ...(form.chosen ?? [])])(
    "a fault of %s stands beside it, in the reader's language, and the notice points at it",
    async (field) => {
      const fields = { [field]: form.refused ?? LONG };
      await expectFaultBeside(field, (language) =>
        post(sessions[who], fields, { Origin: started.url, "Accept-Language": language }),
      );
    },
  );
});

describe.each(WITH_FILE)("operator: %s", (path) => {
  const send = (
    session: string | undefined,
    more: Record<string, string> = {},
    headers?: Record<string, string>,
  ) => started.post(session, filled(path), withFile(more), headers);

  test("a file from another site, with a stale token or with none goes nowhere", async () => {
    const answers = [
      await send(sessions.operator, {}, { Origin: "https://evil.example" }),
      await send(sessions.operator, {}, { "Sec-Fetch-Site": "cross-site" }),
      await send(sessions.operator, { formToken: "stale" }),
      await send(sessions.operator, { formToken: "" }),
    ];
    for (const { status, text, calls } of answers) {
      expect([status, calls]).toEqual([403, []]);
      expect(text).toContain('role="alert"');
    }
  });

  test("a file without a session, or after the logout, leads to the sign-in and goes nowhere", async () => {
    const left = await started.signIn("operator", { subject: "leaver" });
    await started.post(left, "/logout", {});
    for (const session of [undefined, left])
      expect(await send(session)).toMatchObject({ status: 303, calls: [] });
  });

  test("a file of somebody who may only read is refused by a page", async () => {
    const { status, text } = await send(
      await started.signIn("operator", { subject: "reader", roles: ["viewer"] }),
    );
    expect(status).toBe(403);
    expect(text).toContain('role="alert"');
  });
});

test("evidence that is sent twice at the same time is kept once", async () => {
  const path = filled("/disputes/:chargebackId/evidence");
  const send = () => started.post(sessions.operator, path, withFile());
  const [first, second] = await Promise.all([send(), send()]);
  expect([first.status, second.status]).toEqual([303, 303]);
  const kept = "select file_name from payments.chargeback_evidence where chargeback_id = $1";
  expect(await started.query(kept, [dispute])).toEqual([{ file_name: "letter.pdf" }]);
});

/** The fields of both forms, and a file behind them. */
function withFile(more: Record<string, string> = {}): FormData {
  const form = new FormData();
  const fields = { accountId: TEST_ACCOUNT_ID, mapping: "generic", ...more };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("file", new Blob(["a letter"]), "letter.pdf");
  return form;
}

/** Asks in both languages for a page that is to mark one field. */
async function expectFaultBeside(
  field: string,
  ask: (language: "en" | "tr") => Promise<{ status: number; text: string }>,
): Promise<void> {
  const [english, turkish] = [await ask("en"), await ask("tr")];
  expect([english.status, turkish.status]).toEqual([400, 400]);
  expect(english.text).toContain(TEXTS.en.seeFields);
  expect(turkish.text).toContain(TEXTS.tr.seeFields);
  const [said, inTurkish] = [faultBeside(english.text, field), faultBeside(turkish.text, field)];
  expect([said, inTurkish]).not.toContain("");
  expect(inTurkish).not.toBe(said);
}

/** The sentence beside a field that is marked as wrong; empty if it is not. */
function faultBeside(text: string, name: string): string {
  const fields = text.match(new RegExp(`<(?:input|select|textarea)\\s[^>]*name="${name}"[^>]*>`, "g")) ?? [];
  const marked = fields.find((field) => field.includes('aria-invalid="true"')) ?? "";
  const about = / aria-describedby="([^"]*)"/.exec(marked)?.[1]?.split(" ") ?? [];
  const id = about.find((each) => each.endsWith("-fault")) ?? "";
  return new RegExp(`<p class="fault" id="${id}">([^<]*)<`).exec(text)?.[1] ?? "";
}

/** Counts the entries that the person's clicks have left in the audit logs. */
async function auditedOf(person: string): Promise<number> {
  const logs = ["gateway", "payments", "refunds", "settlement", "webhooks"];
  const each = logs.map((schema) => `select actor from ${schema}.audit_entry`).join(" union all ");
  const [row] = await started.query<{ count: number }>(
    `select count(*)::int as count from (${each}) as entry where actor = $1`,
    [person],
  );
  return row!.count;
}

// After all refused forms nothing has changed.
test.each(EACH)(
  "$who: $path, sent twice at the same time, is done once and answered the same",
  async ({ who, path, form }) => {
    const session = await started.signIn(who, { subject: "clicker" });
    const before = await auditedOf("clicker");
    const fields = { ...fieldsOf(form), key: randomUUID() };
    const send = () => started.post(session, filled(path), fields);
    const [first, second] = await Promise.all([send(), send()]);
    expect(second.status).toBe(first.status);
    const audited = (await auditedOf("clicker")) - before;
    // Both services that verify an approval write a line.
    expect(audited).toBeLessThanOrEqual(path.includes("/approve") ? 2 : 1);
    if (path === "/merchants/create") expect([first.status, audited]).toEqual([200, 1]);
  },
);

const EVIL = `"><img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;
const LONG = "ğ".repeat(10_000);
