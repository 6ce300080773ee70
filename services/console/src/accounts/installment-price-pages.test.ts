import { operations, PROBLEMS, type Endpoint, type InstallmentPrices } from "@holdfast/contracts";
import type { Language } from "@holdfast/html";
import { expect, test, vi } from "vitest";
import type { PageContext } from "../ui/page-context.ts";
import { TEXTS } from "../ui/texts.ts";
import { installmentPricePages, pricesPath } from "./installment-price-pages.ts";

const ACCOUNT = "019ab2f4-7100-7d7f-89a0-fa1c3d815db2";
const PRICE = {
  loyaltyCode: "BONUS",
  installmentCount: 3,
  payer: "BUYER",
  ratePercent: "3.75",
  from: "2026-12-01",
} as const;
const PROPOSAL = {
  version: 2,
  proposedBy: "alice",
  proposedAt: "2026-11-30T10:00:00.000Z",
  prices: [PRICE],
};

/** A person at the page. @param sent the fields of a form. */
function visit(
  prices: InstallmentPrices,
  {
    role = "admin",
    sent = {},
    language = "en",
    installmentPricesChange = true,
    answer = { done: true, body: { prices: [], proposal: PROPOSAL } },
  }: {
    role?: string;
    sent?: Record<string, string>;
    language?: Language;
    installmentPricesChange?: boolean;
    answer?: object;
  } = {},
) {
  const change = vi.fn(async () => answer);
  const account = {
    accountId: ACCOUNT,
    name: "Bank A",
    livemode: true,
    proposal: { installmentPricesChange },
  };
  const context = {
    reader: { language, locale: language, texts: TEXTS[language] },
    session: { roles: new Set([role]) },
    api: {
      read: async (endpoint: Endpoint) => (endpoint === operations.getInstallmentPrices ? prices : account),
      change,
    },
    parameters: { accountId: ACCOUNT },
    query: new URLSearchParams(),
    form: new URLSearchParams(sent),
    formToken: "token",
    generateKey: () => "key",
    mayDecide: true,
  } as unknown as PageContext;
  const at = (method: string, end: string) =>
    installmentPricePages.find((page) => page.method === method && page.path.endsWith(end))!.answer(context);
  const text = async () => {
    const answer = await at("GET", "/installment-prices");
    return answer.kind === "page" ? answer.content.text : answer.kind;
  };
  return { change, at, text };
}

test("the page has the prices in use, and those proposed with the form that confirms them", async () => {
  const shown = await visit({
    prices: [{ ...PRICE, ratePercent: "2.5" }],
    version: 1,
    proposal: PROPOSAL,
  }).text();
  for (const part of ["BONUS", "2.50%", "3.75%", "the buyer", "no end", "alice has proposed other prices"])
    expect(shown).toContain(part);
  expect(shown).toContain(`action="${pricesPath(ACCOUNT)}/confirm"`);
  expect(shown).toMatch(/name="version"\s+value="2"/);
  // The form of other prices replaces the proposal, which is on the page, and not the older version in use.
  expect(shown).not.toMatch(/name="version"\s+value="1"/);
  const turkish = await visit({ prices: [PRICE] }, { language: "tr" }).text();
  for (const part of ["%3,75", "alıcı", "süresiz", 'value="3,75"']) expect(turkish).toContain(part);
});

test("a proposal of something else is not confirmed here", async () => {
  const prices = { prices: [], version: 1, proposal: { ...PROPOSAL, prices: [] } };
  const shown = await visit(prices, { installmentPricesChange: false }).text();
  expect(shown).toContain("alice has proposed another change");
  expect(shown).not.toContain("/confirm");
});

test("who may not change accounts sees the prices and no form", async () => {
  const shown = await visit({ prices: [PRICE], proposal: PROPOSAL }, { role: "viewer" }).text();
  expect(shown).toContain("3.75%");
  expect(shown).not.toContain("<form");
});

const ROW = {
  priceLoyalty: "BONUS",
  priceCount: "3",
  pricePayer: "BUYER",
  priceRate: "3,75",
  priceFrom: "2026-12-01",
  priceTo: "",
  pricePlace: "1",
};

test("the form's rows are proposed as the list, a rate with a comma too", async () => {
  const { at, change } = visit({ prices: [] }, { sent: { ...ROW, version: "1" } });
  expect(await at("POST", "/change")).toEqual({
    kind: "redirect",
    to: `${pricesPath(ACCOUNT)}?done=proposePrices`,
  });
  expect(change).toHaveBeenCalledWith(
    operations.putInstallmentPrices,
    expect.objectContaining({ path: { accountId: ACCOUNT }, body: { version: 1, prices: [PRICE] } }),
  );
});

test("prices of an older version are refused on the page of the newest, which keeps what was entered", async () => {
  const problem = { ...PROBLEMS.changed_since_read, code: "changed_since_read" };
  const { at } = visit(
    { prices: [], version: 3 },
    { sent: { ...ROW, version: "1" }, answer: { done: false, problem } },
  );
  const answer = await at("POST", "/change");
  expect(answer).toMatchObject({ kind: "page", status: 409, notice: { role: "alert" } });
  const shown = answer.kind === "page" ? answer.content.text : "";
  expect(shown).toContain('value="3,75"');
  expect(shown).toMatch(/name="version"\s+value="3"/);
});

test("a rate that is no number is said beside its field, and nothing is sent", async () => {
  const { at, change } = visit({ prices: [] }, { sent: { ...ROW, priceRate: "much" } });
  const answer = await at("POST", "/change");
  expect(answer).toMatchObject({ kind: "page", status: 400 });
  expect(answer.kind === "page" && answer.content.text).toMatch(/id="priceRate-0"[^>]*aria-invalid="true"/);
  expect(change).not.toHaveBeenCalled();
});

test("the version that was looked at is confirmed", async () => {
  const { at, change } = visit({ prices: [], proposal: PROPOSAL }, { sent: { version: "2" } });
  expect(await at("POST", "/confirm")).toMatchObject({ kind: "redirect" });
  expect(change).toHaveBeenCalledWith(
    operations.confirmAcquirerAccount,
    expect.objectContaining({ path: { accountId: ACCOUNT }, body: { version: 2 } }),
  );
});
