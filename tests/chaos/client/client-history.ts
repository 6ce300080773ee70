import { appendFileSync, readFileSync } from "node:fs";
import type { HistoryEntry, OperatorEntry, Visit } from "../../checker/index.ts";
import { CARDS } from "./cards.ts";

/**
 * The merchants' requests and answers, one JSON line for each request, written when its end is known. No full card
 * number is ever in it, not even when a service repeats one.
 */
export class ClientHistory {
  readonly entries: HistoryEntry[] = [];
  readonly #file: string;
  #sequence = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** A number for a request that is about to be sent. */
  next(): number {
    return ++this.#sequence;
  }

  add(entry: HistoryEntry): void {
    const line = withoutCardNumbers(JSON.stringify(entry));
    this.entries.push(JSON.parse(line) as HistoryEntry);
    appendFileSync(this.#file, `${line}\n`);
  }
}

/** The requests of buyers' browsers and the pages that they were shown, in the same way. */
export class VisitHistory {
  readonly visits: Visit[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  add(visit: Visit): void {
    this.visits.push(visit);
    appendFileSync(this.#file, `${JSON.stringify(visit)}\n`);
  }
}

/** The changes that operators asked for, in the same way. */
export class OperatorHistory {
  readonly entries: OperatorEntry[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  add(entry: Omit<OperatorEntry, "sequence">): void {
    const numbered = { sequence: this.entries.length + 1, ...entry };
    this.entries.push(numbered);
    appendFileSync(this.#file, `${JSON.stringify(numbered)}\n`);
  }
}

/** Reads a history that a run has left. */
export function readHistory(file: string): HistoryEntry[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as HistoryEntry);
}

function withoutCardNumbers(text: string): string {
  return Object.values(CARDS).reduce((rest, pan) => rest.replaceAll(pan, "[card number]"), text);
}
