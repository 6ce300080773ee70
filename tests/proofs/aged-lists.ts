import { CONNECTORS } from "@holdfast/banks";
import { CURRENCY_LIST } from "@holdfast/contracts";

/** Somebody else's list, its source, and the day on which ours was last compared with it. */
export type DatedList = { name: string; source: string; comparedOn: string };

export const DATED_LISTS: readonly DatedList[] = [
  CURRENCY_LIST,
  ...[...CONNECTORS.values()].flatMap(({ codes }) => codes ?? []),
];

/** Lists that nobody has compared with their source for a year. */
export function agedLists(lists: readonly DatedList[], now: Date): DatedList[] {
  const today = Temporal.PlainDate.from(now.toISOString().slice(0, 10));
  return lists.filter(
    ({ comparedOn }) =>
      Temporal.PlainDate.compare(Temporal.PlainDate.from(comparedOn).add({ years: 1 }), today) < 0,
  );
}
