import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ACCOUNT_STATES } from "./account-tables.ts";
import {
  decideRoute,
  routesThatNeverRetry,
  type RoutableAccount,
  type RoutedPayment,
} from "./decide-route.ts";

const account = (accountId: string, given: Partial<RoutableAccount> = {}): RoutableAccount => ({
  accountId,
  livemode: true,
  state: "ACTIVE",
  currencies: ["TRY", "EUR"],
  protocol: "sim",
  settings: { url: `https://${accountId}.example/pay` },
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

type Routes = Parameters<typeof decideRoute>[1]["routes"];
type World = { open?: string[]; accounts?: RoutableAccount[] };

const route = (...asked: Parameters<typeof steps>) => steps(...asked).map(({ accountId }) => accountId);
const retries = (...asked: Parameters<typeof steps>) => steps(...asked)[0]?.retriesAt;

function steps(
  given: Partial<RoutedPayment>,
  routes: Routes,
  { open = [], accounts = [account("a"), account("b"), account("c")] }: World = {},
) {
  return decideRoute(
    { ...payment, ...given },
    {
      routes,
      accounts: new Map(accounts.map((each) => [each.accountId, each])),
      defaultAccount: account("default"),
      isOpen: (id) => open.includes(id),
    },
  );
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
      protocol: fc.constant("sim"),
      settings: fc.constant({}),
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
        const byId = new Map<string, RoutableAccount>(accounts.map((each) => [each.accountId, each]));
        const found = decideRoute(
          { ...payment, livemode },
          {
            routes,
            accounts: byId,
            defaultAccount: defaultAccount && { ...defaultAccount, accountId: "default" },
            isOpen: (id) => open.some((each) => each === id),
          },
        );
        const modes = found.map(({ accountId }) => (byId.get(accountId) ?? defaultAccount)?.livemode);
        expect(modes.filter((mode) => mode !== livemode)).toEqual([]);
      }),
    );
  });
});

describe("a soft decline", () => {
  const retry = { accountId: "a", retrySoftDeclines: true };

  test("is tried at no other account unless the route says so, nor where the default account takes it", () => {
    expect(retries({ installmentCount: 1 }, [{ accountId: "a" }, { accountId: "b" }])).toEqual([]);
    expect(
      retries({}, [
        { currency: "EUR", ...retry },
        { currency: "EUR", accountId: "b" },
      ]),
    ).toEqual([]);
  });

  test("is tried at accounts whose routes name the payment, and that take its currency", () => {
    const accounts = [account("a"), account("b", { currencies: ["EUR"] }), account("c")];
    const routes = [retry, { accountId: "b" }, { loyaltyCode: "WORLD", accountId: "b" }, { accountId: "c" }];
    expect(retries({ installmentCount: 1 }, routes, { accounts })).toEqual(["c"]);
    expect(retries({ installmentCount: 1, currency: "EUR" }, routes, { accounts })).toEqual(["b", "c"]);
  });

  test("is tried at no account of the same bank, whose record of one order would show both attempts", () => {
    const settings = { url: "https://a.example/another/terminal" };
    const routes = [retry, { accountId: "b" }];
    const sameBank = [account("a"), account("b", { settings })];
    expect(retries({ installmentCount: 1 }, routes, { accounts: sameBank })).toEqual([]);
    const otherProtocol = [account("a"), account("b", { settings, protocol: "nestpay" })];
    expect(retries({ installmentCount: 1 }, routes, { accounts: otherProtocol })).toEqual(["b"]);
  });

  test.each<[string, object, string[]]>([
    ["neither", {}, []],
    ["any number", { installmentsFrom: 1 }, []],
    ["a number", { installmentsFrom: 2 }, ["b"]],
    ["more", { installmentsFrom: 4 }, []],
    ["the programme", { loyaltyCode: "BONUS" }, ["b"]],
    ["another programme", { loyaltyCode: "WORLD" }, []],
  ])("in three instalments is tried at an account whose route names %s, or not", (_, named, expected) => {
    expect(retries({}, [retry, { ...named, accountId: "b" }])).toEqual(expected);
  });
});

describe("a route that retries", () => {
  const accounts = new Map(
    [
      account("a"),
      account("b"),
      account("euro", { currencies: ["EUR"] }),
      account("lira", { currencies: ["TRY"] }),
      account("at a", { settings: { url: "https://a.example/another/terminal" } }),
    ].map((each) => [each.accountId, each]),
  );

  test.each<[string, Routes, number[]]>([
    ["with another behind it", [{ accountId: "a", retrySoftDeclines: true }, { accountId: "b" }], []],
    ["alone", [{ accountId: "a", retrySoftDeclines: true }], [0]],
    ["and is the last", [{ accountId: "b" }, { accountId: "a", retrySoftDeclines: true }], [1]],
    ["before its own account", [{ accountId: "a", retrySoftDeclines: true }, { accountId: "a" }], [0]],
    ["before its own bank", [{ accountId: "a", retrySoftDeclines: true }, { accountId: "at a" }], [0]],
    ["before another currency", [{ accountId: "lira", retrySoftDeclines: true }, { accountId: "euro" }], [0]],
    [
      "in one currency before a route of another",
      [
        { currency: "TRY", accountId: "a", retrySoftDeclines: true },
        { currency: "EUR", accountId: "b" },
      ],
      [0],
    ],
    [
      "of a programme before another one's",
      [
        { loyaltyCode: "BONUS", accountId: "a", retrySoftDeclines: true },
        { loyaltyCode: "WORLD", accountId: "b" },
      ],
      [0],
    ],
    [
      "of instalments before a route that says nothing of them",
      [{ installmentsFrom: 2, accountId: "a", retrySoftDeclines: true }, { accountId: "b" }],
      [0],
    ],
    ["off", [{ accountId: "a", retrySoftDeclines: false }], []],
  ])("%s: can be followed or not", (_, routes, faulty) => {
    expect(routesThatNeverRetry(routes, accounts)).toEqual(faulty);
  });
});
