import { LOOK_UP_FILTERS, type OperatorListFilter } from "@holdfast/contracts";

/** The filters of a service's list: a search's filters, and the payment whose refunds are listed. */
export type ListFilters = Omit<OperatorListFilter, "status"> & {
  /** The caller's name of the status. */
  status?: string | undefined;
  parentPaymentId?: string | undefined;
};

export type FilterName = Exclude<keyof ListFilters, "from" | "to">;

/**
 * The way to read a list: `keys` are the leading columns of an index that has time and id behind them, and `found` a
 * further column of that index. The other filters are compared with the rows that it finds. The range of time is a part
 * of every index.
 */
export type ListPlan = { keys: FilterName[]; found: FilterName[]; compared: FilterName[] };

/** @param statusHasIndex whether rows of one status are found by an index, where nothing more selective is named. */
export function planList(filter: ListFilters, statusHasIndex: boolean): ListPlan {
  const given = (Object.keys(filter) as (keyof ListFilters)[]).filter(
    (name): name is FilterName => name !== "from" && name !== "to" && filter[name] !== undefined,
  );
  const has = (name: FilterName) => given.includes(name);
  const lookUp = (["parentPaymentId", ...LOOK_UP_FILTERS] as const).find(has);
  const ofMerchant: FilterName[] = has("merchantId") ? ["merchantId"] : [];
  const plan = lookUp
    ? { keys: [lookUp], found: ofMerchant }
    : { keys: statusHasIndex && has("status") ? [...ofMerchant, "status" as const] : ofMerchant, found: [] };
  const isUsed = (name: FilterName) => [...plan.keys, ...plan.found].includes(name);
  return { ...plan, compared: given.filter((name) => !isUsed(name)) };
}
