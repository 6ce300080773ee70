import type { OperationRequest } from "./operation-request.ts";
import type { ResultCode } from "./result-codes.ts";
import type { Answer, AnswerBody, Circumstances, Teller } from "./teller.ts";

/** An operation whose result comes later. `decide` carries it out, or declines it with a code. */
type Accepted = { answer: AnswerBody; decide: (forcedCode: ResultCode | undefined) => Promise<unknown> };

/**
 * Operations that the bank has accepted and not decided on. They have moved nothing, so they are in memory only: a restart
 * forgets them, as if they had never come.
 */
export class PendingDesk {
  readonly #teller: Teller;
  readonly #accepted = new Map<string, Accepted>();

  constructor(teller: Teller) {
    this.#teller = teller;
  }

  /** Carries an operation out, or accepts it only; a repeat of one that was accepted is answered in the same way. */
  async operateOrAccept(
    asked: OperationRequest,
    { isPending, ...circumstances }: Circumstances & { isPending: boolean },
  ): Promise<Answer> {
    const { reference, amountMinor, currency } = asked;
    const waiting = this.answerTo(reference);
    if (waiting) return { kind: "answer", body: waiting };
    if (!isPending || this.#teller.hasSeen(reference))
      return await this.#teller.operate(asked, circumstances);
    const answer = { reference, outcome: "pending" as const, amountMinor: Number(amountMinor), currency };
    const decide = (forcedCode = circumstances.forcedCode) =>
      this.#teller.operate(asked, { ...circumstances, forcedCode });
    this.#accepted.set(reference, { answer, decide });
    return { kind: "answer", body: answer };
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
