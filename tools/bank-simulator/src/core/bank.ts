import { BankClock } from "./bank-clock.ts";
import { Book, type EndedDay, type Posting } from "./book.ts";
import { Ledger, LedgerCorruptError, type LedgerRow } from "./ledger.ts";
import { openOrClose, together, type OpenLedger } from "./simulator-server.ts";
import type { Unkindness } from "./unkindness.ts";

/** A line before the ledger has numbered it. */
export type Timed = { at: string };

/** The end of a day, after the ledger's line `after`. */
type DayEnded = LedgerRow & { kind: "day_ended"; after: number };

/**
 * An event of a protocol that moves no money, such as a step of 3-D Secure; `after` is the ledger's last line
 * before it, as for a day's end.
 */
export type EventLine<Event> = (LedgerRow & { kind: "noted"; after: number; event: Event }) | DayEnded;

export type BankOptions<Entry extends Timed, Event> = {
  ledgerFile: string;
  zone: string;
  /** The machine's time in epoch milliseconds. */
  machineNow?: (() => number) | undefined;
  modes?: Readonly<Unkindness>;
  postingOf: (line: Entry) => Posting | undefined;
  /** Called with every line, now or at a restart, after the book has it. */
  onLine?: (line: Entry) => void;
  /** Called with every event of the protocol's own, now or at a restart. */
  onEvent?: (event: Event, atMs: number) => void;
  /** Called with every ended day. `isNew` is false for those that a restart finds. */
  onDayEnded?: (day: EndedDay<Entry>, isNew: boolean) => Promise<void> | void;
};

/**
 * A bank's records: the book in memory, the ledger and the events beside it on the disk. Between reading the book and
 * changing it there is no `await`, and no call is judged while a day ends: of two calls the second sees the effect of the
 * first, and every line belongs to one day, even if the process is killed.
 */
export class Bank<Entry extends Timed, Event = never> {
  readonly book: Book<Entry>;
  readonly clock: BankClock;
  readonly ledger: Ledger<Entry & LedgerRow>;
  /** The bank's two files as one. */
  readonly files: OpenLedger;
  readonly #events: Ledger<EventLine<Event>>;
  readonly #options: BankOptions<Entry, Event>;
  #closedAt: string | undefined;
  #ending: Promise<void> = Promise.resolve();
  #endings = 0;

  private constructor(
    options: BankOptions<Entry, Event>,
    book: Book<Entry>,
    ledger: Ledger<Entry & LedgerRow>,
    events: Ledger<EventLine<Event>>,
    replayed: Replayed,
  ) {
    this.#options = options;
    this.book = book;
    this.ledger = ledger;
    this.#events = events;
    this.files = together(ledger, events);
    this.clock = new BankClock(options.zone, options.machineNow, options.modes);
    // A restart does not go back in time.
    this.clock.notBefore(replayed.lastAtMs);
    this.#closedAt = replayed.closedAt;
  }

  /**
   * Opens the files and replays them, with each event at its place among the lines.
   * @throws LedgerCorruptError if a file is malformed, or a day has ended after lines that the ledger does
   * not have
   */
  static async open<Entry extends Timed, Event = never>(
    options: BankOptions<Entry, Event>,
  ): Promise<Bank<Entry, Event>> {
    const past: EventLine<Event>[] = [];
    const events = await Ledger.open<EventLine<Event>>(`${options.ledgerFile}.events.ndjson`, (each) =>
      past.push(each),
    );
    const book = new Book(options.postingOf);
    const replay = new Replay(options, book, past);
    const ledger = await openOrClose(events, () =>
      Ledger.open<Entry & LedgerRow>(options.ledgerFile, (line) => replay.line(line)),
    );
    return await openOrClose(together(ledger, events), async () => {
      await replay.end();
      return new Bank<Entry, Event>(options, book, ledger, events, replay);
    });
  }

  /** The time at which the last day ended, ISO 8601 in UTC; undefined before the first end. */
  get closedAt(): string | undefined {
    return this.#closedAt;
  }

  /**
   * Judges a call and resolves with its outcome when everything that it depends on is on the disk. `decide`
   * reads the book and returns the line to write, if there is one, and a second one if the bank carries a
   * call out twice.
   */
  async judge<Outcome>(
    decide: (nowMs: number) => { line?: Entry | undefined; again?: Entry | undefined; outcome: Outcome },
  ): Promise<Outcome> {
    while (this.#endings > 0) await this.#ending;
    const { line, again, outcome } = decide(this.clock.now());
    const lines = [line, again].filter((each) => each !== undefined);
    if (lines.length > 0) await Promise.all(lines.map((each) => this.#write(each)));
    else await this.files.flushed();
    return outcome;
  }

  #write(line: Entry): Promise<void> {
    this.book.apply(line);
    this.#options.onLine?.(line);
    return this.ledger.append(line as never);
  }

  /** Applies an event of the protocol's own, and resolves when it is on the disk. */
  async note(event: Event): Promise<void> {
    const atMs = this.clock.now();
    this.#options.onEvent?.(event, atMs);
    const at = new Date(atMs).toISOString();
    await this.#events.append({ at, kind: "noted", after: this.book.sequence, event } as never);
  }

  flushed(): Promise<void> {
    return this.files.flushed();
  }

  /** Ends the day. Ends follow one another: a failed one settles nothing and does not keep the next from trying. */
  async endDay(): Promise<void> {
    this.#endings += 1;
    const ending = this.#ending.then(() => this.#endDay()).finally(() => (this.#endings -= 1));
    this.#ending = ending.catch(() => undefined);
    await ending;
  }

  async #endDay(): Promise<void> {
    // A crash may not leave an end over lines that were lost: others would take their place.
    await this.ledger.flushed();
    const atMs = this.clock.now();
    const at = new Date(atMs).toISOString();
    await this.#events.append({ at, kind: "day_ended", after: this.book.sequence } as never);
    this.#closedAt = at;
    await this.#options.onDayEnded?.(this.book.endDay(atMs), true);
  }
}

type Replayed = { lastAtMs: number; closedAt: string | undefined };

/** Merges the events of a bank's past into the lines of its ledger. */
class Replay<Entry extends Timed, Event> implements Replayed {
  readonly #options: BankOptions<Entry, Event>;
  readonly #book: Book<Entry>;
  readonly #past: readonly EventLine<Event>[];
  readonly #days: EndedDay<Entry>[] = [];
  #next = 0;
  lastAtMs = 0;
  closedAt: string | undefined;

  constructor(options: BankOptions<Entry, Event>, book: Book<Entry>, past: readonly EventLine<Event>[]) {
    this.#options = options;
    this.#book = book;
    this.#past = past;
  }

  line(line: Entry & LedgerRow): void {
    this.#eventsBefore(line.sequence);
    this.#book.apply(line);
    this.#options.onLine?.(line);
    this.lastAtMs = Math.max(this.lastAtMs, Date.parse(line.at));
  }

  async end(): Promise<void> {
    this.#eventsBefore(Number.POSITIVE_INFINITY);
    if (this.#next < this.#past.length) throw new LedgerCorruptError("an event does not say when it came");
    for (const day of this.#days) await this.#options.onDayEnded?.(day, false);
  }

  #eventsBefore(sequence: number): void {
    for (
      let event = this.#past[this.#next];
      event && event.after < sequence;
      event = this.#past[this.#next]
    ) {
      this.#next += 1;
      const atMs = Date.parse(event.at);
      this.lastAtMs = Math.max(this.lastAtMs, atMs);
      if (event.kind === "noted") this.#options.onEvent?.(event.event, atMs);
      else if (event.kind === "day_ended" && event.after <= this.#book.sequence) {
        this.closedAt = event.at;
        this.#days.push(this.#book.endDay(atMs));
      } else throw new LedgerCorruptError("a day has ended after lines that the ledger does not have");
    }
  }
}
