import { enlarged, PackedStates, type Parts } from "./packed-states.ts";

/** A system of which every order of events is explored. States are plain data, and equal when their parts' JSON is. */
export type Model<State> = {
  initial: State;
  parts: Parts<State>;
  /** Everything that can happen next, each with the sentence that a trace shows. */
  next(state: State): Event<State>[];
  /** The fault of this state alone; undefined if it has none. */
  violation(state: State): string | undefined;
  /**
   * True if all records agree, or operators have the case. Such a state has to be reachable from every state.
   */
  isAtRest(state: State): boolean;
};

export type Event<State> = { label: string; state: State };

export type Explored = {
  states: number;
  events: number;
  /** The shortest way to a state with a fault. */
  broken?: { what: string; trace: string[] };
};

export const NO_END = "no final state can be reached from here";

/**
 * Explores breadth first, so that the first violation has the shortest trace. Where no state is wrong it goes back from
 * the states at rest: a state from which none of them is reached is a violation, too.
 * @throws RangeError beyond `statesMax`
 */
export function explore<State extends Record<string, object | null>>(
  model: Model<State>,
  { statesMax = 8_000_000 } = {},
): Explored {
  const states = new PackedStates<State>(model.parts, statesMax);
  const edges = new Edges();
  const broken = (what: string, number: number): Explored => ({
    states: states.size,
    events: edges.size,
    broken: { what, trace: traceTo(model, states, edges, number) },
  });
  states.add(model.initial);
  const atRest: number[] = [];
  for (let number = 0; number < states.size; number++) {
    const state = states.get(number);
    const what = model.violation(state);
    if (what !== undefined) return broken(what, number);
    if (model.isAtRest(state)) atRest.push(number);
    edges.startOf(number);
    for (const event of model.next(state)) edges.push(states.add(event.state));
  }
  edges.startOf(states.size);
  const lost = firstWithoutRest(states.size, edges, atRest);
  return lost === undefined ? { states: states.size, events: edges.size } : broken(NO_END, lost);
}

/** The successors of each state, one state after another. */
class Edges {
  #starts = new Uint32Array(1 << 16);
  #targets = new Uint32Array(1 << 18);
  size = 0;
  #last = 0;

  startOf(number: number): void {
    if (number >= this.#starts.length) this.#starts = enlarged(this.#starts);
    this.#starts[number] = this.size;
    this.#last = number;
  }

  push(target: number): void {
    if (this.size === this.#targets.length) this.#targets = enlarged(this.#targets);
    this.#targets[this.size++] = target;
  }

  of(number: number): Uint32Array {
    return this.#targets.subarray(this.#starts[number], this.#starts[number + 1]);
  }

  /**
   * The first state that leads to this one. States are numbered as they are found, so it is on a shortest
   * path.
   */
  firstTo(target: number): number {
    const at = this.#targets.subarray(0, this.size).indexOf(target);
    let [low, high] = [0, Math.min(target, this.#last)];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The graph with each event reversed. @param states how many there are. */
  turned(states: number): Edges {
    const turned = new Edges();
    const starts = new Uint32Array(states + 1);
    for (let at = 0; at < this.size; at++) starts[this.#targets[at]! + 1]!++;
    for (let number = 0; number < states; number++) starts[number + 1]! += starts[number]!;
    const next = starts.slice();
    turned.#targets = new Uint32Array(this.size);
    for (let number = 0; number < states; number++) {
      for (const target of this.of(number)) turned.#targets[next[target]!++] = number;
    }
    turned.#starts = starts;
    turned.size = this.size;
    return turned;
  }
}

function firstWithoutRest(states: number, edges: Edges, atRest: number[]): number | undefined {
  const before = edges.turned(states);
  const reaches = new Uint8Array(states);
  const open = atRest;
  for (const number of open) reaches[number] = 1;
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    for (const earlier of before.of(number)) {
      if (reaches[earlier] === 1) continue;
      reaches[earlier] = 1;
      open.push(earlier);
    }
  }
  const lost = reaches.indexOf(0);
  return lost === -1 ? undefined : lost;
}

/** The sentences are not kept: each step of the way is found again among its state's events. */
function traceTo<State extends Record<string, object | null>>(
  model: Model<State>,
  states: PackedStates<State>,
  edges: Edges,
  number: number,
): string[] {
  const trace: string[] = [];
  for (let at = number; at > 0;) {
    const from = edges.firstTo(at);
    const event = model.next(states.get(from)).find(({ state }) => states.add(state) === at);
    trace.unshift(event!.label);
    at = from;
  }
  return trace;
}
