// Amounts and rates as people of both languages write them, in the forms that take them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { cookieOf, startRelayedConsole, type Audience, type RelayedConsole } from "./relayed-console.ts";

let started: RelayedConsole;
let sessions: Record<Audience, string>;
beforeAll(async () => {
  started = await startRelayedConsole();
  sessions = {
    operator: await started.signIn("operator", { subject: "olga" }),
    staff: await started.signIn("staff", { subject: "mina" }),
  };
});
afterAll(() => started?.close());

const send = (who: Audience, path: string, fields: Record<string, string>) =>
  started.post(sessions[who], path, fields, { Origin: started.url, "Accept-Language": "tr-TR" });

/** The field as the page has it, with its fault. */
function fieldOf(text: string, name: string): { value: string | undefined; fault: string | undefined } {
  const input = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(text)?.[0] ?? "";
  const about = / aria-describedby="(\S+)"/.exec(input)?.[1];
  const fault = new RegExp(`<p class="fault" id="${about}">([^<]*)<`).exec(text)?.[1];
  expect(input.includes('aria-invalid="true"')).toBe(fault !== undefined);
  return { value: / value="([^"]*)"/.exec(input)?.[1], fault };
}

const AMBIGUOUS = "Bu, 1234 ya da 1 ve kesri olabilir. 1234 ya da 1,23 yazın.";

test("a payment link of 1.234,56 is one, and one of 1,234 is refused at its field", async () => {
  const link = {
    orderId: "comma-1",
    description: "Bir sandalye",
    currency: "TRY",
    use: "SINGLE",
    expiresInSeconds: "86400",
  };
  const refused = await send("staff", "/payment-links/create", { ...link, amount: "1,234" });
  expect([refused.status, refused.calls.filter((call) => call.startsWith("POST"))]).toEqual([400, []]);
  expect(fieldOf(refused.text, "amount")).toEqual({ value: "1,234", fault: AMBIGUOUS });

  const made = await send("staff", "/payment-links/create", { ...link, amount: "1.234,56" });
  expect(made.status).toBe(303);
  const rows = await started.query(
    "select amount_minor::text from payments.payment_link where order_id = 'comma-1'",
  );
  expect(rows).toEqual([{ amount_minor: "123456" }]);
});

test("a plan of 2,5 % and 0,25 is taken, and shown with commas again", async () => {
  const { merchantId } = started.shops.mine;
  const plan = { merchantId, currency: "TRY", refundsCommission: "true" };
  const path = `/merchants/${merchantId}/plan`;
  const refused = await send("operator", path, { ...plan, ratePercent: "iki", fixed: "1.234" });
  expect([refused.status, refused.calls.filter((call) => !call.startsWith("GET"))]).toEqual([400, []]);
  expect(fieldOf(refused.text, "ratePercent")).toEqual({ value: "iki", fault: "12,50 gibi bir sayı yazın." });
  expect(fieldOf(refused.text, "fixed")).toEqual({ value: "1.234", fault: AMBIGUOUS });

  expect((await send("operator", path, { ...plan, ratePercent: "2,5", fixed: "0,25" })).status).toBe(303);
  const shown = await fetch(`${started.url}/merchants/${merchantId}`, {
    headers: { Cookie: cookieOf(sessions.operator), "Accept-Language": "tr-TR" },
  });
  const page = await shown.text();
  expect([fieldOf(page, "ratePercent").value, fieldOf(page, "fixed").value]).toEqual(["2,5", "0,25"]);
});

test("the rules of a plan are shown in words, and with the reader's numbers", async () => {
  const path = `/merchants/${started.shops.mine.merchantId}`;
  const plan = { ratePercent: "2,5", fixed: "0,25", currency: "TRY" };
  const rule = { ruleCardType: "DEBIT", ruleDomInt: "INT", ruleRate: "0,8", ruleFixed: "0,1" };
  expect((await send("operator", `${path}/plan`, { ...plan, ...rule })).status).toBe(303);
  // Any refused form of the page shows it in the reader's language.
  const { text } = await send("operator", `${path}/plan`, { ...plan, ratePercent: "iki" });
  for (const [heading, value] of [
    ["Kart türü", "Banka kartı"],
    ["Yurt içi veya yurt dışı", "Yurt dışı"],
    ["Yüzde oranı", "%0,80"],
    ["Sabit tutar", "₺0,10"],
  ])
    expect(text).toMatch(new RegExp(`data-heading="${heading}"[^>]*>${value}<`));
});

test("a largest amount whose amount was emptied is refused at its field, and stays in force", async () => {
  const path = `/merchants/${started.shops.mine.merchantId}/rules`;
  const rule = { largestAmount: "1.000,5", largestCurrency: "TRY", cardMax: "" };
  expect((await send("operator", path, rule)).status).toBe(303);
  const refused = await send("operator", path, { ...rule, largestAmount: "" });
  expect([refused.status, refused.calls.filter((call) => !call.startsWith("GET"))]).toEqual([400, []]);
  expect(refused.text).toContain('id="largestAmount-0-fault"');
});

test("a capture of 1,234 is refused at its field, before anything is asked", async () => {
  const paymentId = await started.authorize(started.shops.mine);
  const refused = await send("staff", `/payments/${paymentId}/review-capture`, { captureAmount: "1,234" });
  expect(refused.status).toBe(400);
  expect(fieldOf(refused.text, "captureAmount")).toEqual({ value: "1,234", fault: AMBIGUOUS });
});

test("payments are listed between amounts with commas, and 1.234 is refused at its field", async () => {
  const { payment } = started.shops.mine.things;
  const turkish = { "Accept-Language": "tr-TR" };
  const list = async (path: string) => await started.get(sessions.operator, path, turkish);
  // It is of 50.00.
  const found = await list("/payments?currency=TRY&amountFrom=49,5&amountTo=1.000,00");
  expect(found.status).toBe(200);
  expect(found.text).toContain(`href="/payments/${payment}"`);
  expect(fieldOf(found.text, "amountTo")).toEqual({ value: "1.000,00", fault: undefined });
  const [, csv = ""] = /href="(\/payments\.csv[^"]+)"/.exec(found.text) ?? [];
  const file = await list(csv.replaceAll("&amp;", "&"));
  expect([file.status, file.text.includes(payment)]).toEqual([200, true]);
  const refused = await list("/payments?currency=TRY&amountFrom=1.234");
  expect(refused.status).toBe(400);
  expect(fieldOf(refused.text, "amountFrom")).toEqual({ value: "1.234", fault: expect.anything() });
});

test("a refund of 1,234 is refused at its field, and nothing is refunded", async () => {
  const path = `/payments/${started.shops.mine.things.payment}/refund`;
  const refused = await send("operator", path, { amount: "1,234", reason: "iade" });
  expect([refused.status, refused.calls.filter((call) => call.startsWith("POST"))]).toEqual([400, []]);
  expect(refused.text).toContain(AMBIGUOUS);
  const { calls } = await send("operator", path, { amount: "0,01", reason: "iade" });
  expect(calls.filter((call) => call.startsWith("POST"))).toHaveLength(1);
});
