import type { Mutation } from "./mutations.ts";

const payments = "services/payments/src/checkout";
const gateway = "services/api-gateway/src/checkout-page";
const queries = `${payments}/checkout-queries.ts`;
const paying = scenarios(`${payments}/checkout.service.test.ts`);
const visiting = scenarios(`${gateway}/checkout-pages.service.test.ts`);

function scenarios(file: string) {
  return (test: string) => ({ file, test, inCopy: true });
}

function change(file: string, search: string, replace = "") {
  return [{ file, search, replace }];
}

/** Judged from outside, by what buyers, merchants, the database and the bank come to see. */
function buying(test: string) {
  return { file: "checkouts.fault.test.ts", test };
}

/** Each protection of hosted checkouts, taken out once. */
export const CHECKOUT_MUTATIONS: readonly Mutation[] = [
  {
    name: "checkout: a second form is not asked whether it may pay",
    changes: change(
      `${payments}/pay-checkout.ts`,
      `if (!checkout || !mayBePaid(checkout.standing, checkout.attempt, checkoutAttemptsMax)) return NOT_CLAIMED;`,
      `if (!checkout) return NOT_CLAIMED;`,
    ),
    scenario: paying("of eight forms sent at once one pays"),
  },
  {
    // Each of the three is enough: the lock, the guarded update, and the constraint.
    name: "checkout: nothing orders the forms that come at once",
    changes: [
      ...change(queries, "sql`for update`", "sql``"),
      ...change(queries, "and state = 'OPEN' and attempts = ${attempts}", "and state = 'OPEN'"),
      ...change(
        "services/payments/migrations/0007-checkout.sql",
        "unique (checkout_id, attempt)",
        "check (attempt > 0)",
      ),
    ],
    scenario: paying("of eight cards enrolled at once one is challenged"),
  },
  {
    name: "checkout: a payment whose outcome is not known does not keep it open",
    changes: change(`${payments}/checkout.ts`, `  if (payment && !hasFailed(payment)) return "OPEN";\n`),
    scenario: paying("a payment begun in time decides"),
  },
  {
    name: "checkout: success is read from the payment's state alone",
    changes: change(
      queries,
      "(state in ('SUCCESS', 'CAPTURED') or exists (",
      "(state in ('SUCCESS', 'CAPTURED') or not exists (",
    ),
    scenario: paying("it is completed although the payment was cancelled"),
  },
  {
    name: "checkout: nothing closes what nobody reads",
    changes: change(
      "services/payments/src/service.ts",
      "round: () => closeCheckouts(checkouts)",
      "round: async () => 0",
    ),
    scenario: paying("nobody has to look"),
  },
  {
    name: "checkout: any merchant reads it",
    changes: change(
      queries,
      "and merchant_id = coalesce(${merchantId ?? null}::uuid, merchant_id)",
      "and coalesce(${merchantId ?? null}::uuid, merchant_id) is not null",
    ),
    scenario: paying("to its merchant only"),
  },
  {
    name: "checkout: any number of cards may be tried",
    changes: change(`${payments}/checkout.ts`, `  if (attempts >= attemptsMax) return "CANCELLED";\n`),
    scenario: paying("the last of the allowed declines"),
  },
  {
    name: "checkout: time never runs out",
    changes: change(`${payments}/checkout.ts`, `return isExpired ? "EXPIRED" : "OPEN";`, `return "OPEN";`),
    scenario: paying("a form that was open when the time ran out"),
  },
  {
    name: "checkout: installments it does not offer are taken",
    changes: change(
      `${payments}/pay-checkout.ts`,
      "if (!row.installment_options.includes(installmentCount))",
      "if (row.installment_options.length === 0)",
    ),
    scenario: paying("installments are those of the checkout"),
  },
  {
    name: "checkout: a buyer cancels what is under way",
    changes: change(
      `${payments}/cancel-checkout.ts`,
      "if (!locked || !mayBePaid(locked.standing, locked.attempt, deps.checkoutAttemptsMax)) return undefined;",
      "if (!locked) return undefined;",
    ),
    scenario: paying("a buyer who goes back"),
  },
  {
    name: "checkout: the form's token is not compared",
    changes: change(
      `${gateway}/form-token.ts`,
      "given.length === expected.length && timingSafeEqual(given, expected)",
      "timingSafeEqual(expected, expected) && given.length >= 0",
    ),
    scenario: visiting("a form without our token"),
  },
  {
    name: "checkout: other sites may send its forms",
    changes: change(
      `${gateway}/checkout-pages.ts`,
      `request.method === "POST" && isCrossSite(request)`,
      "false",
    ),
    scenario: visiting("asked for by another site"),
  },
  {
    name: "checkout: names are HTML",
    changes: change(
      "services/api-gateway/src/public-pages/html.ts",
      "(character) => ESCAPES[character]!",
      "(character) => character",
    ),
    scenario: visiting("names are text"),
  },
  {
    name: "checkout: every page has the same nonce",
    changes: change(`${gateway}/page-headers.ts`, "randomBytes(16)", "Buffer.alloc(16)"),
    scenario: visiting("no two pages have one nonce"),
  },
  {
    name: "checkout: a suspended merchant is paid",
    changes: change(
      `${gateway}/pay-by-form.ts`,
      `if (!merchant || merchant.status !== "ACTIVE")`,
      "if (!merchant)",
    ),
    scenario: visiting("a suspended merchant"),
  },
  {
    name: "checkout: the address that can pay is logged",
    changes: change(
      `${gateway}/checkout-pages.ts`,
      "exchange.route = `/checkout/{checkoutId}${subPath}`;",
      "exchange.route = `/checkout/${request.params.checkoutId}${subPath}`;",
    ),
    scenario: visiting("the log has neither"),
  },
  {
    name: "checkout: the next card's form is the last one's",
    changes: change(
      `${gateway}/checkout-pages.ts`,
      "      const paymentId = randomUUIDv7();\n      const token",
      '      const paymentId = form.get("paymentId")!;\n      const token',
    ),
    scenario: visiting("a decline comes with the form"),
  },
  {
    name: "checkout: by buyers: a second tab is not asked",
    changes: change(
      `${payments}/pay-checkout.ts`,
      `if (!checkout || !mayBePaid(checkout.standing, checkout.attempt, checkoutAttemptsMax)) return NOT_CLAIMED;`,
      `if (!checkout) return NOT_CLAIMED;`,
    ),
    scenario: buying("of three tabs that send each form twice at once one pays"),
  },
  {
    name: "checkout: by buyers: time never runs out",
    changes: change(`${payments}/checkout.ts`, `return isExpired ? "EXPIRED" : "OPEN";`, `return "OPEN";`),
    scenario: buying("what runs out of time"),
  },
  {
    name: "checkout: by buyers: nothing closes what nobody reads",
    changes: change(
      "services/payments/src/service.ts",
      "round: () => closeCheckouts(checkouts)",
      "round: async () => 0",
    ),
    scenario: buying("what runs out of time"),
  },
  {
    name: "checkout: by buyers: it is closed over an unknown outcome",
    changes: change(`${payments}/checkout.ts`, `  if (payment && !hasFailed(payment)) return "OPEN";\n`),
    scenario: buying("a payment begun in time decides"),
  },
  {
    name: "checkout: by buyers: a form sent again is another payment",
    changes: change(
      `${gateway}/pay-by-form.ts`,
      `const paymentId = form.get("paymentId")!;`,
      `const paymentId = crypto.randomUUID();`,
    ),
    scenario: buying("a form sent again after its process was killed"),
  },
  {
    name: "checkout: by buyers: a declined card is the last one",
    changes: change(
      `${payments}/checkout.ts`,
      `  if (attempts >= attemptsMax) return "CANCELLED";`,
      `  if (attempts >= Math.min(1, attemptsMax)) return "CANCELLED";`,
    ),
    scenario: buying("a declined card leaves the page with a form"),
  },
];
