import type { AnswerBody } from "./teller.ts";
import type { ResultCode } from "./result-codes.ts";

/** An operation whose result comes later. `decide` carries it out, or declines it with a code. */
type Accepted = { answer: AnswerBody; decide: (forcedCode: ResultCode | undefined) => Promise<unknown> };

/**
 * Operations that the bank has accepted and not decided on. They have moved nothing, so they are in memory only: a restart
 * forgets them, as if they had never come.
 */
export class PendingDesk {
  readonly #accepted = new Map<string, Accepted>();

  accept(accepted: Accepted): AnswerBody {
    this.#accepted.set(accepted.answer.reference, accepted);
    return accepted.answer;
  }

  /** The answer to a repeat, and to an inquiry; undefined where nothing waits under the reference. */
  answerTo(reference: string): AnswerBody | undefined {
    return this.#accepted.get(reference)?.answer;
  }

  /** @returns whether something waited under the reference. */
  async decide(reference: string, forcedCode: ResultCode | undefined): Promise<boolean> {
    const accepted = this.#accepted.get(reference);
    if (!accepted) return false;
    await accepted.decide(forcedCode);
    this.#accepted.delete(reference);
    return true;
  }
}
