/** A released line with names in braces, and the received one. */
export type IsSame = (released: string, received: string) => boolean;

/** A run of lines that is not as it was released. */
export type ChangedLines = { released: string[]; received: string[] };

/**
 * The number of equal lines at the beginning and the end. The released page with the highest number is
 * probably the one that was sent.
 */
export function countSame(released: string[], received: string[], isSame: IsSame): number {
  const length = Math.min(released.length, received.length);
  const from = (step: (index: number) => boolean) => {
    let count = 0;
    while (count < length && step(count)) count += 1;
    return count;
  };
  const start = from((index) => isSame(released[index]!, received[index]!));
  return start + from((index) => isSame(released.at(-1 - index)!, received.at(-1 - index)!));
}

/** The changed runs of lines, in their order. */
export function changedLines(released: string[], received: string[], isSame: IsSame): ChangedLines[] {
  const changes: ChangedLines[] = [];
  let [at, got] = [0, 0];
  while (at < released.length || got < received.length) {
    if (isSameAt(released[at], received[got], isSame)) {
      [at, got] = [at + 1, got + 1];
      continue;
    }
    const [left, right] = nextSame(released.slice(at), received.slice(got), isSame);
    changes.push({ released: released.slice(at, at + left), received: received.slice(got, got + right) });
    [at, got] = [at + left, got + right];
  }
  return changes;
}

/** The distances to the nearest two consecutive equal lines, or to the ends if there are none nearby. */
function nextSame(released: string[], received: string[], isSame: IsSame): [number, number] {
  for (let distance = 1; distance <= DISTANCE_MAX; distance += 1) {
    for (let left = 0; left <= distance; left += 1) {
      const right = distance - left;
      const same = (by: number) => isSameAt(released[left + by], received[right + by], isSame);
      if (released[left] !== undefined && same(0) && same(1)) return [left, right];
    }
  }
  return [released.length, received.length];
}

function isSameAt(released: string | undefined, received: string | undefined, isSame: IsSame): boolean {
  if (released === undefined || received === undefined) return released === received;
  return isSame(released, received);
}

const DISTANCE_MAX = 200;
