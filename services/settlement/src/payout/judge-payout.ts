/** The result of comparing a payout with the lines that it pays. Everything but MATCHED is a difference. */
export type PayoutVerdict = "MATCHED" | "PAYOUT_DIFFERS" | "PAYOUT_MISSING";

/** Both sides of a payout, by its id, account and currency, in minor units from the merchant's view. */
export type PayoutSides = {
  /** Lines of the banks' files that name the payout, and the sum of their net amounts. */
  lines: number;
  expected: bigint;
  /** Entries of the bank's statement, and their sum. */
  payouts: number;
  paid: bigint;
  /** True once the other side should have come, too. */
  isOverdue: boolean;
};

export type PayoutJudgement = {
  /** Null while the other side may still come. */
  verdict: PayoutVerdict | null;
  stakeMinor: bigint;
  /** The sums of both sides; null for a side that has not come. */
  oursMinor: bigint | null;
  theirsMinor: bigint | null;
  detail: string;
};

/** Compares both sides, without any I/O. What has come is compared at once, and what has not is missed once it is overdue. */
export function judgePayout({ lines, expected, payouts, paid, isOverdue }: PayoutSides): PayoutJudgement {
  const sides = { oursMinor: lines > 0 ? expected : null, theirsMinor: payouts > 0 ? paid : null };
  const differs = (verdict: PayoutVerdict, detail: string): PayoutJudgement => ({
    verdict,
    stakeMinor: expected > paid ? expected - paid : paid - expected,
    ...sides,
    detail,
  });
  const none = { stakeMinor: 0n, ...sides, detail: "" };
  if (expected === paid && (payouts > 0 || isOverdue)) return { verdict: "MATCHED", ...none };
  const named = `${lines} ${lines === 1 ? "line names" : "lines name"} the payout`;
  if (lines > 0 && payouts > 0) return differs("PAYOUT_DIFFERS", `${named}, which has another amount`);
  if (!isOverdue) return { verdict: null, ...none };
  return lines > 0
    ? differs("PAYOUT_MISSING", `${named}, and it has not come`)
    : differs("PAYOUT_DIFFERS", "no line names the payout");
}
