import type { ListPart, ListPlace } from "@holdfast/contracts";

/** One page of a list, and where the next one begins; without that place the list is over. */
export type MergedPage<Item> = { items: Item[]; next?: ListPlace };

/**
 * Merges the parts of a list into one page, in the order of time and id. A part that was not read to its end
 * says how far it was read. Rows of that part could still follow after the first such place, so nothing
 * beyond it is shown yet. Every match up to `next` is on this page or an earlier one.
 */
export function mergeParts<Item>(
  parts: ListPart<Item>[],
  { limit, oldestFirst = false }: { limit: number; oldestFirst?: boolean },
): MergedPage<Item> {
  const inOrder = (a: ListPlace, b: ListPlace) => (oldestFirst ? compare(a, b) : compare(b, a));
  const [horizon] = parts.flatMap(({ readTo }) => readTo ?? []).sort(inOrder);
  const all = parts.flatMap(({ items }) => items).sort(inOrder);
  const known = horizon === undefined ? all : all.filter((each) => inOrder(each, horizon) <= 0);
  const page = known.slice(0, limit);
  const next = known.length > limit ? page.at(-1) : horizon;
  return {
    items: page.map(({ item }) => item),
    ...(next && { next: { createdAt: next.createdAt, id: next.id } }),
  };
}

/** True if a list that is read from `place` on still has `each`. */
export function isBehind(each: ListPlace, place: ListPlace, oldestFirst = false): boolean {
  return oldestFirst ? compare(each, place) > 0 : compare(each, place) < 0;
}

/** Compares places as texts: each has one length, and the order of its value. */
function compare(a: ListPlace, b: ListPlace): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
