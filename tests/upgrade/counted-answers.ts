import type { Client } from "../e2e/running-sandbox.ts";

/** The number of answers of each kind, by the step under way. */
export type CountedAnswers = {
  /** Begins a step, under which answers are counted from now on. */
  begin(step: string): void;
  count(client: Client): Client;
  /** By step, in order: answers by status, or `no answer`. */
  steps: Map<string, Map<number | "no answer", number>>;
};

export function countAnswers(): CountedAnswers {
  const steps = new Map<string, Map<number | "no answer", number>>();
  let current = new Map<number | "no answer", number>();
  const add = (status: number | "no answer") => void current.set(status, (current.get(status) ?? 0) + 1);
  return {
    steps,
    begin(step) {
      current = new Map();
      steps.set(step, current);
    },
    count:
      (client) =>
      async (...request) => {
        try {
          const answer = await client(...request);
          add(answer.status);
          return answer;
        } catch (error) {
          add("no answer");
          throw error;
        }
      },
  };
}
