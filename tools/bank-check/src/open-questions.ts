import type { Step, StepName, StepOutcome } from "./walk.ts";

/** A question that only a live or a test account answers, and what the walk has seen of it. */
export type Finding = { question: string; answer: string; evidence: readonly StepName[] };

export type Question = {
  question: string;
  evidence: readonly StepName[];
  /** The meaning of the outcomes of the evidence's steps, in their order; absent if the walk cannot tell. */
  read?: (...outcomes: StepOutcome[]) => string;
  /** The reason why the walk cannot tell. */
  unseen?: string;
};

/** The open questions of a protocol, one by one, with the walk's evidence. */
export function answerOpenQuestions(questions: readonly Question[], steps: readonly Step[]): Finding[] {
  return questions.map(({ question, evidence, read, unseen }) => {
    const outcomes = evidence.map((name) => steps.find((step) => step.name === name)?.outcome);
    const isSeen = outcomes.every((outcome) => outcome !== undefined);
    const answer = read && isSeen ? read(...outcomes) : `not seen: ${unseen ?? "the walk did not get there"}`;
    return { question, answer, evidence };
  });
}

/** The adapter's understanding, in a line. */
export function shortly({ kind, ...rest }: StepOutcome): string {
  const said = ["reason", "resultCode", "resultMessage", "detail"].flatMap((name) => {
    const text = rest[name];
    return typeof text === "string" && text !== "" ? [text] : [];
  });
  return said.length === 0 ? kind : `${kind} (${said.join(", ")})`;
}
