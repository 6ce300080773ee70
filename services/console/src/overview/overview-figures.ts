/** Counts ages by group. @param limitsMs upper ends of all groups except the last, ascending. */
export function countByAge(agesMs: readonly number[], limitsMs: readonly number[]): number[] {
  const counts = Array.from({ length: limitsMs.length + 1 }, () => 0);
  for (const age of agesMs) {
    const group = limitsMs.findIndex((limit) => age < limit);
    counts[group === -1 ? limitsMs.length : group]! += 1;
  }
  return counts;
}
