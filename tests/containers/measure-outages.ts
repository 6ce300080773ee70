import { eventually } from "../support/index.ts";

/** The outages that merchants see in each step while they pay all the time. */
export type Outages = {
  /** Makes a request; anything but 201 is a refusal. */
  watch<T extends { status: number }>(ask: () => Promise<T>): Promise<T>;
  /** Does something, and waits until six more payments have ended. */
  step(name: string, act: () => Promise<unknown>, done: readonly unknown[]): Promise<void>;
  /** A row for each step: how long it took, how long payments were refused, and the slowest of them, in seconds. */
  table(): string;
};

/** @param withinMs in which payments have to be back after a step. */
export function measureOutages(withinMs: number): Outages {
  const rows = ["| step | took (s) | refused for (s) | slowest (s) |", "| --- | --- | --- | --- |"];
  // Beginnings and ends of requests that were refused.
  const refused: number[] = [];
  let slowest = 0;
  return {
    async watch(ask) {
      const begun = performance.now();
      let isRefused = true;
      try {
        const answer = await ask();
        isRefused = answer.status !== 201;
        slowest = Math.max(slowest, performance.now() - begun);
        return answer;
      } finally {
        if (isRefused) refused.push(begun, performance.now());
      }
    },
    async step(name, act, done) {
      refused.length = 0;
      slowest = 0;
      const begun = performance.now();
      await act();
      const took = performance.now() - begun;
      const before = done.length;
      await eventually(() => done.length > before + 6, { withinMs });
      const outage = refused.length === 0 ? 0 : Math.max(...refused) - Math.min(...refused);
      const cells = [took, outage, slowest].map((each) => (each / 1_000).toFixed(1));
      rows.push(`| ${[name, ...cells].join(" | ")} |`);
    },
    table: () => `${rows.join("\n")}\n`,
  };
}
