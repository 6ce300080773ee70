import type { Difference, Statement } from "@holdfast/contracts";

/**
 * Adds up a month by the bank's own ledger and people's words, and compares the sums with the statements. It uses nothing
 * of the service that is judged by it: no SQL, no verdict, no mapping.
 */

/** A line as the bank has written it, and the truth about it, which only the bank and people know. Minor units. */
export type BankEntry = {
  kind: string;
  day: string;
  gross: bigint;
  fee: bigint;
  payoutId: string;
  /** True if the bank has written the line before: it is no further money. */
  isCopy?: boolean;
  /** True if it is the bank's cost of the contract, which belongs to no merchant. */
  isOfCompany?: boolean;
  /** The decision of people, who alone can say whose the line is. */
  word?: "ACCEPT_BANK" | "NOT_OURS";
  /** The part of its gross amount that has a commission: the movements made here. */
  priced: bigint;
};

export type Month = {
  entries: BankEntry[];
  /** The money that came into the account. */
  payouts: Map<string, bigint>;
  /** Shortages that a person has accepted. */
  short: Map<string, bigint>;
  commissionPercent: bigint;
};

/** @returns everything that does not agree, to the minor unit. */
export function booksOfMonthDisagree(
  month: Month,
  statements: readonly Statement[],
  differences: readonly Difference[],
): string[] {
  return [
    ...daysDisagree(month, statements),
    ...payoutsDisagree(month),
    ...totalsDisagree(month, statements),
    ...unexplained(month, differences),
  ];
}

const minorOf = (amount: number) => BigInt(Math.round(amount * 100));
const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, amount) => total + amount, 0n);

/** True for a line that counts: copies, lines that are not ours, and the company's own payments do not. */
const isInStatement = ({ isCopy, isOfCompany, word }: BankEntry) =>
  !isCopy && !isOfCompany && word !== "NOT_OURS";

const grossOf = (statement: Statement) =>
  minorOf(statement.salesAmount) -
  minorOf(statement.refundsAmount) -
  minorOf(statement.chargebacksAmount) +
  minorOf(statement.adjustmentsAmount);

function daysDisagree({ entries, commissionPercent }: Month, statements: readonly Statement[]): string[] {
  const days = [...new Set([...entries.map(({ day }) => day), ...statements.map(({ day }) => day)])];
  return days.flatMap((day) => {
    const counted = entries.filter((entry) => entry.day === day && isInStatement(entry));
    const statement = statements.find((each) => each.day === day);
    if (!statement) return counted.length === 0 ? [] : [`${day}: no statement`];
    const expected = {
      gross: sum(counted.map(({ gross }) => gross)),
      fees: sum(counted.map(({ fee }) => fee)),
      adjustments: sum(counted.filter(({ word }) => word === "ACCEPT_BANK").map(({ gross }) => gross)),
      commission: sum(counted.map(({ priced }) => (priced * commissionPercent) / 100n)),
      lines: BigInt(counted.length),
      complete: 1n,
    };
    const found = {
      gross: grossOf(statement),
      fees: minorOf(statement.bankFeesAmount),
      adjustments: minorOf(statement.adjustmentsAmount),
      commission: minorOf(statement.commission),
      lines: BigInt(statement.lines),
      complete: statement.complete ? 1n : 0n,
    };
    const payable = found.gross - found.commission;
    return [
      ...(Object.keys(expected) as (keyof typeof expected)[]).flatMap((name) =>
        expected[name] === found[name]
          ? []
          : [`${day}: ${name} ${found[name]}, by the bank's ledger ${expected[name]}`],
      ),
      ...(minorOf(statement.netPayableAmount) === payable ? [] : [`${day}: payable is not its parts`]),
    ];
  });
}

function payoutsDisagree({ entries, payouts, short }: Month): string[] {
  const ids = new Set([...payouts.keys(), ...entries.map(({ payoutId }) => payoutId)]);
  return [...ids].flatMap((id) => {
    const paid = (payouts.get(id) ?? 0n) + (short.get(id) ?? 0n);
    const lines = sum(
      entries
        .filter(({ payoutId, isCopy }) => payoutId === id && !isCopy)
        .map(({ gross, fee }) => gross - fee),
    );
    return lines === paid
      ? []
      : [`payout ${id}: ${paid} came or was accepted as lost, and its lines are ${lines}`];
  });
}

/**
 * Compares the whole month's statements, the bank's file and the payouts. They are equal, except for lines
 * with a decision.
 */
function totalsDisagree({ entries, payouts, short }: Month, statements: readonly Statement[]): string[] {
  const owed = sum(statements.map((each) => grossOf(each) - minorOf(each.bankFeesAmount)));
  const beside = sum(
    entries.filter((entry) => !entry.isCopy && !isInStatement(entry)).map(({ gross, fee }) => gross - fee),
  );
  const paid = sum(payouts.values());
  const lost = sum(short.values());
  return owed + beside === paid + lost
    ? []
    : [`statements ${owed} and ${beside} beside them are not ${paid} paid and ${lost} lost`];
}

/** Each difference has ended by itself, or by a person with a reason; and nobody has closed more than there was. */
function unexplained({ entries, short }: Month, differences: readonly Difference[]): string[] {
  const closed = differences.filter(({ state }) => state === "CLOSED");
  const asked =
    entries.filter(({ word, isCopy }) => word !== undefined || isCopy === true).length + short.size;
  return [
    ...differences
      .filter(({ state }) => state === "OPEN" || state === "PROPOSED")
      .map(({ class: kind, detail }) => `open: ${kind}, ${detail}`),
    ...closed
      .filter(({ closedBy, reason, decision }) => !closedBy || !reason || !decision)
      .map(({ differenceId }) => `closed by nobody: ${differenceId}`),
    ...(closed.length === asked
      ? []
      : [`${closed.length} differences were closed, and people said ${asked} words`]),
  ];
}
