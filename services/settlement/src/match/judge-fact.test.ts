import { expect, test } from "vitest";
import { judgeFact, type AccountPlan, type JudgedFact, type JudgedLine } from "./judge-fact.ts";

const PLAN: AccountPlan = { settlementDays: 2, feeBasisPoints: 200, feeFixedMinor: 0n, refundsFee: false };
const SALE: JudgedFact = {
  kind: "SALE",
  standing: "DONE",
  amountMinor: 10_000n,
  currency: "TRY",
  day: "2026-03-10",
};

const line = (change: Partial<JudgedLine> = {}): JudgedLine => ({
  kind: "SALE",
  reference: "ours",
  bankReference: "b-1",
  item: null,
  installment: null,
  installments: null,
  grossMinor: 10_000n,
  feeMinor: 200n,
  netMinor: 9_800n,
  currency: "TRY",
  settlesOn: "2026-03-12",
  ...change,
});
const part = (grossMinor: bigint, change: Partial<JudgedLine>) =>
  line({ grossMinor, feeMinor: grossMinor / 50n, netMinor: grossMinor - grossMinor / 50n, ...change });
const verdicts = (fact: JudgedFact, lines: JudgedLine[], plan = PLAN) => {
  const { verdict, lines: each } = judgeFact(fact, lines, plan);
  return [verdict, ...each];
};

test("a movement that the bank reports as we know it is matched", () => {
  expect(judgeFact(SALE, [line()], PLAN)).toEqual({
    verdict: "MATCHED",
    lines: ["MATCHED"],
    stakeMinor: 0n,
    sides: { oursMinor: null, theirsMinor: null, theirsCurrency: null },
    detail: "",
  });
  expect(verdicts({ ...SALE, kind: "CAPTURE" }, [line()])).toEqual(["MATCHED", "MATCHED"]);
  expect(judgeFact(SALE, [], PLAN).verdict).toBeNull();
});

test("a line for each basket item: the sum is compared", () => {
  const items = [part(6_000n, { item: "1" }), part(4_000n, { item: "2" })];
  expect(verdicts(SALE, items)).toEqual(["MATCHED", "MATCHED", "MATCHED"]);
  expect(verdicts(SALE, items.slice(0, 1))[0]).toBe("AMOUNT_DIFFERS");
});

test("a line for each installment: less than the sum is no difference until the last part is in, more is", () => {
  const parts = [1, 2, 3].map((installment) =>
    part(installment === 1 ? 3_400n : 3_300n, {
      installment,
      installments: 3,
      settlesOn: ["2026-03-12", "2026-04-11", "2026-05-11"][installment - 1]!,
    }),
  );
  expect(verdicts(SALE, parts.slice(0, 2))[0]).toBe("MATCHED");
  expect(verdicts(SALE, parts)[0]).toBe("MATCHED");
  expect(verdicts(SALE, [...parts.slice(0, 2), part(3_299n, { installment: 3, installments: 3 })])[0]).toBe(
    "AMOUNT_DIFFERS",
  );
  expect(verdicts(SALE, [parts[0]!, part(9_000n, { installment: 2, installments: 3 })])[0]).toBe(
    "AMOUNT_DIFFERS",
  );
});

const VOID = line({ kind: "VOID", grossMinor: -10_000n, feeMinor: -200n, netMinor: -9_800n });
const REFUND = { ...SALE, kind: "REFUND" } as const;
test.each<[string, JudgedFact, JudgedLine[], bigint, (bigint | string | null)[]]>([
  ["AMOUNT_DIFFERS", SALE, [line({ grossMinor: 10_050n, netMinor: 9_850n })], 50n, [10_000n, 10_050n, null]],
  ["AMOUNT_DIFFERS", REFUND, [line({ kind: "REFUND", grossMinor: -35n })], 9_965n, [-10_000n, -35n, null]],
  ["AMOUNT_DIFFERS", SALE, [line({ currency: "EUR" })], 10_000n, [10_000n, 10_000n, "EUR"]],
  ["FEE_DIFFERS", SALE, [line({ feeMinor: 421n, netMinor: 9_579n })], 221n, [200n, 421n, null]],
  ["FEE_DIFFERS", SALE, [line({ netMinor: 9_700n })], 100n, [300n, 200n, null]],
  ["STATUS_DIFFERS", { ...SALE, standing: "NOT_DONE" }, [line()], 10_000n, [0n, 10_000n, null]],
  ["STATUS_DIFFERS", { ...SALE, standing: "OPEN" }, [line()], 10_000n, [null, 10_000n, null]],
  ["STATUS_DIFFERS", SALE, [line(), VOID], 10_000n, [10_000n, 0n, null]],
  ["LATE", SALE, [line({ settlesOn: "2026-03-13" })], 10_000n, [10_000n, 10_000n, null]],
])(
  "%s says what is at stake and the amounts of both sides, and its text has none",
  (verdict, fact, lines, stakeMinor, said) => {
    const { sides, detail, ...judged } = judgeFact(fact, lines, PLAN);
    expect(judged).toMatchObject({ verdict, stakeMinor });
    expect([sides.oursMinor, sides.theirsMinor, sides.theirsCurrency]).toEqual(said);
    if (verdict !== "LATE") expect(detail).not.toMatch(/\d/);
  },
);

test("of a movement that is reported twice the first line counts, also where the copy says something else", () => {
  expect(verdicts(SALE, [line(), line({ grossMinor: 1n })])).toEqual(["MATCHED", "MATCHED", "DUPLICATE"]);
  expect(verdicts(SALE, [line({ kind: "CAPTURE" }), line()])).toEqual(["MATCHED", "MATCHED", "DUPLICATE"]);
  expect(verdicts(SALE, [line(), line({ bankReference: "b-2" })])[0]).toBe("AMOUNT_DIFFERS");
});

test.each(["NOT_DONE", "OPEN", "VOIDED"] as const)(
  "what is %s here must not be paid by the bank",
  (standing) => {
    const voided = line({ kind: "VOID", grossMinor: -10_000n, feeMinor: -200n, netMinor: -9_800n });
    expect(verdicts({ ...SALE, standing }, [line()])).toEqual(["STATUS_DIFFERS", "STATUS_DIFFERS"]);
    expect(verdicts({ ...SALE, standing }, [line(), voided])).toEqual(["MATCHED", "MATCHED", "MATCHED"]);
    expect(verdicts(SALE, [line(), voided])[0]).toBe("STATUS_DIFFERS");
    // After the day's end the bank returns the same amount by a refund.
    const refunded = { ...voided, kind: "REFUND" } as const;
    expect(verdicts({ ...SALE, standing }, [line(), refunded])).toEqual(["MATCHED", "MATCHED", "MATCHED"]);
    expect(verdicts(SALE, [line(), refunded])[0]).toBe("STATUS_DIFFERS");
  },
);

test("the fee is compared with the plan, beside one minor unit of rounding, and with the line's own arithmetic", () => {
  const fee = (feeMinor: bigint) => verdicts(SALE, [line({ feeMinor, netMinor: 10_000n - feeMinor })])[0];
  expect([fee(199n), fee(201n), fee(198n), fee(202n)]).toEqual([
    "MATCHED",
    "MATCHED",
    "FEE_DIFFERS",
    "FEE_DIFFERS",
  ]);
  expect(verdicts(SALE, [line({ netMinor: 9_799n })])[0]).toBe("FEE_DIFFERS");
  const without = { ...PLAN, feeBasisPoints: null };
  expect(verdicts(SALE, [line({ feeMinor: 5_000n, netMinor: 5_000n })], without)[0]).toBe("MATCHED");
});

test("whether the fee of a refund comes back is the plan's", () => {
  const refund = { ...SALE, kind: "REFUND" } as const;
  const kept = line({ kind: "REFUND", grossMinor: -10_000n, feeMinor: 0n, netMinor: -10_000n });
  const back = line({ kind: "REFUND", grossMinor: -10_000n, feeMinor: -200n, netMinor: -9_800n });
  expect([verdicts(refund, [kept])[0], verdicts(refund, [back])[0]]).toEqual(["MATCHED", "FEE_DIFFERS"]);
  const plan = { ...PLAN, refundsFee: true };
  expect([verdicts(refund, [kept], plan)[0], verdicts(refund, [back], plan)[0]]).toEqual([
    "FEE_DIFFERS",
    "MATCHED",
  ]);
});

test("settled later than the account takes is late; a fee, a payout and a chargeback are not compared", () => {
  expect(verdicts(SALE, [line({ settlesOn: "2026-03-13" })])[0]).toBe("LATE");
  expect(verdicts(SALE, [line({ settlesOn: null })])[0]).toBe("MATCHED");
  expect(verdicts(SALE, [line(), line({ kind: "CHARGEBACK" }), line({ kind: "PAYOUT" })])).toEqual([
    "MATCHED",
    "MATCHED",
    "NOT_COMPARED",
    "NOT_COMPARED",
  ]);
});

test("the gravest of several differences is named", () => {
  const late = { settlesOn: "2026-06-01" };
  expect(verdicts({ ...SALE, standing: "NOT_DONE" }, [line({ grossMinor: 1n, ...late })])[0]).toBe(
    "STATUS_DIFFERS",
  );
  expect(verdicts(SALE, [line({ grossMinor: 1n, ...late })])[0]).toBe("AMOUNT_DIFFERS");
  expect(verdicts(SALE, [line({ feeMinor: 1n, ...late })])[0]).toBe("FEE_DIFFERS");
});
