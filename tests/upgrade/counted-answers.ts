import type { Client } from "../e2e/running-sandbox.ts";

/** The number of answers of each kind, by the step under way. */
export type CountedAnswers = {
  /** Begins a step, under which answers are counted from now on. */
  begin(step: string): void;
  count(client: Client): Client;
  /** The answers of each step, in order, by status or `no answer`. */
  steps: Map<string, Map<number | "no answer", number>>;
  /** Seconds from the beginning of a step's first request that was refused, or not answered, to the end of its last. */
  refusedSeconds(step: string): number;
};

type Counted = { statuses: Map<number | "no answer", number>; refused: number[] };

export function countAnswers(): CountedAnswers {
  const steps: CountedAnswers["steps"] = new Map();
  const refusedBy = new Map<string, number[]>();
  let current: Counted = { statuses: new Map(), refused: [] };
  const add = (status: number | "no answer", begun: number) => {
    current.statuses.set(status, (current.statuses.get(status) ?? 0) + 1);
    if (status === "no answer" || status >= 502) current.refused.push(begun, performance.now());
  };
  return {
    steps,
    begin(step) {
      current = { statuses: new Map(), refused: [] };
      steps.set(step, current.statuses);
      refusedBy.set(step, current.refused);
    },
    count:
      (client) =>
      async (...request) => {
        const begun = performance.now();
        try {
          const answer = await client(...request);
          add(answer.status, begun);
          return answer;
        } catch (error) {
          add("no answer", begun);
          throw error;
        }
      },
    refusedSeconds(step) {
      const refused = refusedBy.get(step) ?? [];
      return refused.length === 0 ? 0 : (Math.max(...refused) - Math.min(...refused)) / 1_000;
    },
  };
}
