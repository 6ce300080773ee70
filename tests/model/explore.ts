/** A system whose every order of events is looked at. States are plain data, and equal when their JSON is. */
export type Model<State> = {
  initial: State;
  /** Everything that can happen next, each with the sentence that a trace shows. */
  next(state: State): Event<State>[];
  /** What is wrong in this state, whatever comes later; undefined where nothing is. */
  violation(state: State): string | undefined;
  /** Whether everybody agrees and nothing is left to do. Some such state has to be reachable from every state. */
  isAtRest(state: State): boolean;
};

export type Event<State> = { label: string; state: State };

export type Explored = {
  states: number;
  /** The shortest way to a state in which something is wrong. */
  broken?: { what: string; trace: string[] };
};

/**
 * Breadth first, so that the first violation has the shortest trace. Where no state is wrong it goes back from the states at
 * rest: a state that none of them is reached from is a violation, too.
 * @throws RangeError beyond `statesMax`
 */
export function explore<State>(model: Model<State>, { statesMax = 5_000_000 } = {}): Explored {
  const numbers = new Map<string, number>();
  const found: Found<State>[] = [];
  const visit = (state: State, from: number, label: string): number => {
    const key = JSON.stringify(state);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    if (found.length >= statesMax) throw new RangeError(`more than ${statesMax} states`);
    numbers.set(key, found.length);
    found.push({ state, from, label, before: [] });
    return found.length - 1;
  };
  visit(model.initial, -1, "");
  for (let number = 0; number < found.length; number += 1) {
    const { state } = found[number]!;
    const what = model.violation(state);
    if (what !== undefined) return { states: found.length, broken: { what, trace: traceOf(found, number) } };
    for (const event of model.next(state))
      found[visit(event.state, number, event.label)]!.before.push(number);
  }
  const lost = firstWithoutRest(model, found);
  if (lost === undefined) return { states: found.length };
  return {
    states: found.length,
    broken: { what: "no end can be reached from here", trace: traceOf(found, lost) },
  };
}

type Found<State> = { state: State; from: number; label: string; before: number[] };

function firstWithoutRest<State>(model: Model<State>, found: readonly Found<State>[]): number | undefined {
  const reaches = new Uint8Array(found.length);
  const open = found.flatMap(({ state }, number) => (model.isAtRest(state) ? [number] : []));
  for (const number of open) reaches[number] = 1;
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    for (const earlier of found[number]!.before) {
      if (reaches[earlier] === 1) continue;
      reaches[earlier] = 1;
      open.push(earlier);
    }
  }
  const lost = reaches.indexOf(0);
  return lost === -1 ? undefined : lost;
}

function traceOf<State>(found: readonly Found<State>[], number: number): string[] {
  const trace: string[] = [];
  for (let at = number; at > 0; at = found[at]!.from) trace.unshift(found[at]!.label);
  return trace;
}
