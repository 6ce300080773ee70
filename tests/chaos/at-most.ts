/**
 * Limits the work under way, first come, first served. Merchants who all retry at the same time would
 * overload a busy machine, and hide the faults.
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
