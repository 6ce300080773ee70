/** An unknown outcome without the approval in it, which differs by bank; it may contain nothing else. */
export function withoutHeard(outcome: { kind: string; heard?: unknown }): object {
  const { heard: _heard, ...rest } = outcome;
  return rest;
}
