import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ACCOUNT_STATES } from "./account-tables.ts";
import { decideRoute, type RoutableAccount, type RoutedPayment } from "./decide-route.ts";

const account = (accountId: string, given: Partial<RoutableAccount> = {}): RoutableAccount => ({
  accountId,
  livemode: true,
  state: "ACTIVE",
  currencies: ["TRY", "EUR"],
  ...given,
});
const payment: RoutedPayment = {
  livemode: true,
  currency: "TRY",
  domInt: "DOM",
  cardScheme: "VISA",
  loyaltyCode: "BONUS",
  installmentCount: 3,
};

function route(
  given: Partial<RoutedPayment>,
  routes: Parameters<typeof decideRoute>[1]["routes"],
  { open = [] as string[], accounts = [account("a"), account("b"), account("c")] } = {},
) {
  return decideRoute(
    { ...payment, ...given },
    {
      routes,
      accounts: new Map(accounts.map((each) => [each.accountId, each])),
      defaultAccount: account("default"),
      isOpen: (id) => open.includes(id),
    },
  ).map(({ accountId }) => accountId);
}

test.each<[string, Partial<RoutedPayment>, object, boolean]>([
  ["currency", {}, { currency: "TRY" }, true],
  ["another currency", {}, { currency: "EUR" }, false],
  ["domestic", {}, { domInt: "DOM" }, true],
  ["international", {}, { domInt: "INT" }, false],
  ["of a card whose country is not known", { domInt: null }, { domInt: "DOM" }, false],
  ["scheme", {}, { cardScheme: "VISA" }, true],
  ["another scheme", {}, { cardScheme: "TROY" }, false],
  ["programme", {}, { loyaltyCode: "BONUS" }, true],
  ["another programme", {}, { loyaltyCode: "WORLD" }, false],
  ["as many instalments", {}, { installmentsFrom: 3 }, true],
  ["more instalments", {}, { installmentsFrom: 4 }, false],
  ["one of two", {}, { currency: "TRY", cardScheme: "TROY" }, false],
  ["nothing", {}, {}, true],
])("a route of %s: names the payment or not", (_, given, named, isNamed) => {
  expect(route(given, [{ ...named, accountId: "a" }])).toEqual(isNamed ? ["a"] : ["default"]);
});

test("the first route that names it wins, the others that do are next, each account once", () => {
  const routes = [
    { currency: "EUR", accountId: "c" },
    { currency: "TRY", accountId: "b" },
    { accountId: "a" },
    { domInt: "DOM" as const, accountId: "b" },
  ];
  expect(route({}, routes)).toEqual(["b", "a"]);
  expect(route({ currency: "EUR", domInt: "INT" }, routes)).toEqual(["c", "a"]);
});

test("an account that takes no new payments, or not this currency, is passed over", () => {
  const routes = [{ accountId: "a" }, { accountId: "b" }, { accountId: "c" }, { accountId: "gone" }];
  const accounts = [
    account("a", { state: "NO_NEW_PAYMENTS" }),
    account("b", { currencies: ["EUR"] }),
    account("c"),
  ];
  expect(route({}, routes, { accounts })).toEqual(["c"]);
  expect(route({}, routes, { accounts: [account("a", { state: "CLOSED" })] })).toEqual([]);
});

test("one whose bank cannot be reached comes last, and is not left out", () => {
  const routes = [{ accountId: "a" }, { accountId: "b" }];
  expect(route({}, routes, { open: ["a"] })).toEqual(["b", "a"]);
  expect(route({}, [{ accountId: "a" }], { open: ["a"] })).toEqual(["a"]);
});

describe("test mode", () => {
  const testAccount = (accountId: string) => account(accountId, { livemode: false });

  test("a payment goes to accounts of its own mode, also where a route names others", () => {
    const accounts = [account("a"), testAccount("b"), account("c"), testAccount("d")];
    const routes = accounts.map(({ accountId }) => ({ accountId }));
    expect(route({ livemode: true }, routes, { accounts })).toEqual(["a", "c"]);
    expect(route({ livemode: false }, routes, { accounts })).toEqual(["b", "d"]);
  });

  test("no payment of either mode has an account of the other, whatever routes, accounts and breakers there are", () => {
    const ids = fc.constantFrom("a", "b", "c", "d", "e");
    const anyAccount = fc.record({
      accountId: ids,
      livemode: fc.boolean(),
      state: fc.constantFrom(...ACCOUNT_STATES),
      currencies: fc.constantFrom(["TRY", "EUR"], ["TRY"], ["EUR"]),
    });
    const anyRoute = fc.record(
      {
        accountId: ids,
        currency: fc.constantFrom("TRY", "EUR"),
        installmentsFrom: fc.integer({ min: 1, max: 5 }),
      },
      { requiredKeys: ["accountId"] },
    );
    const given = fc.record({
      livemode: fc.boolean(),
      routes: fc.array(anyRoute, { maxLength: 8 }),
      accounts: fc.array(anyAccount, { maxLength: 8 }),
      defaultAccount: fc.option(anyAccount, { nil: undefined }),
      open: fc.array(ids),
    });
    fc.assert(
      fc.property(given, ({ livemode, routes, accounts, defaultAccount, open }) => {
        const found = decideRoute(
          { ...payment, livemode },
          {
            routes,
            accounts: new Map(accounts.map((each) => [each.accountId, each])),
            defaultAccount,
            isOpen: (id) => open.some((each) => each === id),
          },
        );
        expect(found.filter((each) => each.livemode !== livemode)).toEqual([]);
      }),
    );
  });
});
