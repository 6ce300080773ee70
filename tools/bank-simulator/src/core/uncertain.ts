import type { BankLine } from "./bank-line.ts";
import type { Work } from "./serve-call.ts";

/**
 * Faults whose answer does not reveal the effect: each exists with the effect (`_done`) and without it
 * (`_not_done`).
 */
export function bothWays<const Kind extends string>(kind: Kind) {
  return [`${kind}_done`, `${kind}_not_done`] as const;
}

/** The code of an uncertain answer, and whether the call has an effect. */
export type Uncertainty = { code: string; isDone: boolean };

/** @param codes by the kind of a fault @param name of a fault, such as `unlisted_not_done` */
export function uncertaintyIn(
  codes: Readonly<Record<string, string>>,
  name: string,
): Uncertainty | undefined {
  const [, kind = "", no] = /^(.*?)(_not)?_done$/.exec(name) ?? [];
  const code = codes[kind];
  return code === undefined ? undefined : { code, isDone: no === undefined };
}

/** A call about money with its fault. @param judge resolves with the line of the call, and its answer */
export function moneyWork<Answer>(
  bank: { endDay: () => Promise<void> },
  behaviour: string,
  trouble: Uncertainty | undefined,
  refuse: (code: string) => Answer,
  judge: () => Promise<{ line: BankLine; answer: Answer }>,
): Work<Answer> {
  const carryOut = async () => {
    if (behaviour === "day_closes") await bank.endDay();
    if (trouble && !trouble.isDone) return { answer: refuse(trouble.code) };
    const { line, answer } = await judge();
    // The bank's own refusal comes before the trouble that a fault plays.
    return { answer: trouble && line.outcome === "approved" ? refuse(trouble.code) : answer };
  };
  return { behaviour, carryOut };
}
