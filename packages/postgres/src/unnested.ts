/**
 * A table `given` for the `from` of a prepared statement that takes a batch: each of `columns`, a name and
 * its SQL type, is one array, from parameter `$first` on.
 */
export function unnested(columns: readonly (readonly [string, string])[], first: number): string {
  const arrays = columns.map(([, type], index) => `$${first + index}::${type}[]`);
  const names = columns.map(([column]) => `"${column}"`);
  return `unnest(${arrays.join(", ")}) as given(${names.join(", ")})`;
}
