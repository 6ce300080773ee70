/**
 * Lets so many works be under way at once, in the order in which they come; the others wait. Merchants who all try again at
 * the same time would bury a machine that has other things to do, and faults would not be what is seen.
 */
export function atMost(limit: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (underWay >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else underWay--;
    }
  };
}
