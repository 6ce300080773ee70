import type { AcquirerAccount, MerchantRoutes } from "@holdfast/contracts";
import { expect, test, vi } from "vitest";
import type { PageContext } from "../ui/page-context.ts";
import { TEXTS } from "../ui/texts.ts";
import { changeRoutes, routesSection } from "./routes-form.ts";

const [A, B] = ["3f0c8a52-6f0a-4b7e-9d53-2f8e6a1b4c90", "7b2d9c14-38ae-4f61-8c05-d1e4f7a92b36"];
const ROUTES: MerchantRoutes = { routes: [{ accountId: A, retrySoftDeclines: true }, { accountId: B }] };

function contextOf(language: "en" | "tr", form: URLSearchParams, given: object = {}): PageContext {
  return {
    reader: { language, locale: language, texts: TEXTS[language] },
    session: { roles: new Set(["admin"]), subject: "alice" },
    parameters: { merchantId: "m1" },
    query: new URLSearchParams(),
    mayDecide: true,
    form,
    ...given,
  } as unknown as PageContext;
}

test("rows are sent with what becomes of their soft declines", async () => {
  const change = vi.fn(async () => ({ done: true, body: {} }));
  const form = new URLSearchParams([
    ["key", "k"],
    ["version.routes", "2"],
    ...[A, B].flatMap((accountId): [string, string][] => [["routeAccount", accountId]]),
    ["routeRetry", "yes"],
    ["routeRetry", ""],
  ]);
  await changeRoutes(contextOf("en", form, { api: { change } }), vi.fn());
  expect(change.mock.calls[0]).toMatchObject([{}, { query: { version: "2" }, body: ROUTES.routes }]);
});

test.each([
  ["en", "tried at the next account", "needs a later route"],
  ["tr", "sonraki hesapta denenir", "sonraki bir yönlendirme ister"],
] as const)("the routes in use, the form and its fault say so (%s)", (language, retried, fault) => {
  const faults = [
    {
      field: "0.retrySoftDeclines",
      code: "no_account_follows",
      message: "needs a later route of such payments",
    },
  ];
  const context = contextOf(language, new URLSearchParams({ key: "k" }), { faults });
  const accounts = [A, B].map((accountId) => ({
    accountId,
    name: accountId,
    livemode: true,
    state: "ACTIVE",
  }));
  const { text } = routesSection(context, {
    accounts: accounts as unknown as AcquirerAccount[],
    routes: ROUTES,
    merchantId: "m1",
  });
  expect(text).toContain(`<option value="yes" selected>${retried}</option>`);
  expect(text.split(retried)).toHaveLength(5);
  expect(text).toContain(fault);
});
