/** A change that the transition table does not have: a bug, never an outcome. */
export class IllegalTransitionError extends Error {
  override name = "IllegalTransitionError";
  readonly code = "illegal_transition";
}

/**
 * The check of a state machine's table, which names the states that may follow each state.
 *
 * @returns a function that returns the next state, and throws IllegalTransitionError if the table does not
 * allow it.
 */
export function createTransition<From extends string, State extends string>(
  table: Record<From, readonly State[]>,
): <To extends State>(from: From, to: To) => To {
  return (from, to) => {
    if (!table[from].includes(to)) throw new IllegalTransitionError(`${from} does not lead to ${to}`);
    return to;
  };
}
