import { filterOf } from "../ui/read-list.ts";

export const DIFFERENCE_FILTERS = ["state", "class", "accountId"] as const;

/** The filters of the list of differences, which the page of each keeps: as the end of an address, empty without filters. */
export function keptFilter(query: URLSearchParams): string {
  const filter = new URLSearchParams(filterOf(query, DIFFERENCE_FILTERS));
  return filter.size === 0 ? "" : `?${filter.toString()}`;
}
