/** A line about a chargeback; `identity` is what two copies of one line have in common. */
export type ChargebackEntry = {
  kind: "CHARGEBACK" | "CHARGEBACK_REVERSAL";
  identity: string;
  item: string | null;
  currency: string;
  /** The amount without a sign. */
  amountMinor: bigint;
  settlesOn: string | null;
  payoutId: string | null;
};

/**
 * A line with the number of distinct earlier lines of its identity; without a number if it is a copy of an
 * earlier line.
 */
export type JudgedEntry<Entry> = { entry: Entry; round: number | undefined };

/**
 * Tells a payment's chargeback lines from their copies, without any I/O. A bank that writes a line twice, or
 * sends a day's file again, has taken the money once. A chargeback that was given back may come again,
 * however, as in arbitration. A line of the same identity is therefore a new one if its whole amount was
 * moved the other way in between, unless its payout shows that it comes from the earlier file.
 *
 * @param entries one payment's lines, in the order of their arrival.
 */
export function copiesAmong<Entry extends ChargebackEntry>(entries: readonly Entry[]): JudgedEntry<Entry>[] {
  const counted: Entry[] = [];
  return entries.map((entry) => {
    const same = counted.filter(({ identity }) => identity === entry.identity);
    if (same.length > 0 && !isAnother(entry, same, counted)) return { entry, round: undefined };
    counted.push(entry);
    return { entry, round: same.length };
  });
}

function isAnother<Entry extends ChargebackEntry>(
  entry: Entry,
  same: readonly Entry[],
  counted: readonly Entry[],
): boolean {
  const hasPayout = entry.settlesOn !== null || entry.payoutId !== null;
  const isOfSamePayout = ({ settlesOn, payoutId }: Entry) =>
    settlesOn === entry.settlesOn && payoutId === entry.payoutId;
  if (hasPayout && same.some(isOfSamePayout)) return false;
  const since = counted.slice(counted.indexOf(same.at(-1)!) + 1);
  const movedBack = since
    .filter(
      ({ kind, item, currency }) => kind !== entry.kind && item === entry.item && currency === entry.currency,
    )
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  return movedBack >= entry.amountMinor;
}
