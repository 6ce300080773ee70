/**
 * Every seen state, each once and exactly, in a few words of memory. A state is a record of parts, each
 * distinct part gets a number, and a state is stored as its parts' numbers. Parts are the same if their
 * values are equal, in the order of their fields. All values of one part have their fields in the same order;
 * if the sets of fields differ, the first field tells which set it is. No text may contain a "|".
 */
export type Parts<State> = readonly (keyof State & string)[];

/** Plain data that was seen in one place. */
class Table {
  readonly parts: (object | null)[] = [];
  readonly #numbers = new Map<string, number>();
  /** Values from the table are found again by their identity, without their text. */
  readonly #known = new WeakMap<object, number>();
  readonly #nested: Table | undefined;

  constructor(nested?: Table) {
    this.#nested = nested;
  }

  numberOf(value: object | null): number {
    const known = value === null ? undefined : this.#known.get(value);
    if (known !== undefined) return known;
    const text = this.#textOf(value);
    const number = this.#numbers.get(text);
    if (number !== undefined) return number;
    this.#numbers.set(text, this.parts.length);
    if (value !== null) this.know(value, this.parts.length);
    return this.parts.push(value) - 1;
  }

  know(value: object, number: number): void {
    this.#known.set(value, number);
    for (const inner of Object.values(value) as unknown[]) {
      if (typeof inner === "object" && inner !== null) this.#inner.know(inner, this.#inner.numberOf(inner));
    }
  }

  /** The text of a value, with only the number of each nested one. */
  #textOf(value: object | null): string {
    if (value === null) return "";
    let text = Array.isArray(value) ? "[" : "{";
    for (const inner of Object.values(value) as (object | string | number | boolean | null)[]) {
      text += typeof inner === "object" && inner !== null ? `#${this.#inner.numberOf(inner)}|` : `${inner}|`;
    }
    return text;
  }

  get #inner(): Table {
    return this.#nested ?? this;
  }
}

export class PackedStates<State extends Record<string, object | null>> {
  readonly #parts: Parts<State>;
  readonly #width: number;
  readonly #tables: Table[];
  readonly #max: number;
  #words: Uint32Array;
  /** Open addressing over the numbers of states, each plus one; 0 is a free place. */
  #places = new Uint32Array(1 << 16);
  #size = 0;

  /** @param max more states than this are an error, so that a model that grows does not eat the machine. */
  constructor(parts: Parts<State>, max: number) {
    this.#parts = parts;
    this.#width = parts.length;
    this.#max = max;
    const nested = new Table();
    this.#tables = parts.map(() => new Table(nested));
    this.#words = new Uint32Array(this.#width << 16);
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the state's number, `size` before the call where it is new. @throws RangeError beyond the maximum. */
  add(state: State): number {
    if (this.#size * 2 >= this.#places.length) this.#growPlaces();
    const start = this.#size * this.#width;
    if (start + this.#width > this.#words.length) this.#words = enlarged(this.#words);
    // The state is written behind the last one, and stays there only if it is new.
    for (let part = 0; part < this.#width; part++) {
      this.#words[start + part] = this.#tables[part]!.numberOf(state[this.#parts[part]!] ?? null);
    }
    const place = this.#placeOf(start);
    const known = this.#places[place]!;
    if (known !== 0) return known - 1;
    if (this.#size >= this.#max) throw new RangeError(`more than ${this.#max} states`);
    this.#places[place] = ++this.#size;
    return this.#size - 1;
  }

  get(number: number): State {
    const start = number * this.#width;
    const state: Record<string, object | null> = {};
    for (let part = 0; part < this.#width; part++) {
      state[this.#parts[part]!] = this.#tables[part]!.parts[this.#words[start + part]!]!;
    }
    return state as State;
  }

  /** The place of the state that begins at this word, or the free place for it. */
  #placeOf(start: number): number {
    const mask = this.#places.length - 1;
    let hash = 0;
    for (let part = 0; part < this.#width; part++) {
      hash = Math.imul(hash ^ this.#words[start + part]!, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const other = this.#places[place]!;
      if (other === 0 || this.#areSame(start, (other - 1) * this.#width)) return place;
    }
  }

  #areSame(start: number, other: number): boolean {
    for (let part = 0; part < this.#width; part++) {
      if (this.#words[start + part] !== this.#words[other + part]) return false;
    }
    return true;
  }

  #growPlaces(): void {
    this.#places = new Uint32Array(this.#places.length * 2);
    for (let number = 0; number < this.#size; number++) {
      this.#places[this.#placeOf(number * this.#width)] = number + 1;
    }
  }
}

/** Copies the words into an array of twice the size. */
export function enlarged(words: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(words.length * 2);
  larger.set(words);
  return larger;
}
