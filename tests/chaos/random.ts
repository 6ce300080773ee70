/** Random numbers that are the same for the same seed: they determine the whole schedule of a run. */
export type Random = {
  /** At least 0 and less than 1. */
  unit(): number;
  /** A whole number from `from` to `to`, both included. */
  integer(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<const T>(choices: readonly [T, ...T[]]): T;
  /** Chooses a name by weights: `{often: 9, rarely: 1}`. */
  weighted<Name extends string>(weights: Record<Name, number>): Name;
};

/** mulberry32: 32 bits of state are plenty for a schedule, and it is the same on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    unit,
    integer: (from, to) => from + Math.floor(unit() * (to - from + 1)),
    chance: (probability) => unit() < probability,
    pick: (choices) => choices[Math.floor(unit() * choices.length)] ?? choices[0],
    weighted(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][];
      let rest = unit() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const chosen = entries.find(([, weight]) => (rest -= weight) < 0) ?? entries.at(-1);
      if (!chosen) throw new RangeError("nothing to choose from");
      return chosen[0];
    },
  };
}

export function drawSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}
