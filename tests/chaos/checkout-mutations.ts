import type { Mutation } from "./mutations.ts";

const payments = "services/payments/src/checkout";
const gateway = "services/api-gateway/src/public-pages/checkout";

function change(file: string, search: string, replace = "") {
  return [{ file, search, replace }];
}

/** Judged by what buyers, merchants, the database and the bank observe. */
function buying(test: string) {
  return { file: "checkouts.fault.test.ts", test };
}

/** Each protection of hosted checkouts, taken out once. */
export const CHECKOUT_MUTATIONS: readonly Mutation[] = [
  {
    name: "checkout: a second tab is not asked",
    changes: change(
      `${payments}/pay-checkout.ts`,
      `if (!checkout || !mayBePaid(checkout.standing, checkout.attempt, checkoutAttemptsMax)) return NOT_CLAIMED;`,
      `if (!checkout) return NOT_CLAIMED;`,
    ),
    scenario: buying("of three tabs that send each form twice at once one pays"),
  },
  {
    name: "checkout: time never runs out",
    changes: change(`${payments}/checkout.ts`, `return isExpired ? "EXPIRED" : "OPEN";`, `return "OPEN";`),
    scenario: buying("what runs out of time"),
  },
  {
    name: "checkout: nothing closes what nobody reads",
    changes: change(
      "services/payments/src/service.ts",
      "round: () => closeCheckouts(checkouts)",
      "round: async () => 0",
    ),
    scenario: buying("what runs out of time"),
  },
  {
    name: "checkout: it is closed over an unknown outcome",
    changes: change(`${payments}/checkout.ts`, `  if (payment && !hasFailed(payment)) return "OPEN";\n`),
    scenario: buying("a payment begun in time decides"),
  },
  {
    name: "checkout: a form sent again is another payment",
    changes: change(
      `${gateway}/pay-by-form.ts`,
      `const paymentId = form.get("paymentId")!;`,
      `const paymentId = crypto.randomUUID();`,
    ),
    scenario: buying("a form sent again after its process was killed"),
  },
  {
    name: "checkout: a declined card is the last one",
    changes: change(
      `${payments}/checkout.ts`,
      `  if (attempts >= attemptsMax) return "CANCELLED";`,
      `  if (attempts >= Math.min(1, attemptsMax)) return "CANCELLED";`,
    ),
    scenario: buying("a declined card leaves the page with a form"),
  },
];
