/** An unknown outcome without the approval that was heard with it, which differs by bank: nothing else may be in it. */
export function withoutHeard(outcome: { kind: string; heard?: unknown }): object {
  const { heard: _heard, ...rest } = outcome;
  return rest;
}
