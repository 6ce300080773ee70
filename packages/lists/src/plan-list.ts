import { LOOK_UP_FILTERS, type OperatorListFilter } from "@holdfast/contracts";

/** What a service may be asked for: beside the filters of a search, the payment whose refunds are listed. */
export type ListFilters = OperatorListFilter & { parentPaymentId?: string | undefined };

export type FilterName = Exclude<keyof ListFilters, "from" | "to">;

/**
 * How a list is read. Rows are found by one index, in the order of the list; the other filters are compared with what it
 * finds. The range of time is a part of every index.
 */
export type ListPlan = { found: FilterName[]; compared: FilterName[] };

/** @param statusHasIndex whether rows of one status are found by an index, where nothing more selective is named. */
export function planList(filter: ListFilters, statusHasIndex: boolean): ListPlan {
  const given = (Object.keys(filter) as (keyof ListFilters)[]).filter(
    (name): name is FilterName => name !== "from" && name !== "to" && filter[name] !== undefined,
  );
  const lookUp = (["parentPaymentId", ...LOOK_UP_FILTERS] as const).find((name) => given.includes(name));
  const key = lookUp ?? (statusHasIndex ? "status" : undefined);
  // Every index of one thing has the merchant, too.
  const found = given.filter((name) => name === key || name === "merchantId");
  return { found, compared: given.filter((name) => !found.includes(name)) };
}
