import {
  filtersWithoutIndex,
  RANGE_DAYS_MAX,
  type FieldFault,
  type OperatorListFilter,
} from "@holdfast/contracts";

/**
 * The faults between a search's parameters: a range that ends before it begins, or a search that no index answers and
 * no range of time bounds. @param lookUps filters of this endpoint that are answered by an index.
 */
export function rangeFaults(
  filter: OperatorListFilter,
  now: Date,
  { statusHasIndex, lookUps }: { statusHasIndex: boolean; lookUps: readonly string[] },
): FieldFault[] {
  const { from, to } = filter;
  const end = to === undefined ? now.getTime() : Date.parse(to);
  if (from !== undefined && to !== undefined && Date.parse(from) >= end)
    return [{ field: "to", code: "invalid_range", message: "must be later than from" }];
  const isBounded = from !== undefined && end - Date.parse(from) <= RANGE_MS_MAX;
  if (isBounded) return [];
  return filtersWithoutIndex(filter, { statusHasIndex }).map((field) => ({
    field,
    code: "range_required",
    message: `needs from and to, at most ${RANGE_DAYS_MAX} days apart, or one of ${lookUps.join(", ")}`,
  }));
}

/** A month in which clocks go back is an hour longer. */
const RANGE_MS_MAX = RANGE_DAYS_MAX * 86_400_000 + 3_600_000;
