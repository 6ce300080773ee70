import type { MovementFact } from "@holdfast/contracts";
import type { LineKind } from "../import/settlement-line.ts";

/** The result of a comparison. Everything but MATCHED is a difference. */
export type FactVerdict = "MATCHED" | "AMOUNT_DIFFERS" | "FEE_DIFFERS" | "STATUS_DIFFERS" | "LATE";
export type LineVerdict = FactVerdict | "MISSING_HERE" | "DUPLICATE" | "NOT_COMPARED";

/** Our record of a movement, with its day in the account's time zone. Minor units. */
export type JudgedFact = Pick<MovementFact, "kind" | "standing" | "currency"> & {
  amountMinor: bigint;
  /** `2026-11-20` */
  day: string;
};

/** A line that reports the fact. Minor units, seen from the merchant. */
export type JudgedLine = {
  kind: LineKind;
  reference: string | null;
  bankReference: string | null;
  item: string | null;
  installment: number | null;
  installments: number | null;
  grossMinor: bigint;
  feeMinor: bigint;
  netMinor: bigint;
  currency: string;
  settlesOn: string | null;
};

/** The settlement terms of an account. */
export type AccountPlan = {
  settlementDays: number;
  /** Hundredths of a percent; null if the bank's fee is not compared with a plan. */
  feeBasisPoints: number | null;
  feeFixedMinor: bigint;
  /** True if the fee of a refunded amount comes back. */
  refundsFee: boolean;
};

export type Judgement = {
  /** Null if no line counts. */
  verdict: FactVerdict | null;
  /** The lines' verdicts, in the order of the lines. */
  lines: LineVerdict[];
  /** The amount at stake, in minor units. */
  stakeMinor: bigint;
  sides: Sides;
  detail: string;
};

/** The amounts of both sides, in minor units and from the merchant's view; null for a side without one. */
export type Sides = {
  oursMinor: bigint | null;
  theirsMinor: bigint | null;
  /** The bank's currency, if it differs. */
  theirsCurrency: string | null;
};

function sidesOf(
  oursMinor: bigint | null,
  theirsMinor: bigint | null,
  theirsCurrency: string | null = null,
): Sides {
  return { oursMinor, theirsMinor, theirsCurrency };
}

/**
 * Compares a fact with every line that reports it, from all files, without any I/O. The gravest of several differences
 * is named: status, amount, fee, lateness.
 *
 * @param lines in the order in which they were imported: the first of several copies counts.
 */
export function judgeFact(fact: JudgedFact, lines: readonly JudgedLine[], plan: AccountPlan): Judgement {
  const seen = new Set<string>();
  const roles = lines.map((line) => {
    if (!isMovement(line.kind)) return "NOT_COMPARED";
    const key = identityOf(line);
    if (seen.has(key)) return "DUPLICATE";
    seen.add(key);
    return "counts";
  });
  const counting = lines.filter((_, index) => roles[index] === "counts");
  const found = counting.length === 0 ? undefined : compare(fact, counting, plan);
  const { stakeMinor, sides, detail } = found ?? MATCHED;
  return {
    verdict: found?.verdict ?? null,
    lines: roles.map((role) => (role === "counts" ? found!.verdict : role)),
    stakeMinor,
    sides,
    detail,
  };
}

/** True if lines of this kind report money that a payment or a refund moved. */
export function isMovement(kind: LineKind): boolean {
  switch (kind) {
    case "SALE":
    case "CAPTURE":
    case "REFUND":
    case "VOID":
      return true;
    case "CHARGEBACK":
    case "CHARGEBACK_REVERSAL":
    case "FEE":
    case "ADJUSTMENT":
    case "PAYOUT":
      return false;
    default:
      return kind satisfies never;
  }
}

/** Two lines with the same identity are one movement that was reported twice, even with different amounts. */
function identityOf({ kind, reference, bankReference, item, installment }: JudgedLine): string {
  return JSON.stringify([kind === "CAPTURE" ? "SALE" : kind, reference, bankReference, item, installment]);
}

type Found = { verdict: FactVerdict } & Pick<Judgement, "stakeMinor" | "sides" | "detail">;

function compare(fact: JudgedFact, lines: readonly JudgedLine[], plan: AccountPlan): Found {
  const expected = fact.kind === "REFUND" ? -fact.amountMinor : fact.amountMinor;
  // A refund under a payment's own reference gives back a payment that failed here, after the day's end.
  const undoes = ({ kind }: JudgedLine) => kind === "VOID" || (kind === "REFUND" && fact.kind !== "REFUND");
  const moved = sumOf(lines, (line) => !undoes(line));
  const voided = sumOf(lines, undoes);
  const actual = moved + voided;
  const isVoided = lines.some(undoes) && actual === 0n;
  const status = (oursMinor: bigint | null, detail: string): Found => ({
    verdict: "STATUS_DIFFERS",
    stakeMinor: fact.amountMinor,
    sides: sidesOf(oursMinor, actual),
    detail,
  });
  switch (fact.standing) {
    case "NOT_DONE":
      return isVoided ? MATCHED : status(0n, "not done here, and the bank reports it");
    case "VOIDED":
      return isVoided ? MATCHED : status(0n, "voided here, and the bank reports it");
    case "OPEN":
      return isVoided ? MATCHED : status(null, "not known to be done here, and the bank reports it");
    case "DONE":
      if (isVoided) return status(expected, "done here, and void at the bank");
      return (
        amountDiffers(fact, lines, { expected, actual }) ??
        feeDiffers(lines, plan) ??
        late(fact, lines, { expected, plan }) ??
        MATCHED
      );
    default:
      return fact.standing satisfies never;
  }
}

const MATCHED: Found = { verdict: "MATCHED", stakeMinor: 0n, sides: sidesOf(null, null), detail: "" };

function sumOf(lines: readonly JudgedLine[], counts: (line: JudgedLine) => boolean): bigint {
  return lines.filter(counts).reduce((sum, { grossMinor }) => sum + grossMinor, 0n);
}

function amountDiffers(
  { currency }: JudgedFact,
  lines: readonly JudgedLine[],
  { expected, actual }: { expected: bigint; actual: bigint },
): Found | undefined {
  const foreign = lines.find((line) => line.currency !== currency);
  const stakeMinor = sizeOf(actual - expected);
  if (foreign)
    return {
      verdict: "AMOUNT_DIFFERS",
      stakeMinor: sizeOf(expected),
      sides: sidesOf(expected, actual, foreign.currency),
      detail: `${currency} here, ${foreign.currency} at the bank`,
    };
  if (actual === expected) return undefined;
  // Some banks pay out in monthly parts; until the last one has come, a smaller amount is no difference.
  if (awaitsParts(lines) && sizeOf(actual) < sizeOf(expected)) return undefined;
  return {
    verdict: "AMOUNT_DIFFERS",
    stakeMinor,
    sides: sidesOf(expected, actual),
    detail: "the bank reports another amount",
  };
}

function awaitsParts(lines: readonly JudgedLine[]): boolean {
  const parts = lines.find(({ installments }) => (installments ?? 1) > 1)?.installments ?? 1;
  return new Set(lines.map(({ installment }) => installment)).size < parts;
}

/**
 * Checks a line's own arithmetic, and the plan; one minor unit of difference from the plan's fee is the bank's
 * rounding.
 */
function feeDiffers(lines: readonly JudgedLine[], plan: AccountPlan): Found | undefined {
  let [stakeMinor, actual, planned, wrong] = [0n, 0n, 0n, 0n];
  for (const line of lines) {
    const own = line.grossMinor - line.netMinor;
    const off = sizeOf(own - line.feeMinor);
    const expected = plannedFee(line, plan);
    const beside = expected === undefined ? 0n : sizeOf(line.feeMinor - expected);
    stakeMinor += off + (beside > 1n ? beside : 0n);
    wrong += off;
    actual += line.feeMinor;
    planned += off > 0n ? own : (expected ?? own);
  }
  if (stakeMinor === 0n) return undefined;
  return {
    verdict: "FEE_DIFFERS",
    stakeMinor,
    sides: sidesOf(planned, actual),
    detail: wrong > 0n ? "gross less fee is not net" : "the fee is not that of the account's plan",
  };
}

/** Half a minor unit is rounded up. */
function plannedFee({ kind, grossMinor }: JudgedLine, plan: AccountPlan): bigint | undefined {
  if (plan.feeBasisPoints === null) return undefined;
  const size = sizeOf(grossMinor);
  const fee = (size * BigInt(plan.feeBasisPoints) + 5_000n) / 10_000n + plan.feeFixedMinor;
  if (kind !== "REFUND") return grossMinor < 0n ? -fee : fee;
  return plan.refundsFee ? -fee : 0n;
}

function late(
  { day, amountMinor }: JudgedFact,
  lines: readonly JudgedLine[],
  { expected, plan }: { expected: bigint; plan: AccountPlan },
): Found | undefined {
  const isLate = ({ settlesOn, installment }: JudgedLine) =>
    settlesOn !== null &&
    settlesOn > daysAfter(day, plan.settlementDays + ((installment ?? 1) - 1) * DAYS_BETWEEN_PARTS);
  const found = lines.find(isLate);
  if (!found) return undefined;
  const detail = `of ${day}, to be settled within ${plan.settlementDays} days, settled on ${found.settlesOn}`;
  return { verdict: "LATE", stakeMinor: amountMinor, sides: sidesOf(expected, found.grossMinor), detail };
}

/** The days from one installment to the next; a month may have a day more. */
const DAYS_BETWEEN_PARTS = 31;

function daysAfter(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

function sizeOf(minor: bigint): bigint {
  return minor < 0n ? -minor : minor;
}
