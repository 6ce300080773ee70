/** The lowest UUIDv7 of a millisecond: ids carry the time at which they were made, so that a period is a range of the key. */
export function firstIdAt(epochMs: number): string {
  const hex = Math.trunc(epochMs).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
