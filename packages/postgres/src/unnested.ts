/**
 * For the `from` of a prepared statement that takes a batch: one array for each of `columns`, a name and its SQL type,
 * from parameter `$first` on, as a table `given`.
 */
export function unnested(columns: readonly (readonly [string, string])[], first: number): string {
  const arrays = columns.map(([, type], index) => `$${first + index}::${type}[]`);
  const names = columns.map(([column]) => `"${column}"`);
  return `unnest(${arrays.join(", ")}) as given(${names.join(", ")})`;
}
