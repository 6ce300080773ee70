import { DEFAULT_MERCHANT_RULES } from "@holdfast/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { personAs } from "@holdfast/tests/support";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";
import { startTestPayments } from "../../test/test-payments.ts";

const FLAT = { ratePercent: "2.50", fixed: "0.25", currency: "TRY" };
const COMMISSION = {
  ...FLAT,
  rules: [
    { cardType: "CREDIT", domInt: "DOM", installmentsFrom: 2, ratePercent: "3.9", fixed: "0" },
    { domInt: "INT", ratePercent: "4.10", fixed: "1.50" },
  ],
  mayExceedAmount: true,
  refundsCommission: false,
};
const RULES = {
  largestAmounts: [{ currency: "TRY", amount: "5000.00" }],
  attemptsPerCard: { max: 5, windowSeconds: 3600 },
  attemptsPerIp: { max: 20, windowSeconds: 60 },
  declineRate: { percent: 60, minimumCount: 20, windowSeconds: 3600 },
};

let gateway: TestGateway;
let payments: Awaited<ReturnType<typeof startTestPayments>>;
beforeAll(async () => {
  gateway = await startTestGateway();
  payments = await startTestPayments(gateway.nats.url);
});
afterAll(async () => {
  await payments.stop();
  await gateway.stop();
});

describe("a merchant's plan and rules", () => {
  test("are kept as they were given, and travel with each of its commands", async () => {
    const merchant = await gateway.createMerchant({ commission: COMMISSION, rules: RULES });
    const path = `/operator/merchants/${merchant.merchantId}`;
    expect((await gateway.operatorApi({ path })).body).toMatchObject({
      commission: COMMISSION,
      rules: RULES,
    });
    await gateway.merchantApi({ path: `/api/payment/${crypto.randomUUID()}`, headers: merchant.headers });
    expect(payments.lookups.at(-1)!.context.merchant).toEqual({
      merchantId: merchant.merchantId,
      commission: COMMISSION,
      rules: RULES,
      credentialIssuedBy: personAs("olga"),
    });
  });

  test("are nothing where nothing was given", async () => {
    const merchant = await gateway.createMerchant();
    const { body } = await gateway.operatorApi({ path: `/operator/merchants/${merchant.merchantId}` });
    expect(body).not.toHaveProperty("commission");
    expect(body).not.toHaveProperty("rules");
  });

  test("a merchant that is created without rules has the default ones, and none where they are empty", async () => {
    const { operator } = await gateway.startAnother({ DEFAULT_MERCHANT_RULES: "on" });
    const rulesOf = async (body: object) => {
      const authorization = `Bearer ${await gateway.identity.token({ claims: { roles: ["onboarder"] } })}`;
      const made = await fetch(`http://127.0.0.1:${operator}/operator/merchants`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ name: "A shop", ...body }),
      });
      const { merchantId } = (await made.json()) as { merchantId: string };
      return (await gateway.operatorApi({ path: `/operator/merchants/${merchantId}` })).body["rules"];
    };
    expect(await rulesOf({})).toEqual(DEFAULT_MERCHANT_RULES);
    expect(await rulesOf({ rules: {} })).toEqual({});
    expect(await rulesOf({ rules: RULES })).toEqual(RULES);
  });

  const rule = (change: object) => ({
    commission: { ...FLAT, rules: [{ ratePercent: "1", fixed: "0", ...change }] },
  });
  const limit = (amounts: object[]) => ({ rules: { largestAmounts: amounts } });
  const perCard = (attemptsPerCard: object) => ({ rules: { attemptsPerCard } });
  test.each([
    ["a card type nobody has", rule({ cardType: "GOLD" }), "commission.rules.0.cardType invalid_value"],
    ["13 installments", rule({ installmentsTo: 13 }), "commission.rules.0.installmentsTo too_big"],
    [
      "a range that ends before it begins",
      rule({ installmentsFrom: 3, installmentsTo: 2 }),
      "commission.rules.0.installmentsTo out_of_range",
    ],
    ["too fine a fixed part", rule({ fixed: "0.001" }), "commission.rules.0.fixed too_many_decimals"],
    [
      "a rule that an earlier one leaves nothing to",
      {
        commission: {
          ...FLAT,
          rules: [
            { domInt: "DOM", installmentsTo: 6, ratePercent: "1", fixed: "0" },
            {
              domInt: "DOM",
              cardType: "DEBIT",
              installmentsFrom: 2,
              installmentsTo: 3,
              ratePercent: "2",
              fixed: "0",
            },
          ],
        },
      },
      "commission.rules.1 never_applies",
    ],
    [
      "an unknown currency",
      limit([{ currency: "ABC", amount: "1" }]),
      "rules.largestAmounts.0.currency invalid_currency",
    ],
    [
      "a currency twice",
      limit([
        { currency: "TRY", amount: "1" },
        { currency: "TRY", amount: "2" },
      ]),
      "rules.largestAmounts.1.currency duplicate",
    ],
    [
      "too fine a limit",
      limit([{ currency: "TRY", amount: "1.005" }]),
      "rules.largestAmounts.0.amount too_many_decimals",
    ],
    [
      "a limit of nothing",
      limit([{ currency: "TRY", amount: "0" }]),
      "rules.largestAmounts.0.amount must_be_positive",
    ],
    ["no attempts at all", perCard({ max: 0, windowSeconds: 60 }), "rules.attemptsPerCard.max too_small"],
    ["half an attempt", perCard({ max: 1.5, windowSeconds: 60 }), "rules.attemptsPerCard.max invalid_type"],
    [
      "a count that is a string",
      perCard({ max: "5", windowSeconds: 60 }),
      "rules.attemptsPerCard.max invalid_type",
    ],
    ["no window", perCard({ max: 5 }), "rules.attemptsPerCard.windowSeconds required"],
    [
      "more than a day",
      perCard({ max: 5, windowSeconds: 86_401 }),
      "rules.attemptsPerCard.windowSeconds too_big",
    ],
  ])("are refused with %s", async (_case, settings, fault) => {
    const answer = await gateway.operatorApi({
      method: "POST",
      path: "/operator/merchants",
      body: JSON.stringify({ name: "A shop", ...settings }),
    });
    const errors = answer.body["errors"] as { field: string; code: string }[];
    expectProblem(answer, "validation_failed", { errors });
    expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual([fault]);
  });
});
