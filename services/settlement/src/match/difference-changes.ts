/** A difference of a fact or a payout that is not resolved: people work on it, or have closed it. */
export type Earlier = { class: string; amount_minor: bigint | null; state: string };

/** The effect of a comparison on the differences of one fact, or of one payout: it ends some, and may open one. */
export type Change = { opens: string | undefined; resolves: string[] };

/**
 * Decides what recording a comparison changes, without any I/O. A difference that an operator has closed
 * stays closed while it is the same.
 *
 * @param asksAgain true if a new line brings the same difference again, and nobody has decided about that
 * line.
 */
export function changeBy(
  {
    verdict,
    stakeMinor,
    asksAgain = false,
  }: { verdict: string | null; stakeMinor: bigint; asksAgain?: boolean },
  earlier: readonly Earlier[],
): Change {
  const isSame = (each: Earlier) => each.class === verdict && each.amount_minor === stakeMinor;
  const open = earlier.filter(({ state }) => state !== "CLOSED");
  const isKnown = asksAgain ? open.some(isSame) : earlier.some(isSame);
  return {
    opens: verdict === null || verdict === "MATCHED" || isKnown ? undefined : verdict,
    resolves: open.filter((each) => !isSame(each)).map(({ class: kind }) => kind),
  };
}
